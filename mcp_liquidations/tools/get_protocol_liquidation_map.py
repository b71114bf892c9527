"""``get_protocol_liquidation_map``: the exchange's own map of a market, or one derived in its place."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Final, Literal

from pydantic import Field

from mcp_liquidations.buckets import (
    BUCKET_USD_RANGE,
    DEFAULT_BUCKET_USD,
    DEFAULT_BUCKETS,
    MOST_ROWS,
    USUAL_ROWS,
    MapRow,
    MapTotals,
    Omitted,
    edge_usd,
    omitted,
    raw_size,
    row_fields,
    totals_fields,
    totals_text,
)
from mcp_liquidations.coverage import Coverage, coverage_sentence
from mcp_liquidations.wallets import MAX_WALLETS, tracked_books
from papertrade_site.figures.text import dollars
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.venue import listed_market
from papertrade_site.figures.wire import ExactNumber, MarkPrice, Symbol, WireModel
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import Rung, build_ladder, nearest, regrouped
from papertrade_site.upstream import exchange, hyperliquid
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "The exchange's own liquidation map of a whole market: notional by bust price for every wallet, small "
    "ones too, optionally in wider buckets. Use it for the full size of a level, or of a move: add up the "
    "rows of one side whose distancePercent lies from 0 to the move, in buckets wide enough to reach it. "
    "Call get_bust_map for cumulative sums, and for a cascade of the largest wallets. The exchange does not "
    "document this map, so it may be missing or change its form: source is then 'derived', for a map made "
    "of the largest wallets alone, and coverage tells what share of the market those hold."
)


class ProtocolMapArguments(WireModel):
    """Which market, and how finely."""

    market: Symbol = Field(default="BTC", description="The market to map.")
    bucket_usd: ExactNumber | None = Field(
        default=None,
        description="Width of a price bucket in dollars, rounded up to a multiple of the exchange's own; the "
        f"{MOST_ROWS} nearest rows come back then. When left out, the exchange's own width ("
        f"{DEFAULT_BUCKETS} in a derived map) and {USUAL_ROWS} rows.",
        json_schema_extra={**BUCKET_USD_RANGE},
    )


class ProtocolMap(WireModel):
    """The map of one market."""

    market: Symbol
    mark_price_usd: MarkPrice
    source: Literal["papertrade", "derived"] = Field(
        description="papertrade: the exchange's own map. derived: made of tracked wallets in its place."
    )
    bucket_usd: float = Field(description="The width used; it may be larger than the one asked for.")
    upstream_bucket_usd: float | None = Field(
        description="Width of the exchange's own buckets; null in a derived map."
    )
    buckets: tuple[MapRow, ...] = Field(
        description="By price: a row for each side that has positions there, longs first."
    )
    totals: MapTotals
    omitted: Omitted
    coverage: Coverage | None = Field(
        description="How much of the market a derived map holds; null for the exchange's own."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Map:
    """A map in exact figures: sizes in raw price units, ``coverage`` as in the result."""

    market: Instrument
    mark: int
    size: Fraction
    rungs: tuple[Rung, ...]
    upstream_size: Fraction | None = None
    coverage: Coverage | None = None


def find(arguments: ProtocolMapArguments, sources: Sources) -> Found:
    """Read the exchange's map of a market, or derive one where that fails.

    Raises:
        ToolError: when the market is not listed; also when there is neither the exchange's map nor a
            leaderboard.
        UpstreamError: when the trading state or the mark cannot be read; also when neither the exchange's
            map nor any wallet can be.
    """
    sources.prefetch(exchange.trading(), hyperliquid.book(arguments.market))
    market = listed_market(sources.trading(), arguments.market)
    mark = sources.mark(market)
    published = sources.optional(
        lambda: _published(market, sources), missing="The map is derived from tracked wallets."
    )
    if published is None:
        found = _derived(arguments, sources)
    else:
        found = _widened(published, market, mark=mark, asked=arguments.bucket_usd)
    figures = _figures(found, arguments)
    return Found(figures, _summary(figures, asked=arguments.bucket_usd))


@dataclass(frozen=True, slots=True)
class _Published:
    """The exchange's own map; ``size`` in raw price units."""

    size: Fraction
    rungs: tuple[Rung, ...]


