"""The tracked wallets: the largest by open notional, read once for every tool that looks at the market.

All of those tools read the same resources, so that asking one after the other costs one sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from mcp_liquidations import SLUG
from mcp_liquidations.coverage import Coverage, WalletsRead, coverage_of, protocol_notional
from papertrade_site.figures.ranking import accounts_of, ranking_pages, read_ranking
from papertrade_site.figures.tool import failure_text
from papertrade_site.figures.venue import listed_markets
from papertrade_site.figures.wire import SYMBOLS, Symbol
from papertrade_site.limits.bounds import WALLETS_DEFAULT
from papertrade_site.limits.in_force import limits_for
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.position import Position
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange, hyperliquid
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.models.leaderboard import Leaderboard
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.resource import Resource
from papertrade_site.upstream.sources import Sources

MAX_WALLETS: Final = WALLETS_DEFAULT.most
"""With two pages of the leaderboard, the trading state, the house's book and two marks: 50 requests, which is
what a call that reads them may make unless an operator says otherwise."""

WalletCount = Annotated[
    int | None,
    Field(
        ge=1,
        le=MAX_WALLETS,
        description="How many wallets to look at, largest open notional first; more cover more. When left "
        "out the operator's default applies, and coverage.walletsRequested tells it.",
    ),
]
"""The argument of every tool that reads tracked wallets; its default may change, so the schema has none."""

MarketChoice = Literal["BTC", "ETH", "all"]
"""The argument of tools that look at one market or at all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketBook:
    """One market as far as the tracked wallets hold it.

    ``mark`` is the raw mark price; ``positions`` are those of the tracked wallets in this market, the
    largest wallet's first.
    """

    market: Instrument
    mark: int
    positions: tuple[Position, ...]
    coverage: Coverage


def usual_wallets() -> int:
    """How many wallets are read now where nobody names a number."""
    return limits_for(SLUG).wallets_default


def symbols_of(choice: MarketChoice) -> tuple[Symbol, ...]:
    """The markets that a choice stands for."""
    return SYMBOLS if choice == "all" else (choice,)


def tracked_books(
    sources: Sources, symbols: Sequence[Symbol], *, wallets: int | None, beside: Sequence[Resource[Any]] = ()
) -> tuple[MarketBook, ...]:
    """Read the largest wallets side by side and sort their positions into the markets asked for.

    A wallet that fails is left out and counted. Of several markets, one that is not listed or has no
    mark is left out, the latter with a note in ``freshness``.

    Args:
        sources: whose call may make ``book_requests``, and one more for each resource of ``beside``.
        symbols: the markets, at least one.
        wallets: how many wallets to read, 1 to ``MAX_WALLETS``; None for the default in force.
        beside: what the caller is going to read itself, prefetched here so that nobody waits for it.

    Raises:
        ToolError: when none of the markets is listed, or there is no leaderboard.
        UpstreamError: when the trading state, every mark, or every wallet cannot be read.
    """
    count = usual_wallets() if wallets is None else wallets
    sources.prefetch(*leaderboard_pages(count), *market_resources(symbols), *beside)
    trading = sources.trading()
    markets = listed_markets(trading, symbols)
    _require_a_mark(markets, sources)
    addresses = _largest(sources, count)
    found = sources.wallets(addresses)
    read = WalletsRead(requested=count, read=len(found.values), failed=found.failed)
    positions = listed_positions(
        (position for wallet in found.values for position in wallet.positions), trading, sources
    )
    marks = _marks(markets, sources)  # last, since the sweep may have taken longer than a mark is good for
    return tuple(
        _book(market, mark=mark, positions=positions, wallets=read, sources=sources) for market, mark in marks
    )


def market_resources(symbols: Sequence[Symbol]) -> tuple[Resource[Any], ...]:
    """What is read of markets, whichever the wallets are."""
    books = (hyperliquid.book(symbol) for symbol in symbols)
    return (exchange.trading(), exchange.house_history(Interval.HOUR), *books)


def leaderboard_pages(wallets: int) -> tuple[Resource[Leaderboard], ...]:
    """The pages of the leaderboard that list so many of the largest wallets."""
    return ranking_pages(Window.ALL, SortKey.OPEN_NOTIONAL, count=wallets)


def largest(pages: Iterable[Leaderboard], wallets: int) -> list[str]:
    """The addresses of the first so many wallets on pages of the leaderboard, each once."""
    return [account.address for account in accounts_of(pages)[:wallets]]


def listed_positions(
    positions: Iterable[Position], trading: TradingState, sources: Sources
) -> tuple[Position, ...]:
    """The positions whose market is listed; when there are others the result is degraded, with a note."""
    positions = tuple(positions)
    ids = {market.id for market in trading.instruments}
    known = tuple(position for position in positions if position.instrument_id in ids)
    if len(known) < len(positions):
        sentence = "A position, or more than one, is left out: exchange.trading does not list its market."
        sources.note("exchange.trading", sentence)
    return known


def _require_a_mark(markets: Sequence[Instrument], sources: Sources) -> None:
    """Spare the sweep where nothing could be measured after it.

    Raises:
        UpstreamError: when no market has a mark.
    """
    books = (hyperliquid.book(market.symbol) for market in markets if market.frozen_mid is None)
    if all(market.frozen_mid is None for market in markets) and not any(map(sources.has, books)):
        sources.mark(markets[0])


def _marks(markets: Sequence[Instrument], sources: Sources) -> list[tuple[Instrument, int]]:
    """The markets whose mark is known, with it.

    Raises:
        UpstreamError: when there is none.
    """
    marks = [(market, _optional_mark(market, sources)) for market in markets]
    known = [(market, mark) for market, mark in marks if mark is not None]
    return known or [(market, sources.mark(market)) for market in markets]


def _optional_mark(market: Instrument, sources: Sources) -> int | None:
    return sources.optional(lambda: sources.mark(market), missing=f"{market.symbol} is left out.")


def _largest(sources: Sources, wallets: int) -> list[str]:
    """Addresses of the largest wallets, each once; fewer when the leaderboard lists fewer."""
    try:
        pages = read_ranking(sources, Window.ALL, SortKey.OPEN_NOTIONAL, count=wallets)
    except UpstreamError as error:
        advice = "get_wallet_distance_to_bust still works for an address that you have."
        raise ToolError(f"{failure_text(error)} {advice}") from error
    return largest(pages, wallets)


def _book(
    market: Instrument, *, mark: int, positions: Sequence[Position], wallets: WalletsRead, sources: Sources
) -> MarketBook:
    held = tuple(position for position in positions if position.instrument_id == market.id)
    whole = protocol_notional(market, mark=mark, sources=sources)
    return MarketBook(
        market=market,
        mark=mark,
        positions=held,
        coverage=coverage_of(held, protocol_notional=whole, wallets=wallets),
    )
