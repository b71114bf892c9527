"""What the sources say that one address may ask of them; we stay far below, and operators see how far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from papertrade_site.upstream.resource import Host


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicLimit:
    """The limit of a host for one address.

    Attributes:
        per_minute: how much it allows in a minute.
        unit: of what, for people.
        costs: what a request of each resource costs; one that is not named costs 1.
    """

    per_minute: int
    unit: str
    costs: Mapping[str, int]

    def used(self, requests: Mapping[str, int]) -> int:
        """What so many requests cost together, by the names of their resources."""
        return sum(count * self.costs.get(name, 1) for name, count in requests.items())


PUBLIC_LIMITS: Final[Mapping[Host, PublicLimit]] = MappingProxyType(
    {
        Host.HYPERLIQUID: PublicLimit(
            per_minute=1_200,
            unit="weight",
            costs={"hyperliquid.book": 2, "hyperliquid.candles": 23},  # 20, and 1 per 60 of a week of hours
        ),
        Host.HYPEREVM: PublicLimit(
            per_minute=100,
            unit="calls",
            costs={"hyperevm.paper": 3},  # the calls of one batch
        ),
    }
)
"""By host; one that publishes none is not in it."""
