"""Two answers whose paths and shapes nobody outside the venue has seen: best positions and liquidation map.

The parsers accept every shape that is plausible beside the venue's other answers, and nothing less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import gcd, lcm
from typing import Annotated, Final, Self

from pydantic import AliasChoices, Field, model_validator

from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.strict_json import Json
from papertrade_site.upstream.models.activity import SideText
from papertrade_site.upstream.wire import (
    Address,
    Count,
    FlexibleAmount,
    FlexiblePrice,
    FlexibleWad,
    Leverage,
    PastMs,
    Wire,
    misfit,
    read,
)

MAX_ROWS: Final = 5000

_CLOSED_POSITION: Final = ("id", "instrumentId", "isLong", "margin", "leverage", "liquidated", "netPnl")
_MAP_BUCKET: Final = ("price", "longNotional", "shortNotional")


def _with_side(row: Json) -> Json:
    if isinstance(row, list):
        row = dict(zip(_CLOSED_POSITION, row, strict=False))
    if isinstance(row, dict) and "side" not in row and isinstance(row.get("isLong"), bool):
        return {**row, "side": Side.LONG if row["isLong"] else Side.SHORT}
    return row


class SettledPosition(Wire):
    """A position that has ended; dollars at 10^18, None where the venue leaves a part out."""

    wallet: Address | None = Field(default=None, validation_alias=AliasChoices("address", "wallet"))
    instrument_id: Count | None = None
    side: SideText
    leverage: Leverage
    margin: FlexibleAmount | None = Field(
        default=None, validation_alias=AliasChoices("margin", "marginRaw", "marginUsd")
    )
    stated_notional: FlexibleAmount | None = Field(
        default=None, validation_alias=AliasChoices("notional", "notionalRaw", "notionalUsd")
    )
    net_pnl: FlexibleWad | None = Field(
        default=None, validation_alias=AliasChoices("netPnl", "netPnlRaw", "pnl", "pnlUsd")
    )
    closed_at_ms: PastMs | None = Field(default=None, validation_alias=AliasChoices("closedAt", "closedAtMs"))

    @property
    def notional(self) -> int:
        """Exposure in dollars at 10^18: as stated, else margin times leverage."""
        if self.stated_notional is not None:
            return self.stated_notional
        return (self.margin or 0) * self.leverage

    @model_validator(mode="before")
    @classmethod
    def _accept_the_ways_to_say_it(cls, row: Json) -> Json:
        return _with_side(row)

    @model_validator(mode="after")
    def _has_a_size(self) -> Self:
        if self.notional <= 0:
            raise ValueError("no size")
        return self


class _BestPositions(Wire):
    rows: Annotated[tuple[SettledPosition, ...], Field(max_length=MAX_ROWS)]


def best_positions(body: Json, *, now_ms: int, source: str) -> tuple[SettledPosition, ...]:
    """The best single positions, best first.

    Raises:
        UnexpectedError: when the body has no plausible shape.
    """
    rows = _rows(body, ("positions", "accounts", "rows"), source=source)
    return read(_BestPositions, {"rows": rows}, now_ms=now_ms, source=source).rows


@dataclass(frozen=True, slots=True, kw_only=True)
class MapBucket:
    """What busts from ``low`` (a raw price) on; dollars at 10^18, counts None when not told."""

    low: Fraction
    long_notional: int
    short_notional: int
    long_positions: int | None
    short_positions: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiquidationMap:
    """The venue's own liquidation map of one market, by price.

    ``bucket_size`` is in raw price units, as the venue states it or as the buckets' distances show;
    None when neither tells.
    """

    bucket_size: Fraction | None
    buckets: tuple[MapBucket, ...]


class _MapRow(Wire):
    """A bucket with both sides, or with one side and its notional."""

    low: FlexiblePrice = Field(validation_alias=AliasChoices("price", "low", "priceUsd", "lowUsd"))
    side: SideText | None = None
    notional: FlexibleAmount = Field(
        default=0, validation_alias=AliasChoices("notional", "notionalRaw", "notionalUsd")
    )
    positions: Count | None = Field(default=None, validation_alias=AliasChoices("positions", "count"))
    long_notional: FlexibleAmount = Field(
        default=0, validation_alias=AliasChoices("longNotional", "longNotionalRaw", "longNotionalUsd", "long")
    )
    short_notional: FlexibleAmount = Field(
        default=0,
        validation_alias=AliasChoices("shortNotional", "shortNotionalRaw", "shortNotionalUsd", "short"),
    )
    long_positions: Count | None = Field(
        default=None, validation_alias=AliasChoices("longPositions", "longCount")
    )
    short_positions: Count | None = Field(
        default=None, validation_alias=AliasChoices("shortPositions", "shortCount")
    )

    @model_validator(mode="before")
    @classmethod
    def _accept_a_list(cls, row: Json) -> Json:
        return dict(zip(_MAP_BUCKET, row, strict=False)) if isinstance(row, list) else row

    def of(self, side: Side) -> tuple[int, int | None]:
        """One side's notional and, when told, its positions."""
        if self.side is not None:
            return (self.notional, self.positions) if self.side is side else (0, 0)
        if side is Side.LONG:
            return self.long_notional, self.long_positions
        return self.short_notional, self.short_positions


