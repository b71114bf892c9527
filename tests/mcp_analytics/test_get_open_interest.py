"""``get_open_interest``: both sides of each market, the caps, the past, and what is missing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.tools.get_open_interest import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange
from tests.histories import AS_OF_MS, Column, house
from tests.mcp_analytics.told import ToldVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, MOST_BYTES, notes, size_of

BOOK: dict[str, Any] = {"bl": [9, 1300.5], "bs": [9, 1000], "el": [9, 250], "es": [9, 750]}
LONG_OI, SHORT_OI, LONG_CAP, SHORT_CAP = "at19", "at20", "at21", "at22"


@pytest.fixture
def venue() -> ToldVenue:
    """BTC is 1 of 4 coins full on the long side and 1 of 2 on the short one; ETH has no cap on shorts."""
    venue = ToldVenue()
    venue.put_house(Interval.HOUR, **BOOK)
    coins = {name: str(count * WAD) for name, count in ((LONG_OI, 1), (SHORT_OI, 1), (LONG_CAP, 4))}
    venue.put_market(0, **coins, **{SHORT_CAP: str(2 * WAD)})
    venue.put_market(1, **coins, **{SHORT_CAP: str(2**128 - 1)})
    return venue


def _rows(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["market"]: row for row in result["markets"]}


class TestFigures:
    @pytest.mark.requirement("open-interest:skew", "open-interest:caps")
    def test_both_markets_in_full(self, venue: ToldVenue) -> None:
        result = venue.call(TOOL, {})
        assert result["totals"] == {
            "longUsd": 1550.5,
            "shortUsd": 1750,
            "netUsd": -199.5,
            "longShare": 0.469777,
        }
        assert result["markets"] == [
            {
                "market": "BTC",
                "longUsd": 1300.5,
                "shortUsd": 1000,
                "longShare": 0.565312,
                "capTracked": {"longUsd": 83065.5, "shortUsd": 83065.5, "longCoins": 1, "shortCoins": 1},
                "caps": {
                    "longUsd": 332262,
                    "shortUsd": 166131,
                    "longFillPercent": 25,
                    "shortFillPercent": 50,
                },
            },
            {
                "market": "ETH",
                "longUsd": 250,
                "shortUsd": 750,
                "longShare": 0.25,
                "capTracked": {"longUsd": 2512.15, "shortUsd": 2512.15, "longCoins": 1, "shortCoins": 1},
                "caps": {
                    "longUsd": 10048.6,
                    "shortUsd": None,
                    "longFillPercent": 25,
                    "shortFillPercent": None,
                },
            },
        ]
        assert result["history"] is None
        assert result["freshness"]["degraded"] is False

    @pytest.mark.requirement("open-interest:prompt")
    def test_the_sentence_answers_how_skewed_the_book_is_and_how_full_the_caps(
        self, venue: ToldVenue
    ) -> None:
        assert venue.answer(TOOL, {})[1] == (
            "BTC open notional $1,300.50 long and $1,000 short (56.53 % long); caps: long 25 % full, short "
            "50 % full; ETH open notional $250 long and $750 short (25 % long); caps: long 25 % full, short "
            "none; both markets: open notional $1,550.50 long and $1,750 short (46.98 % long). Simulated "
            "data."
        )
        assert venue.answer(TOOL, {"market": "BTC"})[1] == (
            "BTC open notional $1,300.50 long and $1,000 short (56.53 % long); caps: long 25 % full, short "
            "50 % full. Simulated data."
        )

    @pytest.mark.requirement("open-interest:arguments")
    @pytest.mark.parametrize(("market", "net"), [("BTC", 300.5), ("ETH", -500)])
    def test_one_market_alone_is_also_the_total(self, venue: ToldVenue, market: str, net: float) -> None:
        result = venue.call(TOOL, {"market": market})
        (row,) = result["markets"]
        assert row["market"] == market
        assert result["totals"]["netUsd"] == net
        assert [result["totals"][name] for name in ("longUsd", "shortUsd", "longShare")] == [
            row[name] for name in ("longUsd", "shortUsd", "longShare")
        ]

    def test_nothing_open_has_no_share(self, venue: ToldVenue) -> None:
        venue.put_house(Interval.HOUR, bl=[0], bs=[0], el=[0], es=[5])
        result, summary = venue.answer(TOOL, {})
        assert _rows(result)["BTC"]["longShare"] is None
        assert _rows(result)["ETH"]["longShare"] == 0
        assert summary.startswith("BTC open notional $0 long and $0 short (nothing is open); caps:")

    def test_a_lowered_cap_is_more_than_full(self, venue: ToldVenue) -> None:
        venue.put_market(0, **{LONG_CAP: str(WAD // 2)})
        assert _rows(venue.call(TOOL, {}))["BTC"]["caps"]["longFillPercent"] == 200

    def test_fill_is_of_the_exact_coins(self, venue: ToldVenue) -> None:
        venue.put_market(0, **{LONG_OI: "23590192866625362236353", LONG_CAP: "1207459685939735687074747"})
        row = _rows(venue.call(TOOL, {}))["BTC"]
        assert row["caps"]["longFillPercent"] == 1.953704
        assert row["capTracked"]["longCoins"] == 23590.19286663


class TestHistory:
    @pytest.mark.requirement("open-interest:history")
    def test_it_comes_when_asked_for_as_columns_of_whole_dollars(self, venue: ToldVenue) -> None:
        btc, eth = venue.call(TOOL, {"history": True})["history"]
        assert btc == {
            "market": "BTC",
            "times": ["2026-11-30T12:00:00Z", "2026-11-30T12:23:00Z"],
            "longUsd": [9, 1301],
            "shortUsd": [9, 1000],
        }
        assert (eth["market"], eth["longUsd"], eth["shortUsd"]) == ("ETH", [9, 250], [9, 750])

    @pytest.mark.requirement("open-interest:arguments", "open-interest:history")
    @pytest.mark.parametrize(
        ("resolution", "first"),
        [("1m", "2026-11-30T12:21:00Z"), ("1h", "2026-11-30T11:00:00Z"), ("1d", "2026-11-29T00:00:00Z")],
    )
    def test_each_resolution_has_its_newest_points_of_the_market_asked_for(
        self, resolution: str, first: str
    ) -> None:
        asked = {"market": "ETH", "history": True, "resolution": resolution, "limit": 3}
        (eth,) = ToldVenue().call(TOOL, asked)["history"]
        assert len(eth["times"]) == 3
        end = "2026-11-30T12:23:00Z"
        assert (eth["times"][0], eth["times"][-1]) == (first, end)

    def test_a_bucket_that_lacks_a_side_is_left_out_of_its_market_alone(self, venue: ToldVenue) -> None:
        venue.put_house(Interval.HOUR, bl=[1, None, 3], bs=[4, 5, 6], el=[7, 8, 9], es=[1, 2, 3])
        btc, eth = venue.call(TOOL, {"history": True})["history"]
        assert btc["longUsd"] == [1, 3]
        assert [time[11:16] for time in btc["times"]] == ["11:00", "12:23"]
        assert eth["longUsd"] == [7, 8, 9]

    def test_a_past_that_fails_is_null_with_a_note_and_all_else_in_place(self, venue: ToldVenue) -> None:
        whole = venue.call(TOOL, {})
        broken = house(Interval.DAY, bl=[-1])
        venue.put(exchange.house_history(Interval.DAY), broken)
        result = venue.call(TOOL, {"history": True, "resolution": "1d"})
        assert result["history"] is None
        assert result["markets"] == whole["markets"]
        assert notes(result)["exchange.house_history"].startswith("history is null.")

    def test_answers_stay_small(self, venue: ToldVenue) -> None:
        assert size_of(venue.call(TOOL, {})) <= DEFAULT_BYTES
        huge: Column = [98_765_432_109.5] * 1440
        venue.put_house(Interval.MINUTE, bl=huge, bs=huge, el=huge, es=huge)
        result = venue.call(TOOL, {"history": True, "resolution": "1m", "limit": 500})
        assert [len(row["times"]) for row in result["history"]] == [500, 500]
        assert size_of(result) <= MOST_BYTES


class TestMissingParts:
    def test_without_the_book_the_caps_still_come(self, venue: ToldVenue) -> None:
        whole = _rows(venue.call(TOOL, {}))
        venue.fail("exchange.house_history")
        result, summary = venue.answer(TOOL, {"history": True})
        unknown = dict.fromkeys(("longUsd", "shortUsd", "longShare"))
        assert _rows(result) == {name: {**row, **unknown} for name, row in whole.items()}
        assert result["totals"] == {**unknown, "netUsd": None}
        assert result["history"] is None
        assert notes(result)["exchange.house_history"].startswith("Open long and short notional are null.")
        assert summary.startswith("BTC open notional not known; caps: long 25 % full, short 50 % full; ETH")

    def test_without_the_list_of_markets_the_book_still_comes(self, venue: ToldVenue) -> None:
        whole = venue.call(TOOL, {})
        venue.fail("exchange.trading", "hyperliquid.book")
        result, summary = venue.answer(TOOL, {})
        without = {"capTracked": None, "caps": None}
        assert result["markets"] == [{**row, **without} for row in whole["markets"]]
        assert result["totals"] == whole["totals"]
        assert result["freshness"]["degraded"] is True
        assert (
            "BTC open notional $1,300.50 long and $1,000 short (56.53 % long); caps: not known; " in summary
        )

    def test_without_a_price_fills_and_coins_still_come(self, venue: ToldVenue) -> None:
        venue.fail("hyperliquid.book")
        result = venue.call(TOOL, {"market": "BTC"})
        (row,) = result["markets"]
        assert row["capTracked"] == {"longUsd": None, "shortUsd": None, "longCoins": 1, "shortCoins": 1}
        assert row["caps"] == {
            "longUsd": None,
            "shortUsd": None,
            "longFillPercent": 25,
            "shortFillPercent": 50,
        }
        assert notes(result)["hyperliquid.book"].startswith("Dollars of capTracked and caps are null")

    @pytest.mark.parametrize("side", ["bl", "bs"])
    def test_a_market_whose_side_is_unknown_now_is_null_and_so_are_the_totals(
        self, venue: ToldVenue, side: str
    ) -> None:
        book: dict[str, Any] = {**BOOK, side: [9, None]}
        venue.put_house(Interval.HOUR, **book)
        result = venue.call(TOOL, {})
        assert _rows(result)["BTC"]["longUsd"] is None
        assert _rows(result)["ETH"]["longUsd"] == 250
        assert result["totals"]["longUsd"] is None
        assert "what is open in BTC now" in notes(result)["exchange.house_history"]

    @pytest.mark.parametrize("places", [0, 2])
    def test_a_book_that_ends_in_the_past_is_not_shown_as_of_now(self, venue: ToldVenue, places: int) -> None:
        told = house(Interval.HOUR, as_of_ms=AS_OF_MS - DAY_MS, bl=[5] * places)
        told["source"]["asOfMs"] = AS_OF_MS
        venue.put(exchange.house_history(Interval.HOUR), told)
        result = venue.call(TOOL, {})
        assert result["totals"]["longUsd"] is None
        assert result["freshness"]["degraded"] is True

    def test_without_book_and_caps_it_is_a_clear_error(self, venue: ToldVenue) -> None:
        venue.fail("exchange.trading", "exchange.house_history")
        with pytest.raises(ToolError, match=r"cannot be reached now\. Try again in 7 s\.$"):
            venue.call(TOOL, {})

    def test_a_market_that_is_gone_is_said(self, venue: ToldVenue) -> None:
        venue.put_market(0, at1="SOL")
        with pytest.raises(ToolError, match="does not list BTC now; it lists SOL and ETH"):
            venue.call(TOOL, {"market": "BTC"})
        result = venue.call(TOOL, {"history": True})
        assert list(_rows(result)) == ["ETH"]
        assert [row["market"] for row in result["history"]] == ["ETH"]
        assert result["totals"]["longUsd"] == 250

    @pytest.mark.parametrize("figure", [float("nan"), float("inf"), -1.0, "5"])
    def test_an_implausible_book_is_never_shown(self, venue: ToldVenue, figure: object) -> None:
        told = house(Interval.HOUR, bl=[5, 6])
        told["columns"]["es"][1] = figure
        venue.put(exchange.house_history(Interval.HOUR), told)
        result = venue.call(TOOL, {})
        assert result["totals"]["longUsd"] is None
        assert "unexpected form or figure" in notes(result)["exchange.house_history"]

    def test_negative_open_interest_is_never_shown(self, venue: ToldVenue) -> None:
        venue.put_market(0, **{LONG_OI: "-1"})
        result = venue.call(TOOL, {})
        assert [row["capTracked"] for row in result["markets"]] == [None, None]


@pytest.mark.requirement("open-interest:reach")
@pytest.mark.parametrize(("resolution", "points"), [("1m", 500), ("1h", 167)])
def test_a_cold_call_reads_at_most_five_documents_and_gives_what_the_venue_kept(
    resolution: str, points: int
) -> None:
    with simulated_calls() as calls:
        result = calls.call(TOOL, {"history": True, "resolution": resolution, "limit": 500})
        assert calls.requests == (5 if resolution == "1m" else 4)
        assert [len(row["times"]) for row in result["history"]] == [points, points]
        for row, past in zip(result["markets"], result["history"], strict=True):
            assert past["longUsd"][-1] == pytest.approx(row["longUsd"], abs=0.5)
            assert past["shortUsd"][-1] == pytest.approx(row["shortUsd"], abs=0.5)


@pytest.mark.requirement("result:output-schema")
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_whatever_the_book_is_the_result_fits_its_schema(data: st.DataObject) -> None:
    venue = ToldVenue()
    points = data.draw(st.integers(0, 5))
    notional = st.one_of(st.none(), st.just(0.0), st.floats(0.01, 1e40))
    column = st.lists(notional, min_size=points, max_size=points)
    drawn: dict[str, Any] = {name: data.draw(column) for name in ("bl", "bs", "el", "es")}
    venue.put_house(Interval.HOUR, **drawn)
    for number in (0, 1):
        amounts = st.integers(0, 2**128 - 1).map(str)
        venue.put_market(number, **{f"at{place}": data.draw(amounts) for place in range(19, 23)})
    parts = ["exchange.trading", "exchange.house_history"]
    venue.fail(*data.draw(st.lists(st.sampled_from(["hyperliquid.book", *parts]), max_size=1)))
    result = venue.call(TOOL, {"history": data.draw(st.booleans())})
    for row in [result["totals"], *result["markets"]]:
        if row["longShare"] is not None:
            assert 0 <= row["longShare"] <= 1
            assert row["longUsd"] + row["shortUsd"] > 0
