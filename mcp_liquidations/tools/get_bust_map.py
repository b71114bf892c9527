"""``get_bust_map``: where the positions of tracked wallets bust, by price, and what a move would bust."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Final

from pydantic import Field

from mcp_liquidations import SLUG
from mcp_liquidations.buckets import (
    BUCKET_USD_RANGE,
    DEFAULT_BUCKET_USD,
    DEFAULT_BUCKETS,
    MOST_ROWS,
    USUAL_ROWS,
    MapRow,
    MapTotals,
    Omitted,
    amount_text,
    edge_usd,
    omitted,
    raw_size,
    row_fields,
    totals_fields,
    totals_text,
)
from mcp_liquidations.coverage import COVERAGE_TEXT, Coverage, coverage_sentence
from mcp_liquidations.wallets import WalletCount, tracked_books
from papertrade_site.figures.text import dollars, number
from papertrade_site.figures.tool import Found, book_requests, reading_tool
from papertrade_site.figures.wire import ExactNumber, MarkPrice, Symbol, WireModel
from papertrade_site.market.cascade import Sweep, cascade
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import Ladder, build_ladder, nearest
from papertrade_site.market.scale import SHARE_DIGITS, to_float, usd
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "Where positions in one market bust: their notional by bust price, in buckets, for the largest wallets. "
    "With cascadePercent it also tells what would bust if the price fell or rose by so much. Use it for "
    "levels and what-if moves; for single positions call get_closest_to_bust, for the thickest levels alone "
    "get_bust_cluster_summary, for all wallets of the exchange get_protocol_liquidation_map. "
    f"{COVERAGE_TEXT} Longs bust as the price falls, shorts as it rises. Papertrade takes its price from "
    "another exchange, so busts do not push it further: the cascade is a sum, and feeds nothing back."
)

CASCADE_NOTE: Final = (
    "An estimate as coarse as the buckets: a bucket counts whole as soon as the move touches its near edge, "
    "and the bucket that holds the mark counts for any move at all. Only positions of tracked wallets that "
    "the mark has not passed yet are counted, of all buckets and not just those listed. Busts do not move "
    "the price here, so they set off no further busts."
)


class BustMapArguments(WireModel):
    """Which market, how finely, and what move."""

    market: Symbol = Field(description="The market to map.")
    bucket_usd: ExactNumber | None = Field(
        default=None,
        description=f"Width of a price bucket in dollars; {DEFAULT_BUCKETS} when left out.",
        json_schema_extra={**BUCKET_USD_RANGE},
    )
    wallets: WalletCount = None
    cascade_percent: ExactNumber | None = Field(
        default=None,
        description="Size of a price move in percent, 1 for 1 %; tells what it would bust, down and up. No "
        "cascade when left out.",
        json_schema_extra={"minimum": 0, "maximum": 25},
    )
    max_buckets: int = Field(
        default=USUAL_ROWS,
        ge=1,
        le=MOST_ROWS,
        description="Most rows to list, those nearest to the mark first; omitted sums up the others.",
    )


class BustRow(MapRow):
    """The positions of one side whose bust prices lie in one bucket: lowUsd and up, below highUsd."""

    positions: int = Field(description="How many.")
    cumulative_notional_usd: float = Field(
        description="Of this side, all that has bust once the price is through this bucket: summed from the "
        "mark outward, after whatever the mark has passed already."
    )


class BustTotals(MapTotals):
    """Sums over all buckets, omitted ones too."""

    long_positions: int
    short_positions: int


class Passed(MapTotals):
    """Of the totals, what the mark has reached already and nobody has liquidated yet."""

    long_positions: int
    short_positions: int


class Move(WireModel):
    """What a move in one direction busts."""

    target_price_usd: float = Field(description="Where the price ends.")
    notional_usd: float
    positions: int
    buckets: int


class CascadeFigures(WireModel):
    """What busts when the price moves by the percent asked for."""

    percent: float
    down: Move = Field(description="Longs that bust when the price falls.")
    up: Move = Field(description="Shorts that bust when it rises.")
    share_of_tracked: float | None = Field(
        description="down and up together as a share of coverage.trackedNotionalUsd, 0 to 1; null when "
        "nothing is tracked."
    )
    note: str = Field(description="How these figures are counted.")


class BustMap(WireModel):
    """The map of one market."""

    market: Symbol
    mark_price_usd: MarkPrice
    bucket_usd: float
    buckets: tuple[BustRow, ...] = Field(
        description="By price: a row for each side that has positions there, longs first."
    )
    totals: BustTotals
    passed: Passed = Field(
        description="The part of totals past its bust price already; rows and running sums count it, cascade "
        "does not."
    )
    omitted: Omitted
    coverage: Coverage
    cascade: CascadeFigures | None = Field(description="Null when no cascadePercent was given.")


def find(arguments: BustMapArguments, sources: Sources) -> Found:
    """Map the tracked positions of a market at the mark of now.

    Raises:
        ToolError: when the market is not listed, or there is no leaderboard.
        UpstreamError: when the trading state, the mark, or every wallet cannot be read.
    """
    (book,) = tracked_books(sources, [arguments.market], wallets=arguments.wallets)
    market, mark, percent = book.market, book.mark, arguments.cascade_percent
    bucket_usd = arguments.bucket_usd or DEFAULT_BUCKET_USD[arguments.market]
    ladder = build_ladder(book.positions, mark=mark, size=raw_size(market, bucket_usd))
    kept = nearest(ladder.buckets, mark=mark, most=arguments.max_buckets)
    figures = BustMap(
        market=arguments.market,
        mark_price_usd=market.price_usd(mark),
        bucket_usd=edge_usd(market, ladder.size),
        buckets=tuple(_rows(ladder, market, kept)),
        totals=BustTotals(**totals_fields(ladder.buckets)),
        passed=_passed(ladder),
        omitted=omitted(ladder.buckets, ladder.buckets[kept]),
        coverage=book.coverage,
        cascade=None if percent is None else _cascade(ladder, market, percent),
    )
    return Found(figures, _summary(figures))


def _rows(ladder: Ladder, market: Instrument, kept: slice) -> Iterator[BustRow]:
    running = tuple(ladder.running_notional())
    for bucket, cumulative in zip(ladder.buckets[kept], running[kept], strict=True):
        fields = row_fields(bucket, market, mark=ladder.mark)
        yield BustRow(**fields, cumulative_notional_usd=usd(cumulative))


def _passed(ladder: Ladder) -> Passed:
    longs, shorts = ladder.side(Side.LONG), ladder.side(Side.SHORT)
    return Passed(
        long_notional_usd=usd(sum(bucket.crossed_notional for bucket in longs)),
        short_notional_usd=usd(sum(bucket.crossed_notional for bucket in shorts)),
        long_positions=sum(bucket.crossed_positions for bucket in longs),
        short_positions=sum(bucket.crossed_positions for bucket in shorts),
    )


def _cascade(ladder: Ladder, market: Instrument, percent: Decimal) -> CascadeFigures:
    busts = cascade(ladder, move=Fraction(percent) / 100)
    tracked = sum(bucket.notional for bucket in ladder.buckets)
    busting = busts.down.notional + busts.up.notional
    return CascadeFigures(
        percent=float(percent),
        down=_move(busts.down, market),
        up=_move(busts.up, market),
        share_of_tracked=to_float(Fraction(busting, tracked), digits=SHARE_DIGITS) if tracked else None,
        note=CASCADE_NOTE,
    )


def _move(sweep: Sweep, market: Instrument) -> Move:
    return Move(
        target_price_usd=market.price_usd(sweep.target),
        notional_usd=usd(sweep.notional),
        positions=sweep.positions,
        buckets=sweep.buckets,
    )


def _summary(figures: BustMap) -> str:
    text = (
        f"{figures.market} mark {dollars(figures.mark_price_usd)}: {totals_text(figures.totals)} "
        f"by bust price, in buckets of {dollars(figures.bucket_usd)}."
    )
    if figures.passed.long_positions or figures.passed.short_positions:
        text += f" Of these the mark has already passed {totals_text(figures.passed)}."
    if figures.cascade is not None:
        text += f" {_cascade_sentence(figures.cascade)}"
    reach = coverage_sentence({figures.market: figures.coverage})
    return f"{text} Only tracked wallets are counted. {reach}"


def _cascade_sentence(found: CascadeFigures) -> str:
    percent, down, up = number(found.percent), found.down, found.up
    longs = amount_text(Side.LONG, positions=down.positions, notional_usd=down.notional_usd)
    shorts = amount_text(Side.SHORT, positions=up.positions, notional_usd=up.notional_usd)
    return (
        f"If the price fell {percent} % to {dollars(down.target_price_usd)}, {longs} would bust; if it rose "
        f"{percent} % to {dollars(up.target_price_usd)}, {shorts} would; counted by whole buckets."
    )


TOOL: Final = reading_tool(
    find,
    server=SLUG,
    name="get_bust_map",
    title="Bust map of tracked wallets",
    description=DESCRIPTION,
    arguments=BustMapArguments,
    figures=BustMap,
    requests=book_requests,
)
