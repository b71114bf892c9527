"""What a trader would check: the tools agree with each other and with the book that they are made of."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st

from mcp_liquidations.tools import (
    get_bust_cluster_summary,
    get_bust_map,
    get_closest_to_bust,
    get_protocol_liquidation_map,
    get_wallet_distance_to_bust,
)
from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD, usd
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream import hyperliquid
from tests.filled_venue import FilledVenue
from tests.mcp_liquidations.books import FROZEN, map_of, venue_of
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.venue_bodies import book, position_row

CLOSEST: Final = get_closest_to_bust.TOOL
CLUSTERS: Final = get_bust_cluster_summary.TOOL
BUST_MAP: Final = get_bust_map.TOOL
PROTOCOL_MAP: Final = get_protocol_liquidation_map.TOOL
WALLET: Final = get_wallet_distance_to_bust.TOOL

SEEDS: Final = 200
BLOCK: Final = 50
TRADERS: Final = 12
"""So few that the tracked wallets hold all there is."""

MARKETS: Final = {"BTC": 0, "ETH": 1}
BUCKET_TICKS: Final = {"BTC": 1000, "ETH": 500}
"""The default bucket in raw price units."""

PERCENTS: Final = ("0", "0.5", "2", "25")

KIB: Final = 1024

LARGEST: Final = 10_000_000
"""Dollars of the largest position that the exchange takes; a double holds sums of many to the millionth."""

Result = dict[str, Any]
Row = tuple[object, ...]


def _micro(dollars: float) -> int:
    """Dollars as whole millionths, which results are exact to."""
    return round(dollars * 10**6)


def _common(result: Result) -> list[Row]:
    """The rows of a map without what only one of the two has."""
    names = ("lowUsd", "highUsd", "side", "notionalUsd", "positions", "distancePercent")
    return [tuple(row[name] for name in names) for row in result["buckets"]]


def _check_sums(result: Result) -> None:
    """Rows and what is left out add up to the totals, and these to what is tracked."""
    totals, omitted = result["totals"], result["omitted"]
    whole = _micro(totals["longNotionalUsd"]) + _micro(totals["shortNotionalUsd"])
    shown = sum(_micro(row["notionalUsd"]) for row in result["buckets"])
    assert abs(shown + _micro(omitted["notionalUsd"]) - whole) <= len(result["buckets"]) + 2
    if result["coverage"] is not None:
        assert abs(whole - _micro(result["coverage"]["trackedNotionalUsd"])) <= 2
        assert totals["longPositions"] + totals["shortPositions"] == result["coverage"]["positions"]


def _check_rows(result: Result) -> None:
    """Rows are sorted, apart, on the grid, on their side of the mark, and summed outward."""
    rows, mark = result["buckets"], result["markPriceUsd"]
    keys = [(row["lowUsd"], row["side"]) for row in rows]
    assert keys == sorted(set(keys))
    for row in rows:
        is_above, is_inside = row["lowUsd"] > mark, row["lowUsd"] <= mark < row["highUsd"]
        is_ahead = is_above == (row["side"] == "short")
        distance = row["distancePercent"]
        assert distance == 0 if is_inside else distance >= 0 if is_ahead else distance <= 0
    for side in Side:
        outward = [row for row in rows if row["side"] == side]
        outward = outward[::-1] if side is Side.LONG else outward
        assert all(one["distancePercent"] <= other["distancePercent"] for one, other in pairwise(outward))
        for nearer, further in pairwise(row for row in outward if "cumulativeNotionalUsd" in row):
            gained = _micro(further["cumulativeNotionalUsd"]) - _micro(nearer["cumulativeNotionalUsd"])
            assert abs(gained - _micro(further["notionalUsd"])) <= 2


def _check_growth(cascades: list[Result]) -> None:
    """The first move is none and busts nothing; a larger one never busts less."""
    assert all(
        cascades[0][way]["notionalUsd"] == cascades[0][way]["positions"] == 0 for way in ("down", "up")
    )
    for smaller, larger in pairwise(cascades):
        for way in ("down", "up"):
            for figure in ("notionalUsd", "positions", "buckets"):
                assert smaller[way][figure] <= larger[way][figure]


def _fall(positions: list[Position], *, mark: int, ticks: int, percent: str) -> tuple[int, int]:
    """What a fall busts, straight from the book: exactly, and by whole buckets."""
    target = mark * (1 - Fraction(Decimal(percent)) / 100)
    longs = [
        position
        for position in positions
        if position.side is Side.LONG and not is_crossed(Side.LONG, mark=mark, bust=position.bust)
    ]
    furthest = ceil(target / ticks) - 1
    exact = sum(position.notional for position in longs if position.bust >= target)
    by_buckets = sum(position.notional for position in longs if floor(position.bust / ticks) >= furthest)
    return (exact, by_buckets) if percent != "0" else (0, 0)


def _check_market(calls: SimulatedCalls, symbol: str) -> None:
    maps = [calls.call(BUST_MAP, {"market": symbol, "cascadePercent": percent}) for percent in PERCENTS]
    tracked = maps[0]
    assert tracked["omitted"]["buckets"] == 0
    _check_sums(tracked)
    _check_rows(tracked)
    cascades = [each["cascade"] for each in maps]
    _check_growth(cascades)

    positions = list(calls.world.exchange.open_positions[MARKETS[symbol]].by_id.values())
    mark = calls.world.prices.mids[MARKETS[symbol]]
    assert tracked["coverage"]["fraction"] == (1 if positions else None)
    for percent, cascade in zip(PERCENTS, cascades, strict=True):
        exact, by_buckets = _fall(positions, mark=mark, ticks=BUCKET_TICKS[symbol], percent=percent)
        assert cascade["down"]["notionalUsd"] == usd(by_buckets) >= usd(exact)
    _check_protocol_map(calls, symbol)
    _check_clusters(calls, symbol, tracked)


def _check_protocol_map(calls: SimulatedCalls, symbol: str) -> None:
    """The exchange's map in wider buckets is the tracked map made of such buckets from the start."""
    own = calls.call(PROTOCOL_MAP, {"market": symbol})
    _check_sums(own)
    _check_rows(own)
    size = own["upstreamBucketUsd"]
    fine, wide = (_agreed_map(calls, symbol, bucket_usd=size * multiple) for multiple in (1, 3))
    regrouped: Counter[tuple[float, str]] = Counter()
    for row in fine["buckets"]:
        regrouped[row["lowUsd"] // (3 * size) * 3 * size, row["side"]] += _micro(row["notionalUsd"])
    assert regrouped == {(row["lowUsd"], row["side"]): _micro(row["notionalUsd"]) for row in wide["buckets"]}


def _agreed_map(calls: SimulatedCalls, symbol: str, *, bucket_usd: float) -> Result:
    published = calls.call(PROTOCOL_MAP, {"market": symbol, "bucketUsd": bucket_usd})
    tracked = calls.call(BUST_MAP, {"market": symbol, "bucketUsd": bucket_usd, "maxBuckets": 200})
    assert published["source"] == "papertrade"
    assert _common(published) == _common(tracked)
    assert published["totals"] == tracked["totals"]
    return published


def _check_clusters(calls: SimulatedCalls, symbol: str, tracked: Result) -> None:
    """Clusters are made of the map's rows, and hold no more than their side."""
    (found,) = calls.call(CLUSTERS, {"market": symbol, "clusters": 10})["markets"]
    for name, side in (("below", "long"), ("above", "short")):
        clusters = found[name]
        whole = _micro(tracked["totals"][f"{side}NotionalUsd"])
        assert sum(_micro(cluster["notionalUsd"]) for cluster in clusters) <= whole
        for cluster in clusters:
            rows = [
                row
                for row in tracked["buckets"]
                if row["side"] == side and cluster["lowUsd"] <= row["lowUsd"] < cluster["highUsd"]
            ]
            assert _micro(cluster["notionalUsd"]) == sum(_micro(row["notionalUsd"]) for row in rows)
            assert cluster["positions"] == sum(row["positions"] for row in rows)
            assert cluster["distancePercent"] == min(row["distancePercent"] for row in rows)


def _check_closest(calls: SimulatedCalls) -> None:
    """The position nearest to its bust price is the first of its own wallet's."""
    closest = calls.call(CLOSEST, {"limit": 1})["positions"]
    for row in closest:
        own = calls.call(WALLET, {"wallet": row["wallet"]})
        assert own["positions"][0]["positionId"] == row["positionId"]
        assert own["closest"]["distancePercent"] == row["distancePercent"]


@pytest.mark.slow
@pytest.mark.requirement("bust-map:buckets", "bust-map:cascade", "protocol-map:regrouped", "clusters:largest")
@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
def test_over_200_seeds_the_tools_agree_with_each_other_and_with_the_book(first: int) -> None:
    for seed in range(first, first + BLOCK):
        with simulated_calls(seed=seed, traders=TRADERS) as calls:
            for symbol in MARKETS:
                _check_market(calls, symbol)
            _check_closest(calls)


@pytest.mark.slow
def test_answers_stay_small_however_full_the_book() -> None:
    finest = {"bucketUsd": 0.03, "maxBuckets": 200, "cascadePercent": 25}
    with simulated_calls(traders=2_500) as calls:
        for symbol in MARKETS:
            assert _size(calls, BUST_MAP, {"market": symbol}) <= 10 * KIB
            assert _size(calls, PROTOCOL_MAP, {"market": symbol}) <= 10 * KIB
            assert 20 * KIB < _size(calls, BUST_MAP, {"market": symbol, **finest}) <= 60 * KIB
            assert 20 * KIB < _size(calls, PROTOCOL_MAP, {"market": symbol, "bucketUsd": 0.5}) <= 60 * KIB
        assert _size(calls, CLUSTERS, {}) <= 10 * KIB
        assert _size(calls, CLUSTERS, {"clusters": 10}) <= 60 * KIB


def _size(calls: SimulatedCalls, tool: Tool[Any], arguments: dict[str, Any]) -> int:
    return len(json.dumps(calls.call(tool, arguments), separators=(",", ":")))


@st.composite
def _positions(draw: st.DrawFn, mark: int) -> list[Any]:
    """A BTC position that busts anywhere, often just at the mark or at nothing."""
    is_long, leverage = draw(st.booleans()), draw(st.integers(1, 1000))
    least = 0 if is_long and leverage == 1 else 1
    near = st.sampled_from([least, 1, max(mark - 1, 1), mark, mark + 1])
    return position_row(
        draw(st.integers(1, 10**9)),
        is_long=is_long,
        leverage=leverage,
        bust=str(draw(st.one_of(near, st.integers(least, 2 * mark + 10)))),
        entry=str(draw(st.integers(1, 2 * mark + 10))),
        margin=str(draw(st.integers(1, LARGEST * WAD)) // leverage + 1),
    )


@st.composite
def _map_documents(draw: st.DrawFn, mark: int) -> Any:  # noqa: ANN401
    """What may stand at the address of the exchange's map."""
    ticks = draw(st.integers(1, 5000))
    indexes = draw(st.lists(st.integers(0, 2 * mark // ticks + 2), unique=True, max_size=8))
    amounts, counts = st.integers(0, LARGEST * WAD).map(str), st.integers(0, 10**6)
    buckets = [
        {
            "price": str(index * ticks),
            "longNotional": draw(amounts),
            "shortNotional": draw(amounts),
            **({"longCount": draw(counts), "shortCount": draw(counts)} if draw(st.booleans()) else {}),
        }
        for index in indexes
    ]
    stated = draw(st.sampled_from([{"bucketSize": str(ticks)}, {}]))
    return draw(st.sampled_from([{**stated, "buckets": buckets}, buckets, {"unknown": buckets}]))


@st.composite
def _markets(draw: st.DrawFn) -> FilledVenue:
    """A BTC market in any state, with a few tracked wallets and a map of its own."""
    mark = draw(st.integers(1, 2_000_000))
    wallets = draw(
        st.lists(st.lists(_positions(mark), max_size=6, unique_by=lambda row: row[0]), min_size=1, max_size=3)
    )
    house = draw(st.sampled_from([(0, 0), (0.5, 0), (10**6, 10**5), (1e15, 1e15)]))
    venue = venue_of(*wallets, house=house)
    if draw(st.booleans()):
        venue.put_market(0, **FROZEN | {"at9": str(mark), "at10": str(mark)})
    venue.put(hyperliquid.book("BTC"), book("BTC", f"{mark / 10:.1f}", f"{mark / 10:.1f}"))
    venue.put(map_of("BTC"), draw(_map_documents(mark)))
    return venue


SIZES: Final = st.sampled_from([None, 0.01, 0.07, 1, 3.3333333, 25, 100, 10_000])


@settings(deadline=None, max_examples=150)
@given(venue=_markets(), bucket_usd=SIZES, percent=st.floats(0, 25), rows=st.integers(1, 20))
def test_in_any_market_results_fit_their_schemas_and_the_sums_agree(
    venue: FilledVenue, bucket_usd: float | None, percent: float, rows: int
) -> None:
    sized = {} if bucket_usd is None else {"bucketUsd": bucket_usd}
    mapped = venue.call(BUST_MAP, {"market": "BTC", "cascadePercent": percent, "maxBuckets": rows, **sized})
    _check_sums(mapped)
    _check_rows(mapped)
    assert len(mapped["buckets"]) <= rows
    published = venue.call(PROTOCOL_MAP, sized)
    _check_sums(published)
    _check_rows(published)
    (clusters,) = venue.call(CLUSTERS, {"market": "BTC", "clusters": 10})["markets"]
    for name, side in (("below", "long"), ("above", "short")):
        whole = _micro(mapped["totals"][f"{side}NotionalUsd"])
        assert sum(_micro(cluster["notionalUsd"]) for cluster in clusters[name]) <= whole + 10
        assert sum(cluster["shareOfSide"] for cluster in clusters[name]) <= 1 + 1e-5
