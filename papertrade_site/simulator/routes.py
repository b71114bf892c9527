"""The paths that the embedded exchange answers, and how each reads its query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.simulator import hyperevm, hyperliquid, query, query_bodies, state_bodies
from papertrade_site.simulator.leaderboard import Leaderboard
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.protocol import Request
from papertrade_site.simulator.wire import Json
from papertrade_site.simulator.world import World

LAST_PAGE = 10**6
RANKING_PARAMETERS = ("page", "pageSize", "sortDir", "sortKey", "window")


class Direction(StrEnum):
    """Which end of a ranking comes first."""

    DESCENDING = "desc"


class PositionKey(StrEnum):
    """What single positions are ranked by."""

    PNL = "pnl"


@dataclass(frozen=True, slots=True)
class View:
    """One moment of the exchange, and its leaderboard at that moment."""

    world: World
    leaderboard: Leaderboard


GetRoute: TypeAlias = Callable[[View, Request], Json]
PostRoute: TypeAlias = Callable[[World, object], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranking:
    """The parameters that both rankings share."""

    window: Window
    number: int
    size: int


def _ranking(pairs: dict[str, str]) -> _Ranking:
    query.choice(pairs.get("sortDir", Direction.DESCENDING), Direction, name="sortDir")
    size = pairs.get("pageSize", str(query.DEFAULT_PAGE))
    return _Ranking(
        window=query.choice(pairs.get("window", Window.ALL), Window, name="window"),
        number=query.number(pairs.get("page", "0"), name="page", least=0, most=LAST_PAGE),
        size=query.number(size, name="pageSize", least=1, most=query.LARGEST_PAGE),
    )


def _leaderboard(view: View, request: Request) -> Json:
    pairs = query.sorted_once(request, RANKING_PARAMETERS)
    wanted = _ranking(pairs)
    return state_bodies.accounts(
        view.world,
        view.leaderboard,
        window=wanted.window,
        key=query.choice(pairs.get("sortKey", SortKey.TOTAL_PNL), SortKey, name="sortKey"),
        number=wanted.number,
        size=wanted.size,
    )


def _best_positions(view: View, request: Request) -> Json:
    pairs = query.sorted_once(request, RANKING_PARAMETERS)
    query.choice(pairs.get("sortKey", PositionKey.PNL), PositionKey, name="sortKey")
    wanted = _ranking(pairs)
    return state_bodies.best_positions(
        view.world, window=wanted.window, number=wanted.number, size=wanted.size
    )


def _interval(request: Request) -> Interval:
    return query.choice(query.single(request, "interval"), Interval, name="interval")


def _liquidation_map(view: View, request: Request) -> Json:
    text = query.single(request, "instrumentId")
    market = query.number(text, name="instrumentId", least=0, most=len(MARKETS) - 1)
    return state_bodies.liquidation_map(view.world, market)


GET_ROUTES: dict[str, GetRoute] = {
    "/state/trading": lambda view, _: state_bodies.trading(view.world),
    "/state/leaderboard/accounts": _leaderboard,
    "/state/leaderboard/positions": _best_positions,
    "/state/liquidation-map": _liquidation_map,
    "/query/protocol/summary": lambda view, _: query_bodies.summary(view.world),
    "/query/protocol/history": lambda view, request: query_bodies.protocol_history(
        view.world, _interval(request)
    ),
    "/query/protocol/market-stats": lambda view, _: query_bodies.market_stats(view.world),
    "/query/protocol/queue-summary": lambda view, _: query_bodies.queue_summary(view.world),
    "/query/protocol/trades/recent": lambda view, _: query_bodies.recent_trades(view.world),
    "/query/house/history": lambda view, request: query_bodies.house_history(view.world, _interval(request)),
    "/relayer/health": lambda *_: {"ok": True, "ready": True},
}
"""Everything that is read with GET but the wallet stream."""

POST_ROUTES: dict[str, PostRoute] = {"/info": hyperliquid.info, "/evm": hyperevm.rpc}
"""Hyperliquid and HyperEVM."""
