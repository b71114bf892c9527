"""``get_closest_to_bust``: who of the tracked wallets busts next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from heapq import nsmallest
from math import floor
from typing import Final, Literal

from pydantic import Field

from mcp_liquidations.coverage import COVERAGE_TEXT, Coverage, coverage_sentence
from mcp_liquidations.positions import DANGER_TEXT, MarkedPosition, PositionRow, marked, nearness_text
from mcp_liquidations.wallets import (
    MAX_WALLETS,
    MarketBook,
    MarketChoice,
    WalletCount,
    symbols_of,
    tracked_books,
)
from papertrade_site.figures.text import money, number
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.venue import win_fee
from papertrade_site.figures.wire import ExactNumber, WireModel
from papertrade_site.market.bust import distance
from papertrade_site.market.position import Position
from papertrade_site.upstream import hyperevm
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS
from papertrade_site.upstream.sources import Sources

REQUESTS: Final = BOOK_CALL_REQUESTS + 1
"""The tracked book, and the fee on wins from the chain."""

DESCRIPTION: Final = (
    "Who busts next: open positions of the largest wallets, the one nearest to its bust price first, with "
    "wallet, side, leverage, notional and distance in percent of the mark. Narrow it by market, by side or "
    f"by how far away at most. {COVERAGE_TEXT} So a position of a small wallet may be nearer than the first "
    "row. "
    f"{DANGER_TEXT} Call get_wallet_distance_to_bust for all positions of one wallet, and get_bust_map for "
    "how much busts at which price. Prices are as old as fetchedAt of hyperliquid.book in "
    "freshness.sources."
)


class ClosestArguments(WireModel):
    """Which positions."""

    market: MarketChoice = Field(default="all", description="One market, or all for both in one order.")
    limit: int = Field(default=10, ge=1, le=50, description="Most positions to show.")
    side: Literal["long", "short", "both"] = Field(
        default="both", description="long busts when the price falls, short when it rises."
    )
    max_distance_percent: ExactNumber | None = Field(
        default=None,
        description="Only positions at most this far from their bust price, in percent of the mark, 0.5 for "
        "0.5 %; crossed ones always count.",
        json_schema_extra={"minimum": 0.0001, "maximum": 100},
    )
    wallets: WalletCount = MAX_WALLETS


class MarketMark(WireModel):
    """One market's price."""

    mark_price_usd: float = Field(description="Distances are measured from here.")


class RankedRow(PositionRow):
    """An open position and its place in the order; 1 is the nearest to its bust price."""

    rank: int


class Closest(WireModel):
    """The positions nearest to their bust prices."""

    markets: dict[str, MarketMark] = Field(description="By market.")
    positions: tuple[RankedRow, ...] = Field(
        description="Nearest to the bust price first; of equally near ones the larger notional."
    )
    matched: int = Field(description="Tracked positions that pass the filters, shown or not.")
    coverage: dict[str, Coverage] = Field(description="By market.")


def find(arguments: ClosestArguments, sources: Sources) -> Found:
    """Rank the tracked positions at the marks of now.

    Raises:
        ToolError: when none of the markets is listed, or there is no leaderboard.
        UpstreamError: when the trading state, every mark, or every wallet cannot be read.
    """
    books = tracked_books(
        sources, symbols_of(arguments.market), wallets=arguments.wallets, beside=[hyperevm.paper()]
    )
    matching = [(book, _matching(book, arguments)) for book in books]
    closest = _closest(matching, limit=arguments.limit, sources=sources)
    figures = Closest(
        markets={
            book.market.symbol: MarketMark(mark_price_usd=book.market.price_usd(book.mark)) for book in books
        },
        positions=tuple(
            RankedRow(**dict(position.row()), rank=rank) for rank, position in enumerate(closest, start=1)
        ),
        matched=sum(len(positions) for _, positions in matching),
        coverage={book.market.symbol: book.coverage for book in books},
    )
    return Found(figures, _summary(figures))


def _matching(book: MarketBook, arguments: ClosestArguments) -> list[Position]:
    furthest = _furthest(book.mark, arguments.max_distance_percent)
    return [
        position
        for position in book.positions
        if arguments.side in ("both", position.side)
        and (furthest is None or _distance(position, book.mark) <= furthest)
    ]


def _furthest(mark: int, max_percent: Decimal | None) -> int | None:
    """The largest distance in raw price units that is within the percentage."""
    return None if max_percent is None else floor(mark * Fraction(max_percent) / 100)


def _distance(position: Position, mark: int) -> int:
    return distance(position.side, mark=mark, bust=position.bust)


def _closest(
    matching: Iterable[tuple[MarketBook, Sequence[Position]]], *, limit: int, sources: Sources
) -> list[MarkedPosition]:
    """The nearest of all markets; within one, raw price units tell the order, and only these are settled."""
    fee = win_fee(sources, sources.trading())
    nearest = (
        marked(position, book.market, mark=book.mark, fee=fee)
        for book, positions in matching
        for position in nsmallest(
            limit, positions, key=lambda each: (_distance(each, book.mark), -each.notional)
        )
    )
    return nsmallest(limit, nearest, key=lambda position: position.nearness)


def _summary(figures: Closest) -> str:
    reach = coverage_sentence(figures.coverage)
    if not figures.positions:
        return f"No tracked position matches. {reach}"
    first = figures.positions[0]
    return (
        f"Nearest to bust of {number(figures.matched)} matching: a {first.leverage}x {first.market} "
        f"{first.side} of {money(first.notional_usd)} notional in wallet {first.wallet}, "
        f"{nearness_text(first)}. {reach}"
    )


TOOL: Final = reading_tool(
    find,
    name="get_closest_to_bust",
    title="Positions closest to bust",
    description=DESCRIPTION,
    arguments=ClosestArguments,
    figures=Closest,
    requests=REQUESTS,
)
