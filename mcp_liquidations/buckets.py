"""Buckets of bust prices as every map of the server shows them.

Every figure is rounded once, from exact sums: dollars to a millionth (which doubles hold up to nine billion).
So rows may add up to something else than their total, by half a millionth of a dollar a row at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import Field, PlainSerializer, WithJsonSchema

from papertrade_site.figures.text import money, number
from papertrade_site.figures.wire import WireModel
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import Rung, counted
from papertrade_site.market.scale import SHARE_DIGITS, USD_DIGITS, to_float, usd

DEFAULT_BUCKET_USD: Final[Mapping[str, Decimal]] = {"BTC": Decimal(100), "ETH": Decimal(5)}
"""How wide a bucket is unless a caller says so."""

DEFAULT_BUCKETS: Final = " and ".join(
    f"${width} for {symbol}" for symbol, width in DEFAULT_BUCKET_USD.items()
)
"""The same for descriptions."""

BUCKET_USD_RANGE: Final = {"minimum": 0.01, "maximum": 10_000}
"""How wide one may be, for the schema of an argument."""

MOST_ROWS: Final = 200
"""Rows of the largest map that is ever sent."""

USUAL_ROWS: Final = 60
"""Rows of a map whose caller asked for nothing special, so that it stays small."""


def _short(price_usd: float) -> int | float:
    return int(price_usd) if price_usd.is_integer() else price_usd


Edge = Annotated[float, PlainSerializer(_short), WithJsonSchema({"type": "number"})]
"""An edge of a bucket in dollars, sent without the empty decimal that most of them would have."""


class MapRow(WireModel):
    """The positions of one side whose bust prices lie in one bucket: lowUsd and up, below highUsd."""

    low_usd: Edge
    high_usd: Edge
    side: Side
    notional_usd: float
    positions: int | None = Field(description="How many; null when the exchange does not count them.")
    distance_percent: float = Field(
        description="How far the price has to go to touch the bucket, in percent of the mark; 0 in the "
        "bucket of the mark itself, below 0 in one that it has left behind."
    )


class MapTotals(WireModel):
    """Sums over all buckets, omitted ones too."""

    long_notional_usd: float
    short_notional_usd: float
    long_positions: int | None = Field(description="Null when the exchange does not count them.")
    short_positions: int | None = Field(description="The same.")


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
    return to_float(distance.numerator * 100, distance.denominator * mark, digits=SHARE_DIGITS)


def row_fields(rung: Rung, market: Instrument, *, mark: int) -> dict[str, Any]:
    """The fields of ``MapRow``, edges worked out in whole numbers, since a map has many."""
    step, units = rung.size.as_integer_ratio()
    scale = units * market.price_scale
    return {
        "low_usd": to_float(rung.index * step, scale, digits=USD_DIGITS),
        "high_usd": to_float((rung.index + 1) * step, scale, digits=USD_DIGITS),
        "side": rung.side,
        "notional_usd": usd(rung.notional),
        "positions": rung.positions,
        "distance_percent": percent_of_mark(rung.distance(mark), mark=mark),
    }


def totals_fields(rungs: Iterable[Rung]) -> dict[str, Any]:
    """The fields of ``MapTotals``."""
    longs: list[Rung] = []
    shorts: list[Rung] = []
    for rung in rungs:
        (longs if rung.side is Side.LONG else shorts).append(rung)
    return {
        "long_notional_usd": usd(sum(rung.notional for rung in longs)),
        "short_notional_usd": usd(sum(rung.notional for rung in shorts)),
        "long_positions": counted(longs),
        "short_positions": counted(shorts),
    }


def omitted(rungs: Sequence[Rung], kept: Sequence[Rung]) -> Omitted:
    """What is missing of some buckets when only those kept are shown."""
    notional = sum(rung.notional for rung in rungs) - sum(rung.notional for rung in kept)
    return Omitted(buckets=len(rungs) - len(kept), notional_usd=usd(notional))


def amount_text(side: Side, *, positions: int | None, notional_usd: float) -> str:
    """So many positions of a side, for the sentences of summaries: ``2 longs ($20,000 notional)``."""
    count = "" if positions is None else f"{number(positions)} "
    return f"{count}{side}{'' if positions == 1 else 's'} ({money(notional_usd)} notional)"


def totals_text(totals: MapTotals) -> str:
    """Both sides of a map, for the sentences of summaries."""
    longs = amount_text(Side.LONG, positions=totals.long_positions, notional_usd=totals.long_notional_usd)
    shorts = amount_text(Side.SHORT, positions=totals.short_positions, notional_usd=totals.short_notional_usd)
    return f"{longs} and {shorts}"
