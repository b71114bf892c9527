"""Hyperliquid's order book and candles, with prices as exact decimals."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from papertrade_site.market.instrument import Instrument, mid_price
from papertrade_site.market.scale import parse_decimal
from papertrade_site.market.settlement import MAX_RAW_PRICE
from papertrade_site.strict_json import Json
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.wire import Label, Milliseconds, PastMs, Wire


def _decimal(value: Json) -> Decimal:
    if not isinstance(value, str):
        raise ValueError("not a decimal as text")
    parse_decimal(value, 1)  # refuses exponents, NaN and all else that Decimal would take
    return Decimal(value)


DecimalPrice = Annotated[Decimal, BeforeValidator(_decimal), Field(gt=0, le=MAX_RAW_PRICE)]
"""A price above 0 in dollars, exact; even at a scale of one it fits the contract's 64 bits."""

MAX_SPREAD = 2
"""An ask above so many times the bid is no market that anyone could be marked by."""


class _Level(Wire):
    px: DecimalPrice


class Book(Wire):
    """The best of an order book at a time in ms."""

    coin: Label
    time: PastMs
    levels: tuple[
        Annotated[tuple[_Level, ...], Field(min_length=1)], Annotated[tuple[_Level, ...], Field(min_length=1)]
    ] = Field(repr=False)

    @property
    def bid(self) -> Decimal:
        """The best bid in dollars."""
        return self.levels[0][0].px

    @property
    def ask(self) -> Decimal:
        """The best ask in dollars."""
        return self.levels[1][0].px

    def mark(self, market: Instrument) -> int:
        """The venue's mark as a raw price of a market: the midpoint, truncated to the tick.

        Raises:
            UnexpectedError: when the mark is below the market's tick or does not fit the contract's 64 bits.
        """
        mark = mid_price(market.parse_price(f"{self.bid:f}"), market.parse_price(f"{self.ask:f}"))
        if not 0 < mark <= MAX_RAW_PRICE:
            raise unexpected("hyperliquid.book", "holds a price outside the market's range")
        return mark

    @model_validator(mode="after")
    def _is_a_market(self) -> Self:
        bids, asks = ([level.px for level in side] for side in self.levels)
        if bids != sorted(bids, reverse=True) or asks != sorted(asks):
            raise ValueError("out of order")
        if not self.bid <= self.ask <= MAX_SPREAD * self.bid:
            raise ValueError("crossed or too wide")
        return self


class Candle(Wire):
    """What prices did from ``open_ms`` to ``close_ms``, in dollars; the newest one may still be open."""

    open_ms: PastMs = Field(validation_alias="t")
    close_ms: Milliseconds = Field(validation_alias="T")
    coin: Label = Field(validation_alias="s")
    interval: Label = Field(validation_alias="i")
    open: DecimalPrice = Field(validation_alias="o")
    high: DecimalPrice = Field(validation_alias="h")
    low: DecimalPrice = Field(validation_alias="l")
    close: DecimalPrice = Field(validation_alias="c")

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.close_ms <= self.open_ms:
            raise ValueError("ends before it begins")
        if not self.low <= min(self.open, self.close) <= max(self.open, self.close) <= self.high:
            raise ValueError("outside its own range")
        return self


class Candles(Wire):
    """Candles of one market and size, oldest first."""

    candles: Annotated[tuple[Candle, ...], Field(min_length=1, max_length=5000)]

    @model_validator(mode="after")
    def _rise_in_order(self) -> Self:
        if any(later.open_ms <= earlier.open_ms for earlier, later in pairwise(self.candles)):
            raise ValueError("out of order")
        return self
