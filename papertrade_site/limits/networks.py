"""Rules for client networks, and which of them holds for an address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from papertrade_site.limits.client import Address, Network

_Row = dict[int, tuple["NetworkRule", ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRule:
    """What holds for every address of a network.

    Attributes:
        network: the addresses; an IPv4-mapped network of IPv6 is none, since such clients count as IPv4.
        server: the server that it holds for, by its short name; None for both, and for pages.
        is_blocked: whether nothing is answered.
        requests_per_minute: messages of each client in it; None for the server's own limit.
        reason: why, as blocked clients are told.
        expires_at_ms: when it ends, in ms since 1970; None for never.
    """

    network: Network
    server: str | None = None
    is_blocked: bool = False
    requests_per_minute: int | None = None
    reason: str = ""
    expires_at_ms: int | None = None

    def holds_for(self, slug: str | None, now_ms: int) -> bool:
        """Whether it counts at a server, or for pages when that is None, at a time."""
        is_for_it = self.server is None or self.server == slug
        return is_for_it and (self.expires_at_ms is None or now_ms < self.expires_at_ms)


@dataclass(frozen=True, slots=True)
class Networks:
    """All rules, found by one look into a table for each length of prefix that any of them has."""

    rules: tuple[NetworkRule, ...] = ()
    _tables: dict[int, tuple[tuple[int, _Row], ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the rules into tables once."""
        tables = {version: tuple(_tables(self.rules, version)) for version in (4, 6)}
        object.__setattr__(self, "_tables", tables)

    def rule_for(self, address: Address, slug: str | None, now_ms: int) -> NetworkRule | None:
        """The rule of the smallest network that holds an address; of equal ones that of the server alone.

        Args:
            address: the client's; an IPv4 address as such, never mapped into IPv6.
            slug: the server that is asked, or None for pages.
            now_ms: rules that have ended by then do not count.
        """
        number = int(address)
        for shift, table in self._tables[address.version]:
            for rule in table.get(number >> shift, ()):
                if rule.holds_for(slug, now_ms):
                    return rule
        return None


def _tables(rules: Iterable[NetworkRule], version: int) -> Iterator[tuple[int, _Row]]:
    """For each length of prefix, the longest first: by how much to shift, and the rules by what is left."""
    of_version = [rule for rule in rules if rule.network.version == version]
    for length in sorted({rule.network.prefixlen for rule in of_version}, reverse=True):
        alike = [rule for rule in of_version if rule.network.prefixlen == length]
        shift = alike[0].network.max_prefixlen - length
        table: dict[int, list[NetworkRule]] = {}
        for rule in sorted(alike, key=lambda rule: rule.server is None):
            table.setdefault(int(rule.network.network_address) >> shift, []).append(rule)
        yield shift, {number: tuple(found) for number, found in table.items()}
