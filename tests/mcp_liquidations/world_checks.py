"""What a trader would check: each tool against the book that it is made of.

``tests/test_two_hundred_worlds.py`` checks it. Everything expected is counted here from the exchange's own
positions, one by one; so few wallets trade that the tracked ones hold all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import Final

import pytest

from mcp_liquidations.tools import (
    get_bust_cluster_summary,
    get_bust_map,
    get_closest_to_bust,
    get_protocol_liquidation_map,
    get_wallet_distance_to_bust,
)
from papertrade_site.market.bust import distance_share, is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import percent, usd
from papertrade_site.simulator.open_positions import OpenPositions
from tests.mcp_liquidations.maps import Result, check_rows, check_sums, micro
from tests.simulated_calls import SimulatedCalls

CLOSEST: Final = get_closest_to_bust.TOOL
CLUSTERS: Final = get_bust_cluster_summary.TOOL
BUST_MAP: Final = get_bust_map.TOOL
PROTOCOL_MAP: Final = get_protocol_liquidation_map.TOOL
WALLET: Final = get_wallet_distance_to_bust.TOOL

BUCKET_USD: Final = {"BTC": 100, "ETH": 5}
"""The default bucket."""

PERCENTS: Final = ("0", "0.5", "2", "25")
ALL: Final = {"wallets": 12}
"""As many wallets as hold everything that is open, and a few that hold nothing."""

FEW: Final = 3
"""Wallets that hold a part of the market only."""

Book = dict[tuple[float, float, Side], tuple[float, int]]
"""Notional and count of positions by their bucket's edges and side."""


def check_world(calls: SimulatedCalls) -> None:
    """Check Liquidations over a world."""
    for market, mark in zip(calls.world.exchange.open_positions, calls.world.prices.mids, strict=True):
        tracked = _check_map(calls, market, mark)
        _check_protocol_map(calls, market)
        _check_clusters(calls, market.instrument.symbol, tracked)
    _check_order(calls)
    _check_few(calls)


def _check_map(calls: SimulatedCalls, market: OpenPositions, mark: int) -> Result:
    """The map holds every position, and a move sweeps what lies in the buckets that it touches."""
    symbol, positions = market.instrument.symbol, market.by_id.values()
    moved = [
        calls.call(BUST_MAP, {"market": symbol, "cascadePercent": percent, **ALL}) for percent in PERCENTS
    ]
    tracked: Result = moved[0]
    assert tracked["omitted"]["buckets"] == 0
    assert tracked["coverage"]["fraction"] == (1 if positions else None)
    check_sums(tracked)
    check_rows(tracked)
    assert _shown(tracked) == _counted(market, bucket_usd=BUCKET_USD[symbol])
    for asked, result in zip(PERCENTS, moved, strict=True):
        for way, side in (("down", Side.LONG), ("up", Side.SHORT)):
            ticks = BUCKET_USD[symbol] * market.instrument.price_scale
            exact, touched = _swept(positions, side, mark=mark, ticks=ticks, percent=asked)
            found = result["cascade"][way]
            assert (found["notionalUsd"], found["positions"]) == (
                usd(sum(position.notional for position in touched)),
                len(touched),
            )
            assert found["notionalUsd"] >= usd(sum(position.notional for position in exact))
    for smaller, larger in pairwise(result["cascade"] for result in moved):
        for way in ("down", "up"):
            assert all(smaller[way][name] <= larger[way][name] for name in ("notionalUsd", "buckets"))
    return tracked


