"""Bust prices: how one comes about, at which leverage it is how near, and what the labels of danger mean."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from papertrade_site.docs.worked.figures import ENTRY_USD, LEVERAGE, percent, price
from papertrade_site.figures.text import amount
from papertrade_site.market import bust
from papertrade_site.market.bust import Danger, bust_price, danger, distance_share
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import SHARE_DIGITS, WAD, to_float

LEVERAGES: Final = (1, 10, 25, 50, 100, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class BustSteps:
    """How the bust price of one long comes about; prices in dollars."""

    entry: str
    leverage: int
    step: str
    zero_equity: str
    buffer_bps: str
    bust: str
    distance_percent: str


@dataclass(frozen=True, slots=True)
class BustRow:
    """Bust prices at one leverage, how far each is from the entry, and the label that a long opens with."""

    leverage: int
    long: str
    long_percent: str
    short: str
    short_percent: str
    danger: Danger


@dataclass(frozen=True, slots=True)
class DangerRow:
    """A label, and the distances that it stands for in percent of the mark; None for no end."""

    label: Danger
    least: str | None
    below: str | None

    @property
    def words(self) -> str:
        """Both ends; what is just at 0 has bust, so the label after that begins above it."""
        if self.least is None:
            return f"{self.below} or less"
        if self.below is None:
            return f"{self.least} and more"
        return (
            f"above 0, below {self.below}"
            if self.least == "0"
            else f"{self.least} and more, below {self.below}"
        )


def bust_steps(market: Instrument) -> BustSteps:
    """The bust price of a long of ``LEVERAGE`` from ``ENTRY_USD``, step by step."""
    entry = ENTRY_USD * market.price_scale
    step = entry // LEVERAGE
    bust_at = bust_price(entry, leverage=LEVERAGE, side=Side.LONG, bust_buffer=market.bust_buffer)
    return BustSteps(
        entry=price(market, entry),
        leverage=LEVERAGE,
        step=price(market, step),
        zero_equity=price(market, entry - step),
        buffer_bps=amount(to_float(market.bust_buffer * 10_000, WAD, digits=SHARE_DIGITS)),
        bust=price(market, bust_at),
        distance_percent=percent(distance_share(Side.LONG, mark=entry, bust=bust_at)),
    )


def bust_rows(market: Instrument) -> tuple[BustRow, ...]:
    """Bust prices from ``ENTRY_USD`` at every one of ``LEVERAGES`` that the market takes."""
    entry = ENTRY_USD * market.price_scale
    return tuple(
        _bust_row(market, entry, leverage) for leverage in LEVERAGES if leverage <= market.max_leverage
    )


def _bust_row(market: Instrument, entry: int, leverage: int) -> BustRow:
    long, short = (
        bust_price(entry, leverage=leverage, side=side, bust_buffer=market.bust_buffer) for side in Side
    )
    of_long = distance_share(Side.LONG, mark=entry, bust=long)
    return BustRow(
        leverage=leverage,
        long=price(market, long),
        long_percent=percent(of_long),
        short=price(market, short),
        short_percent=percent(distance_share(Side.SHORT, mark=entry, bust=short)),
        danger=danger(of_long),
    )


def danger_rows() -> tuple[DangerRow, ...]:
    """Every label with its distances, nearest first."""
    starts = (None, Fraction(0), bust.CRITICAL_BELOW, bust.HIGH_BELOW, bust.MEDIUM_BELOW)
    texts = [None if start is None else percent(start) for start in starts]
    return tuple(
        DangerRow(label, least, below)
        for label, least, below in zip(Danger, texts, (*texts[1:], None), strict=True)
    )
