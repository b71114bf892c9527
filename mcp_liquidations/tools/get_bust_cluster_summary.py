"""``get_bust_cluster_summary``: where the bust prices of tracked wallets crowd, below and above the mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from mcp_liquidations.buckets import (
    DEFAULT_BUCKET_USD,
    DEFAULT_BUCKETS,
    Edge,
    amount_text,
    edge_usd,
    percent_of_mark,
    raw_size,
)
from mcp_liquidations.coverage import COVERAGE_TEXT, Coverage, coverage_sentence
from mcp_liquidations.wallets import (
    MAX_WALLETS,
    MarketBook,
    MarketChoice,
    WalletCount,
    symbols_of,
    tracked_books,
)
from papertrade_site.figures.text import amount, dollars
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.wire import MarkPrice, WireModel
from papertrade_site.market.clusters import Cluster, largest_clusters
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import build_ladder
from papertrade_site.market.scale import SHARE_DIGITS, to_float, usd
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "The price levels where most notional busts: the largest clusters below the mark (longs) and above it "
    "(shorts), with their notional, their distance from the mark and their share of their side. Use it for a "
    "quick picture; call get_bust_map for every level, or for what a move of some percent would bust. "
    f"Buckets ({DEFAULT_BUCKETS}) that touch, or have a single empty one between them, make up one cluster. "
    f"Positions that the mark has passed are not counted. {COVERAGE_TEXT}"
)


class ClusterArguments(WireModel):
    """Which markets and how many clusters."""

    market: MarketChoice = Field(default="all", description="One market, or all for each by itself.")
    wallets: WalletCount = MAX_WALLETS
    clusters: int = Field(default=3, ge=1, le=10, description="Most clusters to show on each side.")


class ClusterRow(WireModel):
    """A price range in which positions of one side bust."""

    rank: int = Field(description="1 has the largest notional of its side.")
    side: Side
    low_usd: Edge
    high_usd: Edge
    peak_usd: float = Field(description="Mean bust price, weighted by notional.")
    notional_usd: float
    positions: int
    distance_percent: float = Field(
        description="How far the price has to go to touch the range, in percent of the mark; 0 once inside."
    )
    share_of_side: float = Field(description="Of the side's tracked notional not yet passed, 0 to 1.")


class MarketClusters(WireModel):
    """The clusters of one market."""

    market: str
    mark_price_usd: MarkPrice
    below: tuple[ClusterRow, ...] = Field(description="Of longs, which bust as the price falls.")
    above: tuple[ClusterRow, ...] = Field(description="Of shorts, which bust as it rises.")
    coverage: Coverage


class Clusters(WireModel):
    """The clusters of every market asked for."""

    markets: tuple[MarketClusters, ...]


def find(arguments: ClusterArguments, sources: Sources) -> Found:
    """Find the clusters of tracked positions at the marks of now.

    Raises:
        ToolError: when none of the markets is listed, or there is no leaderboard.
        UpstreamError: when the trading state, every mark, or every wallet cannot be read.
    """
    symbols = symbols_of(arguments.market)
    books = tracked_books(sources, symbols, wallets=arguments.wallets)
    figures = Clusters(markets=tuple(_clusters(book, most=arguments.clusters) for book in books))
    return Found(figures, _summary(figures))


def _clusters(book: MarketBook, *, most: int) -> MarketClusters:
    market, mark = book.market, book.mark
    size = raw_size(market, DEFAULT_BUCKET_USD[market.symbol])
    ladder = build_ladder(book.positions, mark=mark, size=size)
    below, above = (
        tuple(
            _row(cluster, market, rank=rank, mark=mark)
            for rank, cluster in enumerate(largest_clusters(ladder, side, most=most), start=1)
        )
        for side in (Side.LONG, Side.SHORT)
    )
    return MarketClusters(
        market=market.symbol,
        mark_price_usd=market.price_usd(mark),
        below=below,
        above=above,
        coverage=book.coverage,
    )


def _row(cluster: Cluster, market: Instrument, *, rank: int, mark: int) -> ClusterRow:
    return ClusterRow(
        rank=rank,
        side=cluster.side,
        low_usd=edge_usd(market, cluster.low),
        high_usd=edge_usd(market, cluster.high),
        peak_usd=market.price_usd(cluster.peak),
        notional_usd=usd(cluster.notional),
        positions=cluster.positions,
        distance_percent=percent_of_mark(cluster.distance, mark=mark),
        share_of_side=to_float(cluster.share_of_side, digits=SHARE_DIGITS),
    )


def _summary(figures: Clusters) -> str:
    texts = [
        f"{found.market} mark {dollars(found.mark_price_usd)}: largest cluster below it "
        f"{_largest(found.below)}; above it {_largest(found.above)}."
        for found in figures.markets
    ]
    reach = coverage_sentence({found.market: found.coverage for found in figures.markets})
    return " ".join([*texts, "Only tracked wallets are counted.", reach])


def _largest(clusters: Sequence[ClusterRow]) -> str:
    if not clusters:
        return "none"
    first = clusters[0]
    held = amount_text(first.side, positions=first.positions, notional_usd=first.notional_usd)
    return (
        f"{held} with bust prices from {dollars(first.low_usd)} to {dollars(first.high_usd)}, "
        f"{_away(first.distance_percent)}"
    )


def _away(distance_percent: float) -> str:
    return f"{amount(distance_percent)} % from the mark" if distance_percent else "the mark is among them"


TOOL: Final = reading_tool(
    find,
    name="get_bust_cluster_summary",
    title="Largest bust clusters",
    description=DESCRIPTION,
    arguments=ClusterArguments,
    figures=Clusters,
    requests=BOOK_CALL_REQUESTS,
)
