"""The limits of one server, as its endpoint asks for them, and the headers that tell a client how it stands.

The headers are those of draft-ietf-httpapi-ratelimit-headers-10. It is not a standard yet, and its syntax
has changed before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.http import HttpRequest

from papertrade_site.limits.applied import Applied, because, rule_for_request
from papertrade_site.limits.bounds import BURST_S, WINDOW_S
from papertrade_site.limits.counter import Allowance, Standing, count_request
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.mcp.admission import Admission

ALL_CLIENTS: Final = "all"
"""Owns what all clients of a server may send together."""

TOO_MANY: Final = "Too many requests."
TOO_MANY_AT_ONCE: Final = f"Too many requests within {BURST_S} s."
TOO_MANY_OF_ALL: Final = "Too many requests of all clients together."


class ClientGate:
    """Limits each client of a server; what holds is looked up anew for every request.

    Args:
        slug: the server's short name, which the policy knows; plain ASCII without quotes.

    Raises:
        KeyError: when the policy does not know the server.
    """

    def __init__(self, slug: str) -> None:
        limits_for(slug)
        self._slug = slug

    def terms(self, request: HttpRequest) -> ClientTerms:
        """What this request is held to."""
        in_force = policy()
        rule = rule_for_request(in_force.networks, request, self._slug)
        return ClientTerms(self._slug, request, Applied(in_force.servers[self._slug], rule))

    def closed(self, tool: str) -> str | None:
        """Why a tool cannot be called now, with the operator's reason and what to do; None when it can."""
        in_force = policy()
        limits = in_force.servers[self._slug]
        if not limits.is_on:
            return (
                f"The operator has switched off all tools of this server{because(limits.off_message)} "
                "Do not try again now; tell the user, and come back later."
            )
        reason = in_force.switched_off.get((self._slug, tool))
        if reason is None:
            return None
        return (
            f"The operator has switched off {tool}{because(reason)} "
            "Use another tool of this server, or come back later."
        )


class ClientTerms:
    """What one request is held to, see ``papertrade_site.mcp.admission.Terms``.

    Args:
        slug: the server's short name.
        request: what is held to it.
        applied: what holds for its client.
    """

    __slots__ = ("_applied", "_request", "_slug")

    def __init__(self, slug: str, request: HttpRequest, applied: Applied) -> None:
        self._slug = slug
        self._request = request
        self._applied = applied

    @property
    def body_bytes(self) -> int:
        """Most bytes of its body."""
        return self._applied.limits.body_bytes

    @property
    def batch_messages(self) -> int:
        """Most messages of a batch."""
        return self._applied.batch_messages

    @property
    def blocked(self) -> str | None:
        """Why the client may send nothing at all; None when it may."""
        return self._applied.blocked

    def admit(self, *, cost: int) -> Admission:
        """Count a request of so many messages; one that does not fit is refused whole and costs 1."""
        allowances = self._allowances()
        standings = count_request(self._request, cost=cost, allowances=allowances)
        if standings is None:
            return Admission({})
        rows = list(zip(allowances, standings, strict=True))
        headers = _headers(rows)
        refusing = [(row.reset_s, _reason(allowance)) for allowance, row in rows if row.is_refused]
        if not refusing:
            return Admission(headers)
        retry_after_s, reason = max(refusing)
        return Admission(headers, retry_after_s, reason)

    def _allowances(self) -> list[Allowance]:
        applied, slug = self._applied, self._slug
        allowances = [Allowance(slug, applied.requests_per_minute, WINDOW_S)]
        if applied.burst_requests is not None:
            allowances.append(Allowance(f"{slug}-burst", applied.burst_requests, BURST_S))
        of_all = applied.limits.all_clients_per_minute
        if of_all is not None:
            allowances.append(Allowance(f"{slug}-all", of_all, WINDOW_S, owner=ALL_CLIENTS))
        return allowances


def _headers(rows: Iterable[tuple[Allowance, Standing]]) -> dict[str, str]:
    """Headers for the client's own allowances; how much all clients ask is not told to each."""
    own = [(allowance, standing) for allowance, standing in rows if allowance.owner is None]
    return {
        "RateLimit-Policy": ", ".join(f'"{row.name}";q={row.limit};w={row.seconds}' for row, _ in own),
        "RateLimit": ", ".join(f'"{row.name}";r={left.remaining};t={left.reset_s}' for row, left in own),
    }


def _reason(allowance: Allowance) -> str:
    if allowance.owner is not None:
        return TOO_MANY_OF_ALL
    return TOO_MANY if allowance.seconds == WINDOW_S else TOO_MANY_AT_ONCE
