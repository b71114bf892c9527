"""What an analyst would check: the figures of the tools against each other and against the exchange's own."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_analytics.metrics import METRICS, MetricName
from mcp_analytics.tools import get_history, get_open_interest, get_protocol_snapshot
from papertrade_site.market.instrument import Side
from papertrade_site.market.scale import WAD, usd
from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.simulator.history import Point
from papertrade_site.simulator.world import World
from tests.mcp_analytics.told import ToldVenue
from tests.venue_bodies import NOW_MS

SEEDS = 200
AGE_MS = 1_412_345

OF_THE_SNAPSHOT: dict[MetricName, str] = {
    "tvl": "tvlUsd",
    "volume": "volumeTotalUsd",
    "traders": "traders",
    "trades": "trades",
    "liquidated_volume": "liquidatedUsd",
    "trader_pnl": "traderPnlUsd",
}
"""The metrics whose newest point is a figure of the snapshot."""


def _check_seed(seed: int) -> None:
    world = World.create(seed=seed, now_ms=NOW_MS + AGE_MS, traders=4)
    venue = ToldVenue()
    venue.put_world(world)
    snapshot = venue.call(get_protocol_snapshot.TOOL, {})
    book = venue.call(get_open_interest.TOOL, {"history": True, "limit": 500})
    for result in (snapshot, book):
        assert result["freshness"]["degraded"] is False
    _check_book(book, snapshot["protocol"], world)
    _check_snapshot(snapshot["protocol"], world)
    metric = list(METRICS)[seed % len(METRICS)]
    interval = "1h" if seed % 2 else "1d"
    _check_history(venue, snapshot, metric, interval, world)


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


def _check_history(
    venue: ToldVenue, snapshot: dict[str, Any], metric: MetricName, interval: str, world: World
) -> None:
    asked: dict[str, Any] = {"metric": metric, "interval": interval, "limit": 500}
    values = venue.call(get_history.TOOL, asked)
    newest = values["points"][-1]["value"]
    if metric in OF_THE_SNAPSHOT:
        assert newest == snapshot["protocol"][OF_THE_SNAPSHOT[metric]]
        changed = {"tvl": "tvlUsd", "volume": "volumeUsd", "liquidated_volume": "liquidatedUsd"}
        name = changed.get(metric, OF_THE_SNAPSHOT[metric])
        assert values["change24h"] == snapshot["deltas"]["change24h"][name]
        assert values["change7d"] == snapshot["deltas"]["change7d"][name]
    _check_points(values, world.history.stretch(Interval(interval), current=world.point).points, metric)
    if values["kind"] == "cumulative":
        added = venue.call(get_history.TOOL, {**asked, "mode": "per_bucket"})
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
        assert shown == pytest.approx([usd(amount) for amount in amounts[metric]], rel=1e-14)


@pytest.mark.slow
def test_over_200_worlds_the_figures_agree_with_each_other_and_with_the_exchanges_own() -> None:
    for seed in range(SEEDS):
        _check_seed(seed)


@pytest.mark.requirement("history:reach", "history:prompt")
def test_daily_volume_since_launch_adds_up_to_all_of_it() -> None:
    world = World.create(seed=3, now_ms=NOW_MS + AGE_MS, traders=4)
    venue = ToldVenue()
    venue.put_world(world)
    asked = {"metric": "volume", "mode": "per_bucket", "limit": 500}
    result = venue.call(get_history.TOOL, asked)
    total = sum(point["value"] for point in result["points"])
    assert total == pytest.approx(usd(world.exchange.volume), rel=1e-12)
    assert len(result["points"]) >= (world.now_ms - world.genesis_ms) // DAY_MS
