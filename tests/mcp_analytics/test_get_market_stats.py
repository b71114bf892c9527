"""``get_market_stats``: its figures, what it does when a part is missing, and every state of a market."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.tools.get_market_stats import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import hyperliquid
from tests.filled_venue import NAMED, FilledVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, MOST_BYTES, notes, size_of
from tests.venue_bodies import FROZEN, body, book


@pytest.fixture
def venue() -> FilledVenue:
    return FilledVenue()


def _btc(venue: FilledVenue, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    (row,) = venue.call(TOOL, {"symbol": "BTC", **arguments})["markets"]
    assert isinstance(row, dict)
    return row


class TestFigures:
    @pytest.mark.requirement("market-stats:figures", "market-stats:example")
    def test_one_market_in_full(self, venue: FilledVenue) -> None:
        assert _btc(venue) == {
            "market": "BTC",
            "markPriceUsd": 83065.5,
            "midPriceUsd": 83065.5,
            "change24hPercent": 103731.875,
            "change7dPercent": 82965.5,
            "volume24hUsd": 217785554681.2,
            "openLongUsd": 1_960_000_000,
            "openShortUsd": 1504302261.49,
            "maxLeverage": 1000,
            "minMarginUsd": 10,
            "minNotionalUsd": 1000,
            "maxPositionUsd": 10_000_000,
            "status": {"paused": False, "closeOnly": False, "openable": True, "terminal": False},
            "impact": {
                "rateMultiplier": 15_000,
                "positionMultiplier": 814.598,
                "baseRate": 0.1,
                "referenceNotionalUsd": 100_000,
                "deadbandBps": 0.2,
                "bustBufferBps": 4.760416,
                "winFeePercent": 2,
            },
            "example": {
                "marginUsd": 100,
                "leverage": 500,
                "movePercent": 0.1,
                "grossUsd": 50,
                "netUsd": 36.215276,
                "keptFraction": 0.724306,
            },
        }

    @pytest.mark.requirement("market-stats:example")
    def test_the_eth_example_keeps_33_762158(self, venue: FilledVenue) -> None:
        (row,) = venue.call(TOOL, {"symbol": "ETH"})["markets"]
        assert row["midPriceUsd"] == 2512.15
        assert row["example"]["netUsd"] == 33.762158
        assert (row["openLongUsd"], row["openShortUsd"]) == (2_015_000_000, 1_730_000_000)

    @pytest.mark.requirement("market-stats:all")
    def test_both_markets_come_without_a_symbol(self, venue: FilledVenue) -> None:
        assert [row["market"] for row in venue.call(TOOL, {})["markets"]] == ["BTC", "ETH"]
        assert [row["market"] for row in venue.call(TOOL, {"symbol": None})["markets"]] == ["BTC", "ETH"]

    def test_the_sentence_names_price_change_volume_and_what_is_open(self, venue: FilledVenue) -> None:
        assert venue.answer(TOOL, {"symbol": "BTC"})[1] == (
            "BTC last price $83,065.5, +103,732 % in 24 h, +82,966 % in 7 d, volume $217,785,554,681 in 24 "
            "h, open notional $1,960,000,000 long and $1,504,302,261 short. Simulated data."
        )

    @pytest.mark.requirement("market-stats:mark")
    def test_the_last_close_and_the_midpoint_stand_side_by_side(self, venue: FilledVenue) -> None:
        venue.put_closes("BTC", ["80000", "80001.5"])
        row = _btc(venue)
        assert (row["markPriceUsd"], row["midPriceUsd"]) == (80001.5, 83065.5)

    def test_a_change_without_a_candle_to_compare_with_is_null(self, venue: FilledVenue) -> None:
        venue.put_closes("BTC", ["80000"] * 25)
        row = _btc(venue)
        assert (row["change24hPercent"], row["change7dPercent"]) == (0, None)
        venue.put_closes("BTC", ["80000"] * 24)
        assert _btc(venue)["change24hPercent"] is None

    def test_a_fall_is_negative_and_rounded_to_six_decimals(self, venue: FilledVenue) -> None:
        venue.put_closes("BTC", ["90000"] + ["1"] * 23 + ["80000.5"])
        assert _btc(venue)["change24hPercent"] == -11.110556

    def test_no_position_limit_is_null(self, venue: FilledVenue) -> None:
        venue.put_market(0, at15="0")
        assert _btc(venue)["maxPositionUsd"] is None


class TestSparkline:
    @pytest.mark.requirement("market-stats:sparkline")
    def test_it_is_absent_unless_asked_for(self, venue: FilledVenue) -> None:
        assert "sparkline" not in _btc(venue)
        assert "sparkline" not in _btc(venue, include_sparkline=False)

    def test_its_last_point_is_no_newer_than_the_copy_that_it_comes_from(self) -> None:
        with simulated_calls() as calls:
            for _ in range(2):
                result = calls.call(TOOL, {"include_sparkline": True})
                (read,) = [
                    row["fetchedAt"]
                    for row in result["freshness"]["sources"]
                    if row["name"] == "hyperliquid.candles"
                ]
                assert [row["sparkline"][-1]["time"] for row in result["markets"]] == [read, read]
                calls.clock.advance(2)

    def test_it_is_stamped_at_each_hours_close_and_ends_when_it_was_read(self, venue: FilledVenue) -> None:
        venue.clock.advance(600)
        venue.put_closes("BTC", ["80000", "80001.5"])
        assert _btc(venue, include_sparkline=True)["sparkline"] == [
            {"time": "2026-11-30T12:00:00Z", "closeUsd": 80000},
            {"time": "2026-11-30T12:10:00Z", "closeUsd": 80001.5},
        ]

    @pytest.mark.requirement("market-stats:sparkline")
    def test_it_reaches_back_seven_days_for_both_markets_within_the_size_limit(
        self, venue: FilledVenue
    ) -> None:
        result = venue.call(TOOL, {"include_sparkline": True})
        assert [len(row["sparkline"]) for row in result["markets"]] == [169, 169]
        assert size_of(result) <= MOST_BYTES


class TestMissingParts:
    @pytest.mark.parametrize(
        ("source", "fields"),
        [
            ("hyperliquid.candles", ["markPriceUsd", "change24hPercent", "change7dPercent"]),
            ("hyperliquid.book", ["midPriceUsd"]),
            ("exchange.market_stats", ["volume24hUsd"]),
            ("exchange.house_history", ["openLongUsd", "openShortUsd"]),
        ],
    )
    def test_a_failed_source_leaves_its_figures_null_with_a_note_and_all_others_in_place(
        self, venue: FilledVenue, source: str, fields: list[str]
    ) -> None:
        whole = _btc(venue)
        venue.fail(source)
        result = venue.call(TOOL, {"symbol": "BTC"})
        assert result["markets"] == [{**whole, **dict.fromkeys(fields)}]
        assert result["freshness"]["degraded"] is True
        assert f"{source} cannot be reached now." in notes(result)[source]

    def test_the_example_falls_back_to_the_last_close(self, venue: FilledVenue) -> None:
        venue.fail("hyperliquid.book")
        assert _btc(venue)["example"]["netUsd"] == 36.215276

    def test_without_any_price_there_is_no_example(self, venue: FilledVenue) -> None:
        venue.fail("hyperliquid.book", "hyperliquid.candles")
        result, summary = venue.answer(TOOL, {"symbol": "BTC", "include_sparkline": True})
        (row,) = result["markets"]
        assert row["example"] is None
        assert "sparkline" not in row
        assert summary.startswith("BTC price unknown, volume")

    @pytest.mark.parametrize("close", ["0.01", "9" * 30])
    def test_a_price_that_the_contract_cannot_hold_gives_no_example(
        self, venue: FilledVenue, close: str
    ) -> None:
        venue.fail("hyperliquid.book")
        venue.put_closes("BTC", [close])
        assert _btc(venue)["example"] is None

    def test_a_market_without_a_row_of_volume_is_null_with_a_note(self, venue: FilledVenue) -> None:
        venue.put(NAMED["market_stats"], {"ok": True, "markets": {"1": {"volume_24h": "5"}}})
        result = venue.call(TOOL, {"symbol": "BTC"})
        assert result["markets"][0]["volume24hUsd"] is None
        assert "leaves out BTC" in notes(result)["exchange.market_stats"]

    def test_a_house_book_whose_newest_point_is_empty_is_null_with_a_note(self, venue: FilledVenue) -> None:
        house = body("house_history")
        house["columns"]["bs"][-1] = None
        venue.put(NAMED["house_history"], house)
        result = venue.call(TOOL, {})
        btc, eth = result["markets"]
        assert (btc["openLongUsd"], btc["openShortUsd"]) == (None, None)
        assert eth["openLongUsd"] == 2_015_000_000
        assert "what is open in BTC now" in notes(result)["exchange.house_history"]

    def test_a_house_book_without_points_is_null(self, venue: FilledVenue) -> None:
        house = body("house_history")
        house["timeOffsetsMs"] = []
        house["columns"] = {name: [] for name in house["columns"]}
        venue.put(NAMED["house_history"], house)
        assert _btc(venue)["openLongUsd"] is None

    def test_an_assumed_win_fee_is_noted(self, venue: FilledVenue) -> None:
        venue.put_trading(winFeeRateRaw=None)
        venue.fail("hyperevm.paper")
        result = venue.call(TOOL, {})
        assert result["markets"][0]["impact"]["winFeePercent"] == 2
        assert notes(result)["hyperevm.paper"].startswith("A win fee of 2 % is assumed.")

    def test_a_chain_that_does_not_say_the_fee_counts_as_one_that_failed(self, venue: FilledVenue) -> None:
        venue.put_trading(winFeeRateRaw=None)
        paper = [item for item in body("paper") if item["id"] != 0]
        venue.put(NAMED["paper"], paper)
        result = venue.call(TOOL, {})
        assert "holds no win fee" in notes(result)["hyperevm.paper"]
        assert result["markets"][0]["impact"]["winFeePercent"] == 2

    def test_without_the_trading_state_it_is_a_clear_error(self, venue: FilledVenue) -> None:
        venue.fail("exchange.trading")
        with pytest.raises(
            ToolError, match=r"^exchange\.trading cannot be reached now\. Try again in 7 s\.$"
        ):
            venue.call(TOOL, {})

    def test_all_else_may_fail_at_once(self, venue: FilledVenue) -> None:
        venue.fail(
            "hyperliquid.candles",
            "hyperliquid.book",
            "exchange.market_stats",
            "exchange.house_history",
            "hyperevm.paper",
        )
        assert [row["maxLeverage"] for row in venue.call(TOOL, {})["markets"]] == [1000, 1000]


class TestMarketStates:
    def test_a_terminal_market_has_its_frozen_midpoint_and_reads_no_price_from_its_book(
        self, venue: FilledVenue
    ) -> None:
        venue.put_market(0, **FROZEN)
        venue.fail("hyperliquid.book")
        result, summary = venue.answer(TOOL, {"symbol": "BTC"})
        (row,) = result["markets"]
        assert row["midPriceUsd"] == 82500.1
        assert row["status"] == {"paused": True, "closeOnly": True, "openable": False, "terminal": True}
        assert result["freshness"]["degraded"] is False
        assert "not open to new positions" in summary

    @pytest.mark.requirement("market-stats:status")
    def test_a_pause_of_the_whole_exchange_pauses_each_market(self, venue: FilledVenue) -> None:
        venue.put_trading(tradingPaused=True)
        for row in venue.call(TOOL, {})["markets"]:
            assert row["status"] == {
                "paused": True,
                "closeOnly": False,
                "openable": False,
                "terminal": False,
            }

    @pytest.mark.requirement("market-stats:status")
    def test_a_close_only_market_is_not_paused(self, venue: FilledVenue) -> None:
        venue.put_market(0, at8=True)
        assert _btc(venue)["status"] == {
            "paused": False,
            "closeOnly": True,
            "openable": False,
            "terminal": False,
        }

    def test_a_market_that_is_gone_is_said(self, venue: FilledVenue) -> None:
        venue.put_market(0, at1="SOL")
        with pytest.raises(ToolError, match="does not list BTC now; it lists SOL and ETH"):
            venue.call(TOOL, {"symbol": "BTC"})
        assert [row["market"] for row in venue.call(TOOL, {})["markets"]] == ["ETH"]

    def test_no_market_at_all_is_said(self, venue: FilledVenue) -> None:
        venue.put_trading(instruments=[])
        with pytest.raises(ToolError, match="does not list BTC or ETH now; it lists no market at all"):
            venue.call(TOOL, {})


def test_a_default_answer_is_at_most_10_kb(venue: FilledVenue) -> None:
    assert size_of(venue.call(TOOL, {})) <= DEFAULT_BYTES


@pytest.mark.requirement("result:output-schema")
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_whatever_the_markets_are_the_result_fits_its_schema(data: st.DataObject) -> None:
    venue = FilledVenue()
    amounts = st.integers(0, 10**26).map(str)
    for number, symbol in enumerate(("BTC", "ETH")):
        places = {f"at{place}": data.draw(amounts) for place in (12, 13, 15, 18)}
        places["at16"] = str(data.draw(st.integers(0, WAD - 1)))
        places["at17"] = str(data.draw(st.integers(0, WAD)))
        venue.put_market(number, **places, at14=data.draw(st.integers(1, 5000)))
        bid = data.draw(st.integers(1000, 200_000))
        venue.put(hyperliquid.book(symbol), book(symbol, f"{bid}", f"{bid}.5"))
        venue.put_closes(symbol, data.draw(st.lists(st.integers(1, 10**6).map(str), min_size=1, max_size=40)))
    parts = ["hyperliquid.candles", "hyperliquid.book", "exchange.market_stats", "exchange.house_history"]
    missing = data.draw(st.lists(st.sampled_from(parts), unique=True))
    venue.fail(*missing)
    result = venue.call(TOOL, {"include_sparkline": data.draw(st.booleans())})
    assert result["freshness"]["degraded"] is bool(missing)
    for row in result["markets"]:
        if row["example"] is not None and row["example"]["netUsd"] > 0:
            kept = row["example"]["netUsd"] / row["example"]["grossUsd"]
            assert row["example"]["keptFraction"] == pytest.approx(kept, abs=2e-6)


def test_over_the_embedded_exchange_the_figures_are_the_worlds_own() -> None:
    with simulated_calls() as calls:
        result = calls.call(TOOL, {"include_sparkline": True})
        assert calls.requests <= 8
        assert result["freshness"]["degraded"] is False
        assert result["dataSource"] == "simulated"
        mids = calls.world.prices.mids
        assert [row["midPriceUsd"] for row in result["markets"]] == [mids[0] / 10, mids[1] / 100]
        for row in result["markets"]:
            assert row["volume24hUsd"] > 0
            assert row["openLongUsd"] > 0
            change = row["markPriceUsd"] / row["sparkline"][0]["closeUsd"] - 1
            assert row["change7dPercent"] == pytest.approx(change * 100, abs=1e-5)
