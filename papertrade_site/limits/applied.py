"""What holds for one client: the limits of a server, as a rule for the client's network changes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest

from papertrade_site.clock import SystemClock, iso
from papertrade_site.limits.client import Address, client_of
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.limits.policy import Policy, ServerLimits

_clock: Final = SystemClock()


@dataclass(frozen=True, slots=True)
class Applied:
    """What holds for one client of a server, and the rule that made it so.

    Attributes:
        limits: those of the server.
        rule: the rule for the client's network, or None.
    """

    limits: ServerLimits
    rule: NetworkRule | None = None

    @property
    def _own_limit(self) -> int | None:
        return None if self.rule is None else self.rule.requests_per_minute

    @property
    def requests_per_minute(self) -> int:
        """Messages that the client may send within a window."""
        return self._own_limit or self.limits.requests_per_minute

    @property
    def burst_requests(self) -> int | None:
        """The same within ``BURST_S``; None for no such limit, as in a network with a limit of its own."""
        return None if self._own_limit else self.limits.burst_requests

    @property
    def batch_messages(self) -> int:
        """Most messages of a batch; never more than a window holds."""
        return min(self.limits.batch_messages, self.requests_per_minute)

    @property
    def blocked(self) -> str | None:
        """What a blocked client is told; None when it may go on."""
        return None if self.rule is None else blocked_text(self.rule)


def applied(policy: Policy, slug: str, address: Address | None, *, now_ms: int) -> Applied:
    """What holds for an address at a server, at a time.

    Args:
        policy: all that an operator may set.
        slug: the server's short name.
        address: the client's; None for one that has none, to which no rule can be applied.
        now_ms: rules that have ended by then do not count.

    Raises:
        KeyError: when there is no such server.
    """
    rule = None if address is None else policy.networks.rule_for(address, slug, now_ms)
    return Applied(policy.servers[slug], rule)


def rule_for_request(networks: Networks, request: HttpRequest, slug: str | None) -> NetworkRule | None:
    """The rule for the network that a request comes from, now; ``slug`` is None for pages."""
    if not networks.rules:
        return None
    address = client_of(request).address
    return None if address is None else networks.rule_for(address, slug, _clock.now_ms())


def blocked_text(rule: NetworkRule) -> str | None:
    """What a client is told whose network a rule blocks; None when the rule lets it in."""
    if not rule.is_blocked:
        return None
    until = "the operator lifts this" if rule.expires_at_ms is None else iso(rule.expires_at_ms)
    return f"This network is blocked{because(rule.reason)} Nothing is answered until {until}."


def because(reason: str) -> str:
    """An operator's reason as the end of a sentence, with its full stop; there may be none."""
    text = reason.strip()
    if not text:
        return "."
    return f": {text}" if text[-1] in ".!?" else f": {text}."
