"""``get_closest_to_bust``: order, filters, counts, fee and size."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_liquidations.tools.get_closest_to_bust import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.upstream import hyperliquid
from tests.filled_venue import FilledVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, MOST_BYTES, size_of
from tests.venue_bodies import address, book, position_row

ROUND_MARK = ("100000", "100000")
"""Bid and ask that make a raw unit of price a millionth of the mark."""


def _venue(*wallets: list[Any]) -> FilledVenue:
    venue = FilledVenue()
    venue.put_tracked(*wallets)
    venue.put(hyperliquid.book("BTC"), book("BTC", *ROUND_MARK))
    return venue


def _long(number: int, bust: int, **changed: Any) -> list[Any]:  # noqa: ANN401
    return position_row(number, bust=str(bust), **{"entry": "1000000", **changed})


def _short(number: int, bust: int, **changed: Any) -> list[Any]:  # noqa: ANN401
    return _long(number, bust, is_long=False, **changed)


def _ids(venue: FilledVenue, **arguments: Any) -> list[str]:  # noqa: ANN401
    return [row["positionId"] for row in venue.call(TOOL, arguments)["positions"]]


class TestOrder:
    @pytest.mark.requirement("closest:ranked")
    def test_an_answer_in_full(self) -> None:
        venue = FilledVenue()
        venue.put_tracked([position_row(1, bust="822740")], [position_row(2, is_long=False, bust="830800")])
        result, summary = venue.answer(TOOL, {"market": "BTC"})
        assert result["markets"] == {"BTC": {"markPriceUsd": 83065.5}}
        assert result["matched"] == 2
        assert result["positions"][0] == {
            "positionId": "2",
            "wallet": address(2),
            "market": "BTC",
            "side": "short",
            "marginUsd": 100,
            "leverage": 100,
            "notionalUsd": 10_000,
            "entryPriceUsd": 83065.5,
            "markPriceUsd": 83065.5,
            "bustPriceUsd": 83080,
            "distancePercent": 0.017456,
            "distanceUsd": 14.5,
            "danger": "critical",
            "riskPercent": 0,
            "unrealizedPnlUsd": 0,
            "openedAt": "2026-11-30T11:59:00Z",
            "rank": 1,
        }
        assert [row["rank"] for row in result["positions"]] == [1, 2]
        assert summary == (
            "Nearest to bust of 2 matching: a 100x BTC short of $10,000 notional in wallet "
            f"{address(2)}, bust price $83,080, mark $83,065.5, distance 0.0175 % ($14.5), danger critical. "
            "The 2 largest wallets hold 0.0006 % of BTC notional. Simulated data."
        )

    def test_the_nearest_comes_first_whichever_wallet_side_or_market_it_is_of(self) -> None:
        eth = position_row(4, market=1, entry="251215", bust="251214")
        venue = _venue([_long(1, 990_000), _short(2, 1_000_100)], [_long(3, 999_000), eth])
        assert _ids(venue) == ["4", "2", "3", "1"]

    def test_of_two_equally_near_the_larger_comes_first(self) -> None:
        larger = str(101 * WAD)
        assert _ids(_venue([_long(1, 990_000)], [_short(2, 1_010_000, margin=larger)])) == ["2", "1"]

    def test_a_crossed_position_comes_before_all_others(self) -> None:
        result = _venue([_long(1, 999_999), _long(2, 1_000_001, entry="1010000")]).call(TOOL, {})
        assert [row["positionId"] for row in result["positions"]] == ["2", "1"]
        assert [row["danger"] for row in result["positions"]] == ["busted", "critical"]

    def test_a_tick_decides_even_where_the_rounded_distance_is_the_same(self) -> None:
        venue = _venue([position_row(1, market=1, bust="1"), position_row(2, market=1, bust="2")])
        venue.put_market(1, at3="1000000000")
        venue.put(hyperliquid.book("ETH"), book("ETH", *ROUND_MARK))
        rows = venue.call(TOOL, {"market": "ETH"})["positions"]
        assert [row["positionId"] for row in rows] == ["2", "1"]
        assert rows[0]["distancePercent"] == rows[1]["distancePercent"]


class TestFilters:
    @pytest.fixture
    def venue(self) -> FilledVenue:
        eth = position_row(4, market=1, entry="251215", bust="251000")
        return _venue([_long(1, 999_000), _short(2, 1_002_000)], [_long(3, 997_000), eth])

    @pytest.mark.requirement("closest:filters")
    @pytest.mark.parametrize(
        ("arguments", "ids"),
        [
            ({}, ["4", "1", "2", "3"]),
            ({"market": "all", "side": "both"}, ["4", "1", "2", "3"]),
            ({"market": "BTC"}, ["1", "2", "3"]),
            ({"market": "eth"}, ["4"]),
            ({"side": "long"}, ["4", "1", "3"]),
            ({"side": "short"}, ["2"]),
            ({"maxDistancePercent": 0.1}, ["4", "1"]),
            ({"maxDistancePercent": 0.2, "market": "BTC"}, ["1", "2"]),
            ({"maxDistancePercent": 0.2, "market": "BTC", "side": "short"}, ["2"]),
            ({"maxDistancePercent": 0.0001}, []),
        ],
    )
    def test_market_side_and_distance_narrow_it(
        self, venue: FilledVenue, arguments: dict[str, Any], ids: list[str]
    ) -> None:
        result = venue.call(TOOL, arguments)
        assert [row["positionId"] for row in result["positions"]] == ids
        assert result["matched"] == len(ids)

    @pytest.mark.parametrize(
        ("bust", "is_within"), [(999_001, True), (999_000, True), (998_999, False), (1_000_500, True)]
    )
    def test_the_maximum_itself_is_within_and_so_is_what_has_crossed(
        self, bust: int, is_within: bool
    ) -> None:
        assert len(_ids(_venue([_long(1, bust, entry="1010000")]), maxDistancePercent=0.1)) == is_within

    def test_the_maximum_is_compared_as_it_was_written(self) -> None:
        venue = _venue([_long(1, 997_000)])
        assert _ids(venue, maxDistancePercent=0.3) == ["1"]
        assert _ids(venue, maxDistancePercent="0.3000") == ["1"]
        assert _ids(venue, maxDistancePercent=0.2999999999) == []

    @pytest.mark.parametrize("shown", [1, 2, 50])
    def test_the_limit_cuts_what_is_shown_and_not_what_is_counted(
        self, venue: FilledVenue, shown: int
    ) -> None:
        result = venue.call(TOOL, {"limit": shown})
        assert len(result["positions"]) == min(shown, 4)
        assert result["matched"] == 4

    def test_ten_are_shown_unless_more_are_asked_for(self) -> None:
        venue = _venue([_long(number, 990_000 + number) for number in range(20)])
        assert len(_ids(venue)) == 10
        assert len(_ids(venue, limit=11)) == 11

    def test_the_coverage_counts_positions_that_the_filters_hide(self, venue: FilledVenue) -> None:
        coverage = venue.call(TOOL, {"side": "short", "market": "BTC"})["coverage"]
        assert list(coverage) == ["BTC"]
        assert coverage["BTC"]["positions"] == 3

    def test_when_nothing_matches_the_sentence_says_so_and_how_much_was_looked_at(
        self, venue: FilledVenue
    ) -> None:
        _, summary = venue.answer(TOOL, {"maxDistancePercent": 0.0001})
        assert summary.startswith("No tracked position matches. The 2 largest wallets hold ")


class TestFee:
    def test_a_win_is_shown_after_the_chains_fee_and_after_the_exchanges_when_the_chain_is_away(self) -> None:
        venue = FilledVenue()
        venue.put_tracked([position_row(1)])
        venue.put(hyperliquid.book("BTC"), book("BTC", "83896.1", "83896.1"))
        assert venue.call(TOOL, {})["positions"][0]["unrealizedPnlUsd"] == 86.384648
        venue.put_trading(winFeeRateRaw="0")
        venue.fail("hyperevm.paper")
        assert venue.call(TOOL, {})["positions"][0]["unrealizedPnlUsd"] == 88.147600


class TestSize:
    def test_a_default_answer_stays_below_10_kb_and_the_largest_below_60_kb(self) -> None:
        longest = {"margin": str(10**13 * WAD + 123456), "leverage": 1000}
        wallets = (
            [_long(100 * at + place, 990_000 + place, **longest) for place in range(9)] for at in range(44)
        )
        venue = _venue(*wallets)
        assert size_of(venue.call(TOOL, {})) <= DEFAULT_BYTES
        worst = venue.call(TOOL, {"limit": 50})
        assert (len(worst["positions"]), worst["matched"]) == (50, 396)
        assert size_of(worst) <= MOST_BYTES


@st.composite
def _rows(draw: st.DrawFn) -> list[Any]:
    is_long = draw(st.booleans())
    entry = draw(st.integers(700_000, 1_300_000))
    away = draw(st.integers(1, 200_000))
    return position_row(
        draw(st.integers(1, 10**9)),
        market=draw(st.integers(0, 1)),
        is_long=is_long,
        entry=str(entry),
        bust=str(entry - away if is_long else entry + away),
        margin=str(draw(st.integers(WAD, 10**6 * WAD))),
        leverage=draw(st.integers(1, 1000)),
    )


@settings(deadline=None, max_examples=60)
@given(
    wallets=st.lists(st.lists(_rows(), max_size=5, unique_by=lambda row: row[0]), max_size=5),
    limit=st.integers(1, 50),
    side=st.sampled_from(["long", "short", "both"]),
    furthest=st.none() | st.decimals(min_value="0.0001", max_value=100, places=4),
)
def test_whatever_wallets_hold_what_is_shown_is_nearest_first_and_counted(
    wallets: list[list[Any]], limit: int, side: str, furthest: Decimal | None
) -> None:
    sent: dict[str, object] = {"limit": limit, "side": side}
    if furthest is not None:
        sent["maxDistancePercent"] = float(furthest)
    result = _venue(*wallets).call(TOOL, sent)
    rows = result["positions"]
    assert len(rows) == min(limit, result["matched"])
    assert result["matched"] <= sum(len(positions) for positions in wallets)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(nearer["distancePercent"] <= other["distancePercent"] for nearer, other in pairwise(rows))
    assert side == "both" or {row["side"] for row in rows} <= {side}


class TestEmbeddedExchange:
    def test_asking_again_and_otherwise_asks_no_source(self) -> None:
        with simulated_calls() as calls:
            calls.call(TOOL, {})
            asked = calls.requests
            for arguments in ({"limit": 50}, {"market": "ETH"}, {"wallets": 10}, {"side": "long"}):
                calls.call(TOOL, arguments)
            assert calls.requests == asked
