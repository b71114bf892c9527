"""An open position as the contract stores it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from papertrade_site.market.instrument import Side

MAX_LEVERAGE: Final = 1000
"""The highest leverage that there is; the lowest is 1. Source: the venue's documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """One open position.

    ``margin`` is dollars at 10^18; ``entry`` and ``bust`` are raw prices at the market's scale, and
    ``bust`` is the price that the contract stored at the open, never one computed again.
    """

    id: str
    wallet: str
    instrument_id: int
    side: Side
    margin: int
    leverage: int
    entry: int
    bust: int
    opened_at_ms: int

    @property
    def notional(self) -> int:
        """Dollars of exposure at 10^18: margin times leverage."""
        return self.margin * self.leverage

    @property
    def can_be(self) -> bool:
        """Whether the contract can have opened it: its leverage is one that there is, its bust price a loss.

        A bust price at the very entry is where less than a raw unit was rounded off. That of a long at 1x
        is 0, and of no other.
        """
        if not 1 <= self.leverage <= MAX_LEVERAGE:
            return False
        if self.side is Side.SHORT:
            return self.bust >= self.entry
        return self.bust <= self.entry and (self.bust > 0 or self.leverage == 1)
