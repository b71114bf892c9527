"""What an analyst would check: the figures of the tools against each other and against the exchange's own.

``tests/test_two_hundred_worlds.py`` checks it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from statistics import median
from typing import Any, Final

import pytest

from mcp_analytics.metrics import METRICS, MetricName
from mcp_analytics.tools import (
    get_history,
    get_market_stats,
    get_open_interest,
    get_paper_economics,
    get_position_insights,
    get_protocol_snapshot,
    get_top_traders,
)
from papertrade_site.figures.wire import SYMBOLS
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD, usd
from papertrade_site.market.vocabulary import DAY_MS, Interval, SortKey, Window
from papertrade_site.simulator.history import Point
from papertrade_site.simulator.leaderboard import Leaderboard
from papertrade_site.simulator.world import World
from tests.simulated_calls import SimulatedCalls

ONE_PAGE: Final = 25
"""Leaders that are asked for; more take a second page, which would tell nothing else here."""

MILLION: Final = 10**6 * WAD
CURRENT: Final = ("balanceUsd", "openNotionalUsd", "openPositions", "unrealizedPnlUsd", "paper")

RANKINGS: Final = list(product(SortKey, pairwise(Window)))
"""Keys of the leaderboard, each with a window and the next longer one; each comes up several times too."""

PAIRS: Final = list(product(METRICS, (Interval.HOUR, Interval.DAY)))
"""Metrics and intervals; over the seeds each comes up several times."""

OF_THE_SNAPSHOT: Final[dict[MetricName, str]] = {
    "tvl": "tvlUsd",
    "volume": "volumeTotalUsd",
    "traders": "traders",
    "trades": "trades",
    "liquidated_volume": "liquidatedUsd",
    "trader_pnl": "traderPnlUsd",
}
"""The metrics whose newest point is a figure of the snapshot."""


def check_world(calls: SimulatedCalls, seed: int) -> None:
    """Check Analytics over a world of this seed, which chooses some of what is asked."""
    snapshot = calls.call(get_protocol_snapshot.TOOL, {})
    book = calls.call(get_open_interest.TOOL, {"history": True, "limit": 500})
    for result in (snapshot, book):
        assert result["freshness"]["degraded"] is False
    _check_book(book, snapshot["protocol"], calls.world)
    _check_snapshot(snapshot["protocol"], calls.world)
    _check_windows_of_totals(snapshot)
    _check_market(calls, SYMBOLS[seed % len(SYMBOLS)], book)
    _check_history(calls, snapshot, *PAIRS[seed % len(PAIRS)])
    _check_paper(calls)
    _check_leaders(calls, *RANKINGS[seed % len(RANKINGS)])
    _check_sizes(calls)


def _check_book(book: dict[str, Any], protocol: dict[str, Any], world: World) -> None:
    totals, markets = book["totals"], book["markets"]
    assert totals["longUsd"] == pytest.approx(sum(row["longUsd"] for row in markets), abs=1e-5)
    assert totals["shortUsd"] == pytest.approx(sum(row["shortUsd"] for row in markets), abs=1e-5)
    assert totals["netUsd"] == pytest.approx(totals["longUsd"] - totals["shortUsd"], abs=1e-5)
    assert (totals["longUsd"], totals["shortUsd"]) == (protocol["openLongUsd"], protocol["openShortUsd"])
    assert protocol["openNotionalUsd"] == pytest.approx(totals["longUsd"] + totals["shortUsd"], abs=1e-5)
    for row, past, positions in zip(markets, book["history"], world.exchange.open_positions, strict=True):
        longs, shorts = (
            usd(sum(held.notional for held in positions.by_id.values() if held.side is side)) for side in Side
        )
        assert (row["longUsd"], row["shortUsd"]) == pytest.approx((longs, shorts), abs=1e-5)
        assert (past["longUsd"][-1], past["shortUsd"][-1]) == pytest.approx((longs, shorts), abs=0.51)
        market = positions.instrument
        fills = (market.long_oi * 100 / market.long_cap, market.short_oi * 100 / market.short_cap)
        caps = row["caps"]
        assert (caps["longFillPercent"], caps["shortFillPercent"]) == pytest.approx(fills, abs=1e-6)
        coins = (market.long_oi / WAD, market.short_oi / WAD)
        tracked = row["capTracked"]
        assert (tracked["longCoins"], tracked["shortCoins"]) == pytest.approx(coins, abs=1e-8)


def _check_snapshot(protocol: dict[str, Any], world: World) -> None:
    exchange, point = world.exchange, world.point
    assert protocol["tvlUsd"] == usd(exchange.tvl)
    assert protocol["lpUsd"] == usd(exchange.house.lp)
    assert protocol["openPositions"] == len(exchange.owners)
    assert (protocol["traders"], protocol["trades"]) == (point.users, point.trades)
    assert protocol["liquidatedUsd"] == usd(point.liquidated)
    assert protocol["traderPnlUsd"] == pytest.approx(usd(point.trader_pnl), abs=1e-4)
    assert protocol["queuedPayouts"] == len(exchange.house.queue)


def _check_windows_of_totals(snapshot: dict[str, Any]) -> None:
    """What grew in a day is part of what grew in a week, and that of all there ever was."""
    protocol, deltas = snapshot["protocol"], snapshot["deltas"]
    totals = {
        "volumeUsd": protocol["volumeTotalUsd"],
        "trades": protocol["trades"],
        "traders": protocol["traders"],
        "liquidatedUsd": protocol["liquidatedUsd"],
    }
    for name, total in totals.items():
        day, week = (deltas[span][name]["absolute"] for span in ("change24h", "change7d"))
        assert 0 <= day <= week <= total
    assert 0 <= protocol["volume24hUsd"] <= protocol["volumeTotalUsd"]


def _check_market(calls: SimulatedCalls, symbol: str, book: dict[str, Any]) -> None:
    (row,) = calls.call(get_market_stats.TOOL, {"symbol": symbol})["markets"]
    (held,) = [market for market in book["markets"] if market["market"] == symbol]
    assert (row["openLongUsd"], row["openShortUsd"]) == (held["longUsd"], held["shortUsd"])
    assert row["volume24hUsd"] <= usd(calls.world.exchange.volume)


def _check_history(
    calls: SimulatedCalls, snapshot: dict[str, Any], metric: MetricName, interval: Interval
) -> None:
    asked: dict[str, Any] = {"metric": metric, "interval": interval.value, "limit": 500}
    values = calls.call(get_history.TOOL, asked)
    newest = values["points"][-1]["value"]
    if metric in OF_THE_SNAPSHOT:
        assert newest == snapshot["protocol"][OF_THE_SNAPSHOT[metric]]
        changed = {"tvl": "tvlUsd", "volume": "volumeUsd", "liquidated_volume": "liquidatedUsd"}
        name = changed.get(metric, OF_THE_SNAPSHOT[metric])
        assert values["change24h"] == snapshot["deltas"]["change24h"][name]
        assert values["change7d"] == snapshot["deltas"]["change7d"][name]
    _check_points(values, calls.world.history.stretch(interval, current=calls.world.point).points, metric)
    if values["kind"] == "cumulative":
        added = calls.call(get_history.TOOL, {**asked, "mode": "per_bucket"})
        assert len(added["points"]) == len(values["points"]) - 1 == added["totalPoints"]
        total = sum(point["value"] for point in added["points"])
        assert total == pytest.approx(newest - values["points"][0]["value"], rel=1e-12, abs=1e-3)


def _check_points(values: dict[str, Any], points: list[Point], metric: MetricName) -> None:
    counts = {"traders": "users", "trades": "trades"}
    amounts = {
        "tvl": [point.tvl for point in points],
        "volume": [point.volume_btc + point.volume_eth for point in points],
        "volume_btc": [point.volume_btc for point in points],
        "volume_eth": [point.volume_eth for point in points],
        "liquidated_volume": [point.liquidated for point in points],
        "trader_pnl": [point.trader_pnl for point in points],
        "paper_supply": [point.paper_supply for point in points],
        "paper_staked": [point.paper_staked for point in points],
    }
    shown = [point["value"] for point in values["points"]]
    if metric in counts:
        assert shown == [getattr(point, counts[metric]) for point in points]
    else:
        assert shown == pytest.approx([usd(amount) for amount in amounts[metric]], rel=1e-14, abs=1.5e-6)


def _check_paper(calls: SimulatedCalls) -> None:
    result = calls.call(get_paper_economics.TOOL, {})
    paper, world = result["paper"], calls.world.exchange
    progress = world.house.tail_progress
    left = max(120 * MILLION - progress, 0)
    assert paper["tailToRate25Usd"] == pytest.approx(left / WAD, abs=1e-6)
    assert paper["rate25Reached"] == (left == 0)
    tail = 100 * Fraction(120 * MILLION, 120 * MILLION + progress) ** 2
    rate = 100 if world.house.tracked_lp < 2 * MILLION else float(tail)
    assert paper["mintRate"] == pytest.approx(rate, abs=6e-7)
    assert paper["stakedShare"] == pytest.approx(world.paper.staked / world.paper.supply, abs=6e-7)
    assert result["staking"]["rewards24hUsd"] <= result["staking"]["rewardsPaidTotalUsd"]


def _check_leaders(calls: SimulatedCalls, sort: SortKey, windows: tuple[Window, Window]) -> None:
    shorter, longer = (_leaders(calls, sort, window) for window in windows)
    for wallet in shorter.keys() & longer.keys():
        assert all(shorter[wallet][name] == longer[wallet][name] for name in CURRENT)
        assert shorter[wallet]["volumeUsd"] <= longer[wallet]["volumeUsd"]


def _leaders(calls: SimulatedCalls, sort: SortKey, window: Window) -> dict[str, dict[str, Any]]:
    """The first rows of a ranking, by wallet."""
    asked = {"window": window.value, "sort": sort.value, "limit": ONE_PAGE}
    traders = calls.call(get_top_traders.TOOL, asked)["traders"]
    best = Leaderboard(calls.world).ranking(window, sort)[:ONE_PAGE]
    assert [trader["wallet"] for trader in traders] == [account.address for account in best]
    return {trader["wallet"]: trader for trader in traders}


def _check_sizes(calls: SimulatedCalls) -> None:
    day, ever = (calls.call(get_position_insights.TOOL, {"window": window}) for window in ("24h", "all"))
    best = calls.world.exchange.best
    _check_settled(day, [row.position for row in best.best(since_ms=calls.world.now_ms - DAY_MS)])
    _check_settled(ever, [row.position for row in best.best(since_ms=None)])
    assert day["count"] <= ever["count"]


def _check_settled(result: dict[str, Any], best: list[Position]) -> None:
    assert result["count"] == len(best)
    for part in ("leverage", "size"):
        assert sum(bucket["count"] for bucket in result[part]["buckets"]) == len(best)
        assert sum(bucket["share"] for bucket in result[part]["buckets"]) == pytest.approx(1, abs=4e-6)
    assert result["medianLeverage"] == median(position.leverage for position in best)
    middle = median(Fraction(position.notional, WAD) for position in best)
    assert result["medianNotionalUsd"] == pytest.approx(float(middle), abs=1e-6)