class _Map(Wire):
    instrument_id: Count | None = None
    symbol: str | None = Field(default=None, validation_alias=AliasChoices("market", "symbol", "instrument"))
    size: FlexiblePrice | None = Field(
        default=None, validation_alias=AliasChoices("bucketSize", "bucketUsd", "bucketSizeUsd", "step")
    )
    rows: Annotated[tuple[_MapRow, ...], Field(max_length=MAX_ROWS)]

    def is_of(self, market: Instrument) -> bool:
        """Whether nothing that the map states speaks against its being this market's."""
        return self.instrument_id in {None, market.id} and self.symbol in {None, market.symbol}


def liquidation_map(body: Json, market: Instrument, *, now_ms: int, source: str) -> LiquidationMap:
    """The liquidation map of a market; a bucket's price is taken for its lower edge.

    Raises:
        UnexpectedError: when the body has no plausible shape, or says that it is another market's.
    """
    stated = body if isinstance(body, dict) else {}
    rows = _rows(body, ("buckets", "levels", "rows"), source=source)
    checked = read(
        _Map, {**stated, "rows": rows}, now_ms=now_ms, source=source, price_scale=market.price_scale
    )
    if not checked.is_of(market):
        raise misfit(source, where="market")
    buckets = _merged(checked.rows, source=source)
    return LiquidationMap(bucket_size=checked.size or _common_step(buckets), buckets=buckets)


def _merged(rows: Iterable[_MapRow], *, source: str) -> tuple[MapBucket, ...]:
    by_price: dict[Fraction, list[_MapRow]] = defaultdict(list)
    for row in rows:
        same = by_price[row.low]
        if any(other.side is row.side or other.side is None or row.side is None for other in same):
            raise misfit(source, where="price")
        same.append(row)
    return tuple(_bucket(low, by_price[low]) for low in sorted(by_price))


def _bucket(low: Fraction, rows: list[_MapRow]) -> MapBucket:
    (long_notional, long_positions), (short_notional, short_positions) = (
        _sum(row.of(side) for row in rows) for side in (Side.LONG, Side.SHORT)
    )
    return MapBucket(
        low=low,
        long_notional=long_notional,
        short_notional=short_notional,
        long_positions=long_positions,
        short_positions=short_positions,
    )


def _sum(parts: Iterable[tuple[int, int | None]]) -> tuple[int, int | None]:
    notional, positions = 0, 0
    told = True
    for part_notional, part_positions in parts:
        notional += part_notional
        positions += part_positions or 0
        told = told and part_positions is not None
    return notional, positions if told else None


def _common_step(buckets: tuple[MapBucket, ...]) -> Fraction | None:
    """The largest step that fits every distance between buckets; empty ones may have been left out."""
    gaps = [later.low - earlier.low for earlier, later in pairwise(buckets)]
    return reduce(_common_divisor, gaps) if gaps else None


def _common_divisor(one: Fraction, other: Fraction) -> Fraction:
    denominator = lcm(one.denominator, other.denominator)
    return Fraction(gcd(int(one * denominator), int(other * denominator)), denominator)


def _rows(body: Json, names: tuple[str, ...], *, source: str) -> Json:
    if isinstance(body, dict) and body.get("ok", True) is True:
        body = next((body[name] for name in names if isinstance(body.get(name), list)), None)
    if not isinstance(body, list):
        raise misfit(source, where="top")
    return body
