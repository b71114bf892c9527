"""The limits of one server, as its endpoint asks for them, and the headers that tell a client how it stands.

The headers are those of draft-ietf-httpapi-ratelimit-headers-10. It is not a standard yet, and its syntax
has changed before.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from django.http import HttpRequest

from papertrade_site.limits.applied import Applied, rule_for_request
from papertrade_site.limits.bounds import BURST_S, WINDOW_S
from papertrade_site.limits.counter import Allowance, Standing, count_request
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.limits.pages import count_page
from papertrade_site.limits.policy import ServerLimits
from papertrade_site.limits.switches import tool_off
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
        self._slug = slug
        self._without_rule = Applied(limits_for(slug))

    def terms(self, request: HttpRequest) -> ClientTerms:
        """What this request is held to."""
        in_force = policy()
        rule = rule_for_request(in_force.networks, request, self._slug)
        limits = in_force.servers[self._slug]
        applied = self._usual(limits) if rule is None else Applied(limits, rule)
        return ClientTerms(self._slug, request, applied)

    def _usual(self, limits: ServerLimits) -> Applied:
        """What holds without a rule: made once for as long as the limits are the same."""
        usual = self._without_rule
        if usual.limits is not limits:
            usual = self._without_rule = Applied(limits)
        return usual

    def closed(self, tool: str) -> str | None:
        """Why a tool cannot be called now, with the operator's reason and what to do; None when it can."""
        return tool_off(policy(), self._slug, tool)


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
        applied = self._applied
        allowances, own = _allowances(
            self._slug,
            applied.requests_per_minute,
            applied.burst_requests,
            applied.limits.all_clients_per_minute,
        )
        standings = count_request(self._request, cost=cost, allowances=allowances)
        if standings is None:
            return Admission({})
        headers = {"RateLimit-Policy": own, "RateLimit": _left(allowances, standings)}
        refusing = [place for place, standing in enumerate(standings) if standing.is_refused]
        if not refusing:
            return Admission(headers)
        last = max(refusing, key=lambda place: standings[place].reset_s)
        return Admission(headers, standings[last].reset_s, _reason(allowances[last]))

    def admit_reader(self) -> Admission:
        """Count a plain GET as a page; no header tells of that allowance."""
        refusal = count_page(self._request)
        return Admission({}) if refusal is None else Admission({}, refusal.reset_s, refusal.reason)


@lru_cache
def _allowances(
    slug: str, requests_per_minute: int, burst_requests: int | None, of_all: int | None
) -> tuple[tuple[Allowance, ...], str]:
    """What a request has to fit, and the header that tells of the client's own part of it."""
    own = [Allowance(slug, requests_per_minute, WINDOW_S)]
    if burst_requests is not None:
        own.append(Allowance(f"{slug}-burst", burst_requests, BURST_S))
    common = [] if of_all is None else [Allowance(f"{slug}-all", of_all, WINDOW_S, owner=ALL_CLIENTS)]
    header = ", ".join(f'"{row.name}";q={row.limit};w={row.seconds}' for row in own)
    return (*own, *common), header


def _left(allowances: Iterable[Allowance], standings: Iterable[Standing]) -> str:
    """The header that tells what is left to the client; what is left to all is not told to each."""
    return ", ".join(
        [
            f'"{allowance.name}";r={standing.remaining};t={standing.reset_s}'
            for allowance, standing in zip(allowances, standings, strict=True)
            if allowance.owner is None
        ]
    )


def _reason(allowance: Allowance) -> str:
    if allowance.owner is not None:
        return TOO_MANY_OF_ALL
    return TOO_MANY if allowance.seconds == WINDOW_S else TOO_MANY_AT_ONCE
