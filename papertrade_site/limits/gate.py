"""The limits of one server, as its endpoint asks for them."""

from __future__ import annotations

from django.http import HttpRequest

from papertrade_site.limits.charge import Charge
from papertrade_site.limits.counter import count_request
from papertrade_site.limits.headers import rate_limit_headers
from papertrade_site.limits.policy import limits_for
from papertrade_site.mcp.admission import Admission


class ClientGate:
    """Limits each client of a server; the numbers are looked up anew for every request.

    Args:
        slug: the server's short name, which the policy knows.

    Raises:
        KeyError: when the policy does not know the server.
    """

    def __init__(self, slug: str) -> None:
        limits_for(slug)
        self._slug = slug

    @property
    def body_bytes(self) -> int:
        """Most bytes of a body."""
        return limits_for(self._slug).body_bytes

    @property
    def batch_messages(self) -> int:
        """Most messages of a batch."""
        return limits_for(self._slug).batch_messages

    def admit(self, request: HttpRequest, *, cost: int) -> Admission:
        """Count a request of so many messages; one that does not fit is refused whole and costs 1."""
        limit = limits_for(self._slug).requests_per_minute
        usage = count_request(request, group=self._slug, charge=Charge(cost, limit))
        if usage is None:
            return Admission({})
        headers = rate_limit_headers(self._slug, usage, limit=limit)
        return Admission(headers, retry_after_s=usage.reset_s if usage.is_refused else None)