def _swept(
    positions: Iterable[Position], side: Side, *, mark: int, ticks: int, percent: str
) -> tuple[list[Position], list[Position]]:
    """The positions that a move of the price busts, and those whose bucket it touches."""
    share = Fraction(Decimal(percent)) / 100
    if not share:
        return [], []
    live = [
        position
        for position in positions
        if position.side is side and not is_crossed(side, mark=mark, bust=position.bust)
    ]
    if side is Side.LONG:
        target = mark * (1 - share)
        exact = [each for each in live if each.bust >= target]
        return exact, [each for each in live if (each.bust // ticks + 1) * ticks > target]
    target = mark * (1 + share)
    exact = [each for each in live if each.bust <= target]
    return exact, [each for each in live if each.bust // ticks * ticks <= target]


def _check_protocol_map(calls: SimulatedCalls, market: OpenPositions) -> None:
    """The exchange's map has every position, in its own buckets and in wider ones."""
    symbol = market.instrument.symbol
    own = calls.call(PROTOCOL_MAP, {"market": symbol})["upstreamBucketUsd"]
    for bucket_usd in (own, 3 * own, BUCKET_USD[symbol]):
        result = calls.call(PROTOCOL_MAP, {"market": symbol, "bucketUsd": bucket_usd})
        assert (result["source"], result["bucketUsd"]) == ("papertrade", bucket_usd)
        check_sums(result)
        check_rows(result)
        assert _shown(result) == _counted(market, bucket_usd=bucket_usd)
        for side in Side:
            held = [position for position in market.by_id.values() if position.side is side]
            assert result["totals"][f"{side}NotionalUsd"] == usd(sum(each.notional for each in held))
            assert result["totals"][f"{side}Positions"] == len(held)


def _shown(result: Result) -> Book:
    return {
        (row["lowUsd"], row["highUsd"], Side(row["side"])): (row["notionalUsd"], row["positions"])
        for row in result["buckets"]
    }


def _counted(market: OpenPositions, *, bucket_usd: float) -> Book:
    scale = market.instrument.price_scale
    ticks = round(bucket_usd * scale)
    notionals: Counter[tuple[int, Side]] = Counter()
    counts: Counter[tuple[int, Side]] = Counter()
    for position in market.by_id.values():
        bucket = (position.bust // ticks, position.side)
        notionals[bucket] += position.notional
        counts[bucket] += 1
    return {
        (place * ticks / scale, (place + 1) * ticks / scale, side): (usd(notional), counts[place, side])
        for (place, side), notional in notionals.items()
    }


def _check_clusters(calls: SimulatedCalls, symbol: str, tracked: Result) -> None:
    """Clusters are made of the map's rows, and hold no more than their side."""
    (found,) = calls.call(CLUSTERS, {"market": symbol, "clusters": 10, **ALL})["markets"]
    for name, side in (("below", "long"), ("above", "short")):
        clusters = found[name]
        whole = micro(tracked["totals"][f"{side}NotionalUsd"])
        assert sum(micro(cluster["notionalUsd"]) for cluster in clusters) <= whole
        for cluster in clusters:
            rows = [
                row
                for row in tracked["buckets"]
                if row["side"] == side and cluster["lowUsd"] <= row["lowUsd"] < cluster["highUsd"]
            ]
            assert micro(cluster["notionalUsd"]) == sum(micro(row["notionalUsd"]) for row in rows)
            assert cluster["positions"] == sum(row["positions"] for row in rows)
            assert cluster["distancePercent"] == min(row["distancePercent"] for row in rows)


def _check_order(calls: SimulatedCalls) -> None:
    """Positions stand in the order of the book, and the first is the first of its own wallet."""
    result = calls.call(CLOSEST, {"limit": 50, **ALL})
    nearness = {
        position.id: (distance_share(position.side, mark=mark, bust=position.bust), -position.notional)
        for market, mark in zip(calls.world.exchange.open_positions, calls.world.prices.mids, strict=True)
        for position in market.by_id.values()
    }
    shown = [row["positionId"] for row in result["positions"]]
    assert result["matched"] == len(nearness)
    assert len(shown) == len(set(shown)) == min(len(nearness), 50)
    assert [nearness[number] for number in shown] == sorted(nearness.values())[:50]
    assert [row["distancePercent"] for row in result["positions"]] == [
        percent(nearness[number][0]) for number in shown
    ]
    for closest in result["positions"][:1]:
        own = calls.call(WALLET, {"wallet": closest["wallet"]})
        assert {**own["positions"][0], "rank": 1} == closest
        assert own["closest"]["positionId"] == closest["positionId"]


def _check_few(calls: SimulatedCalls) -> None:
    """The few largest wallets cover as much of each market as they hold of the book."""
    result = calls.call(CLOSEST, {"limit": 50, "wallets": FEW})
    accounts = calls.world.exchange.ledger.accounts.values()
    largest = {each.address for each in sorted(accounts, key=attrgetter("open_notional"))[-FEW:]}
    for market, coverage in zip(
        calls.world.exchange.open_positions, result["coverage"].values(), strict=True
    ):
        held = [each.notional for each in market.by_id.values() if each.wallet in largest]
        whole = sum(position.notional for position in market.by_id.values())
        assert coverage["positions"] == len(held)
        assert coverage["trackedNotionalUsd"] == usd(sum(held))
        assert coverage["protocolNotionalUsd"] == pytest.approx(usd(whole))
        assert coverage["fraction"] == (pytest.approx(sum(held) / whole, abs=1e-6) if whole else None)
    assert result["matched"] == sum(coverage["positions"] for coverage in result["coverage"].values())
