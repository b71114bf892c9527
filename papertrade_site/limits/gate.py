"""The limits of one server, as its endpoint asks for them, and the headers that tell a client how it stands.

The headers are those of draft-ietf-httpapi-ratelimit-headers-10. It is not a standard yet, and its syntax
has changed before.
"""

from __future__ import annotations

from django.http import HttpRequest

from papertrade_site.limits.bounds import WINDOW_S
from papertrade_site.limits.charge import Charge
from papertrade_site.limits.counter import Usage, count_request
from papertrade_site.limits.in_force import limits_for
from papertrade_site.mcp.admission import Admission


class ClientGate:
    """Limits each client of a server; the numbers are looked up anew for every request.

    Args:
        slug: the server's short name, which the policy knows; plain ASCII without quotes.

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
        headers = self._headers(usage, limit)
        return Admission(headers, retry_after_s=usage.reset_s if usage.is_refused else None)

    def _headers(self, usage: Usage, limit: int) -> dict[str, str]:
        return {
            "RateLimit-Policy": f'"{self._slug}";q={limit};w={WINDOW_S}',
            "RateLimit": f'"{self._slug}";r={usage.remaining};t={usage.reset_s}',
        }
