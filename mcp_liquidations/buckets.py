"""Buckets of bust prices as every map of the server shows them.

Every figure is rounded once, from exact sums: dollars to a millionth. So rows may add up to something else
than their total, by half a millionth of a dollar a row at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from pydantic import Field

from papertrade_site.figures.wire import Symbol, WireModel
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import Rung
from papertrade_site.market.scale import SHARE_DIGITS, USD_DIGITS, to_float, usd

DEFAULT_BUCKET_USD: Final[Mapping[Symbol, Decimal]] = {"BTC": Decimal(100), "ETH": Decimal(5)}
"""How wide a bucket is unless a caller says so."""

BUCKET_USD_RANGE: Final = {"minimum": 0.01, "maximum": 10_000}
"""How wide one may be, for the schema of an argument."""

MOST_ROWS: Final = 200
"""Rows of the largest map that is ever sent."""

USUAL_ROWS: Final = 60
"""Rows of a map whose caller asked for nothing special, so that it stays small."""


class MapRow(WireModel):
    """The positions of one side whose bust prices lie in one bucket: lowUsd and up, below highUsd."""

    low_usd: float
    high_usd: float
    side: Side
    notional_usd: float
    positions: int | None = Field(description="Null when the exchange does not count them.")
    distance_percent: float = Field(
        description="From the mark to the bucket's near edge in percent of the mark; 0 when the mark lies "
        "inside, negative when it has passed the bucket."
    )


class MapTotals(WireModel):
    """Sums over all buckets, omitted ones too."""

    long_notional_usd: float
    short_notional_usd: float
    long_positions: int | None
    short_positions: int | None


class Omitted(WireModel):
    """The rows that were left out, furthest from the mark."""

    buckets: int
    notional_usd: float


def raw_size(market: Instrument, bucket_usd: Decimal) -> Fraction:
    """A bucket's width in the market's raw price units, exactly."""
    return Fraction(bucket_usd) * market.price_scale


def edge_usd(market: Instrument, raw_price: Fraction) -> float:
    """An edge, or a width, in dollars; to a millionth, since it may lie between two ticks."""
    return to_float(raw_price, market.price_scale, digits=USD_DIGITS)


def percent_of_mark(distance: Fraction, *, mark: int) -> float:
    """A distance in raw price units in percent of the mark."""
    return to_float(distance * 100, mark, digits=SHARE_DIGITS)


def row_fields(rung: Rung, market: Instrument, *, mark: int) -> dict[str, Any]:
    """The fields of ``MapRow``."""
    return {
        "low_usd": edge_usd(market, rung.low),
        "high_usd": edge_usd(market, rung.high),
        "side": rung.side,
        "notional_usd": usd(rung.notional),
        "positions": rung.positions,
        "distance_percent": percent_of_mark(rung.distance(mark), mark=mark),
    }


def omitted(rungs: Sequence[Rung], kept: Sequence[Rung]) -> Omitted:
    """What is missing of some buckets when only those kept are shown."""
    notional = sum(rung.notional for rung in rungs) - sum(rung.notional for rung in kept)
    return Omitted(buckets=len(rungs) - len(kept), notional_usd=usd(notional))
