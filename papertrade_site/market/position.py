"""An open position as the contract stores it."""

from __future__ import annotations

from dataclasses import dataclass

from papertrade_site.market.instrument import Side


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
