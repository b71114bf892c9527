"""A market of the exchange: its limits, its impact parameters, its state, and its prices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from papertrade_site.market.scale import nearest_div, parse_decimal, to_float

UNCAPPED_FROM = 2**127
"""A side cap at or above this, or of 0, means that the side has no cap (the sentinel is 2^128 - 1)."""


class Side(StrEnum):
    """Which way a position earns."""

    LONG = "long"
    SHORT = "short"

    @property
    def other(self) -> Side:
        """The opposite side."""
        return Side.SHORT if self is Side.LONG else Side.LONG


class Status(StrEnum):
    """What a market lets traders do, strongest restriction first."""

    RETIRED = "retired"
    TERMINAL = "terminal"
    PAUSED = "paused"
    CLOSE_ONLY = "close_only"
    ACTIVE = "active"
    INACTIVE = "inactive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """One market as the venue's trading state lists it.

    Prices are integers at ``price_scale`` (BTC 10, ETH 100). Open interest and caps are coins at
    10^18; ``max_position_notional`` and ``reference_notional`` dollars at 10^18; ``bust_buffer``,
    ``base_rate`` and both multipliers plain numbers at 10^18.
    """

    id: int
    symbol: str
    asset_index: int
    price_scale: int
    active: bool
    paused: bool
    terminal: bool
    retired: bool
    close_only: bool
    frozen_bid: int | None
    frozen_ask: int | None
    paused_at_ms: int | None
    rate_multiplier: int
    position_multiplier: int
    max_leverage: int
    max_position_notional: int
    bust_buffer: int
    base_rate: int
    reference_notional: int
    long_oi: int
    short_oi: int
    long_cap: int
    short_cap: int

    def status(self, *, trading_paused: bool) -> Status:
        """The first restriction that applies, given the venue's global pause."""
        if self.retired:
            return Status.RETIRED
        if self.terminal:
            return Status.TERMINAL
        if trading_paused or self.paused:
            return Status.PAUSED
        if self.close_only:
            return Status.CLOSE_ONLY
        return Status.ACTIVE if self.active else Status.INACTIVE

    def openable(self, *, trading_paused: bool) -> bool:
        """Whether a new position can be opened now, caps and minimums aside."""
        return self.status(trading_paused=trading_paused) is Status.ACTIVE

    @property
    def frozen_mid(self) -> int | None:
        """The price a terminal market marks at for good, or None for a live market."""
        if not self.terminal or self.frozen_bid is None or self.frozen_ask is None:
            return None
        return mid_price(self.frozen_bid, self.frozen_ask)

    def open_interest(self, side: Side) -> int:
        """Coins open on a side, at 10^18."""
        return self.long_oi if side is Side.LONG else self.short_oi

    def cap(self, side: Side) -> int | None:
        """Most coins that may be open on a side, at 10^18, or None when the side has no cap."""
        cap = self.long_cap if side is Side.LONG else self.short_cap
        return cap if 0 < cap < UNCAPPED_FROM else None

    def parse_price(self, text: str) -> int:
        """Read a decimal price in dollars as a raw price, rounded to the nearest tick.

        Raises:
            ValueError: when the text is not a plain decimal.
        """
        return parse_decimal(text, self.price_scale)

    def price_usd(self, raw_price: int | Fraction) -> float:
        """A raw price in dollars, to the market's tick; one between two ticks is rounded to the nearest."""
        return to_float(raw_price, self.price_scale, digits=self._price_digits)

    def price_text(self, raw_price: int) -> str:
        """A raw price of 0 or more in dollars as exact text, such as ``"83065.5"``, at the market's tick."""
        dollars, ticks = divmod(raw_price, self.price_scale)
        digits = self._price_digits
        return f"{dollars}.{ticks:0{digits}d}" if digits else str(dollars)

    @property
    def _price_digits(self) -> int:
        return len(str(self.price_scale)) - 1


def mid_price(bid: int, ask: int) -> int:
    """The venue's fill and mark price: the midpoint of best bid and ask, truncated to the tick."""
    return (bid + ask) // 2


def coins_to_usd(coins: int, *, price: int, price_scale: int) -> int:
    """Coins at 10^18 valued at a raw price, in dollars at 10^18, truncated."""
    return coins * price // price_scale


def usd_to_coins(dollars: int, *, price: int, price_scale: int) -> int:
    """Dollars at 10^18 as coins at 10^18 at a raw price above 0, rounded to nearest."""
    return nearest_div(dollars * price_scale, price)
