"""Maps and clusters of whatever market: their sums agree, they fit their schemas, and they stay small."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st

from mcp_liquidations.tools import (
    get_bust_cluster_summary,
    get_bust_map,
    get_protocol_liquidation_map,
)
from papertrade_site.figures.wire import SYMBOLS
from papertrade_site.market.instrument import Side
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream import hyperliquid
from tests.filled_venue import FilledVenue
from tests.mcp_liquidations.books import map_of, venue_of
from tests.mcp_liquidations.maps import check_rows, check_sums, micro
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.tool_calls import DEFAULT_BYTES, MOST_BYTES, size_of
from tests.venue_bodies import FROZEN, book, position_row

CLUSTERS: Final = get_bust_cluster_summary.TOOL
BUST_MAP: Final = get_bust_map.TOOL
PROTOCOL_MAP: Final = get_protocol_liquidation_map.TOOL


LARGEST: Final = 10_000_000
"""Dollars of the largest position that the exchange takes; a double holds sums of many to the millionth."""


@pytest.mark.slow
def test_answers_stay_small_however_full_the_book() -> None:
    finest = {"bucketUsd": 0.03, "maxBuckets": 200, "cascadePercent": 25}
    with simulated_calls(traders=2_500) as calls:
        for market in ({"market": symbol} for symbol in SYMBOLS):
            assert _size(calls, BUST_MAP, market) <= DEFAULT_BYTES
            assert _size(calls, PROTOCOL_MAP, market) <= DEFAULT_BYTES
            assert 2 * DEFAULT_BYTES < _size(calls, BUST_MAP, market | finest) <= MOST_BYTES
            assert 2 * DEFAULT_BYTES < _size(calls, PROTOCOL_MAP, market | {"bucketUsd": 0.5}) <= MOST_BYTES
        assert _size(calls, CLUSTERS, {}) <= DEFAULT_BYTES
        assert _size(calls, CLUSTERS, {"clusters": 10}) <= MOST_BYTES


def _size(calls: SimulatedCalls, tool: Tool[Any], arguments: dict[str, Any]) -> int:
    return size_of(calls.call(tool, arguments))


@pytest.mark.parametrize(("symbol", "bucket_usd"), [("BTC", 25), ("ETH", 1)])
def test_a_move_of_the_whole_market_is_summed_up_as_the_pages_tell(symbol: str, bucket_usd: int) -> None:
    with simulated_calls(traders=500) as calls:
        result = calls.call(PROTOCOL_MAP, {"market": symbol, "bucketUsd": bucket_usd})
        (held,) = [each for each in calls.world.exchange.open_positions if each.instrument.symbol == symbol]
        positions = [
            (position.side, Fraction(position.bust, held.instrument.price_scale), position.notional)
            for position in held.by_id.values()
        ]
    assert result["source"] == "papertrade"
    mark, width = Fraction(str(result["markPriceUsd"])), Fraction(str(result["bucketUsd"]))
    for side, towards in ((Side.LONG, -1), (Side.SHORT, 1)):
        rows = [row for row in result["buckets"] if row["side"] == side]
        assert max(row["distancePercent"] for row in rows) > 1  # they reach as far as the move
        told = sum(row["notionalUsd"] for row in rows if 0 <= row["distancePercent"] <= 1)
        target = mark * (1 + Fraction(towards, 100))
        nearest, furthest = mark // width, target // width
        touched = sum(
            notional
            for of, bust, notional in positions
            if of is side and 0 <= towards * (bust // width - nearest) <= towards * (furthest - nearest)
        )
        busting = sum(
            notional for of, bust, notional in positions if of is side and towards * (bust - target) <= 0
        )
        assert told == pytest.approx(touched / WAD, rel=1e-9)
        assert told >= busting / WAD > 0


@st.composite
def _positions(draw: st.DrawFn, mark: int) -> list[Any]:
    """A BTC position that busts anywhere, often just at the mark or at nothing."""
    is_long, leverage = draw(st.booleans()), draw(st.integers(1, 1000))
    least = 0 if is_long and leverage == 1 else 1
    near = st.sampled_from([least, 1, max(mark - 1, 1), mark, mark + 1])
    bust = draw(st.one_of(near, st.integers(least, 2 * mark + 10)))
    entry = st.integers(max(bust, 1), 2 * mark + 10) if is_long else st.integers(1, bust)
    return position_row(
        draw(st.integers(1, 10**9)),
        is_long=is_long,
        leverage=leverage,
        bust=str(bust),
        entry=str(draw(entry)),
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
    check_sums(mapped)
    check_rows(mapped)
    assert len(mapped["buckets"]) <= rows
    published = venue.call(PROTOCOL_MAP, sized)
    check_sums(published)
    check_rows(published)
    (clusters,) = venue.call(CLUSTERS, {"market": "BTC", "clusters": 10})["markets"]
    for name, side in (("below", "long"), ("above", "short")):
        whole = micro(mapped["totals"][f"{side}NotionalUsd"])
        assert sum(micro(cluster["notionalUsd"]) for cluster in clusters[name]) <= whole + 10
        assert sum(cluster["shareOfSide"] for cluster in clusters[name]) <= 1 + 1e-5
