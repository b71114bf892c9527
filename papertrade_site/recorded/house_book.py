"""What the house carries: open long and short notional per market, at entry prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from papertrade_site.market.scale import wad_of
from papertrade_site.recorded.past import Past
from papertrade_site.upstream.refusals import unexpected

COLUMNS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {"BTC": ("btc_long", "btc_short"), "ETH": ("eth_long", "eth_short")}
)
"""The columns of the house's history that hold the longs and shorts of a market, by its symbol."""


@dataclass(frozen=True, slots=True)
class OpenSides:
    """Open long and short notional in dollars at 10^18."""

    longs: int
    shorts: int

    @property
    def long_share(self) -> Fraction | None:
        """The longs' share of both, which add up; None when nothing is open."""
        both = self.longs + self.shorts
        return Fraction(self.longs, both) if both else None


def book_of(past: Past, symbol: str) -> OpenSides:
    """A market's book now.

    Raises:
        UnexpectedError: when the house's history does not tell it, or tells of an earlier time alone.
    """
    is_current = bool(past.closes_ms) and past.is_current(past.closes_ms[-1])
    newest = [past.columns[name][-1] for name in COLUMNS[symbol]] if is_current else []
    known = [wad_of(notional) for notional in newest if notional is not None]
    if len(known) < len(COLUMNS[symbol]):
        raise unexpected("exchange.house_history", f"leaves out what is open in {symbol} now")
    return OpenSides(*known)