def _published(market: Instrument, sources: Sources) -> _Published:
    """The exchange's map, or an error where its buckets do not lie side by side from 0 on."""
    found = sources.liquidation_map(market)
    size = found.bucket_size
    places = [bucket.low / size for bucket in found.buckets] if size else []
    if size is None or any(place.denominator > 1 for place in places):
        raise unexpected("exchange.liquidation_map", "does not tell how wide its buckets are")
    rungs = (
        Rung(side=side, index=place.numerator, size=size, notional=notional, positions=positions)
        for place, bucket in zip(places, found.buckets, strict=True)
        for side, notional, positions in (
            (Side.LONG, bucket.long_notional, bucket.long_positions),
            (Side.SHORT, bucket.short_notional, bucket.short_positions),
        )
        if notional or positions
    )
    return _Published(size, tuple(rungs))


def _widened(published: _Published, market: Instrument, *, mark: int, asked: Decimal | None) -> _Map:
    multiple = 1 if asked is None else ceil(raw_size(market, asked) / published.size)
    return _Map(
        market=market,
        mark=mark,
        size=published.size * multiple,
        rungs=regrouped(published.rungs, multiple=multiple),
        upstream_size=published.size,
    )


def _derived(arguments: ProtocolMapArguments, sources: Sources) -> _Map:
    (book,) = tracked_books(sources, [arguments.market], wallets=MAX_WALLETS)
    bucket_usd = arguments.bucket_usd or DEFAULT_BUCKET_USD[arguments.market]
    ladder = build_ladder(book.positions, mark=book.mark, size=raw_size(book.market, bucket_usd))
    return _Map(
        market=book.market,
        mark=book.mark,
        size=ladder.size,
        rungs=ladder.buckets,
        coverage=book.coverage,
    )


def _figures(found: _Map, arguments: ProtocolMapArguments) -> ProtocolMap:
    market, mark, upstream_size = found.market, found.mark, found.upstream_size
    most = USUAL_ROWS if arguments.bucket_usd is None else MOST_ROWS
    kept = found.rungs[nearest(found.rungs, mark=mark, most=most)]
    return ProtocolMap(
        market=arguments.market,
        mark_price_usd=market.price_usd(mark),
        source="derived" if upstream_size is None else "papertrade",
        bucket_usd=edge_usd(market, found.size),
        upstream_bucket_usd=None if upstream_size is None else edge_usd(market, upstream_size),
        buckets=tuple(MapRow(**row_fields(rung, market, mark=mark)) for rung in kept),
        totals=MapTotals(**totals_fields(found.rungs)),
        omitted=omitted(found.rungs, kept),
        coverage=found.coverage,
    )


def _summary(figures: ProtocolMap, *, asked: Decimal | None) -> str:
    text = (
        f"{figures.market} mark {dollars(figures.mark_price_usd)}: {totals_text(figures.totals)} "
        f"by bust price, in buckets of {_width(figures, asked)}, {_origin(figures)}."
    )
    if figures.omitted.buckets:
        text += f" {figures.omitted.buckets} rows far from the mark are left out; a wider bucket shows more."
    if figures.coverage is not None:
        text += f" {coverage_sentence({figures.market: figures.coverage})}"
    return text


def _width(figures: ProtocolMap, asked: Decimal | None) -> str:
    used = dollars(figures.bucket_usd)
    if asked is None or figures.upstream_bucket_usd is None or figures.bucket_usd == float(asked):
        return used
    own = dollars(figures.upstream_bucket_usd)
    return f"{used} (rounded up from {dollars(float(asked))} to a multiple of the exchange's {own})"


def _origin(figures: ProtocolMap) -> str:
    if figures.source == "papertrade":
        return "by the exchange's own map"
    return "derived from tracked wallets alone, as the exchange's own map could not be read"


TOOL: Final = reading_tool(
    find,
    name="get_protocol_liquidation_map",
    title="Liquidation map of the whole market",
    description=DESCRIPTION,
    arguments=ProtocolMapArguments,
    figures=ProtocolMap,
    requests=BOOK_CALL_REQUESTS,
)
