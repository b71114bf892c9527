"""``get_protocol_liquidation_map``: the exchange's own map, wider buckets, and what stands in its place."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from django.conf import LazySettings

from mcp_liquidations.tools.get_protocol_liquidation_map import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.errors import ToolError
from tests.filled_venue import FilledVenue
from tests.mcp_liquidations.books import map_of, venue_of
from tests.simulated_calls import simulated_calls
from tests.simulated_clients import SimulatedTransport
from tests.tool_calls import notes
from tests.venue_bodies import FROZEN, position_row


def _bucket(price: float, longs: int, shorts: int, **counts: int) -> dict[str, Any]:
    notionals = {"longNotional": str(longs * WAD), "shortNotional": str(shorts * WAD)}
    return {"price": price, **notionals, **counts}


class PageForAMap(SimulatedTransport):
    """An exchange that shows a page where its map is thought to be."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if request.url.path != "/state/liquidation-map":
            return answer
        return httpx.Response(200, headers={**answer.headers, "Content-Type": "text/html"}, text="<html>")


@pytest.fixture
def venue() -> FilledVenue:
    """A map of $10 buckets around the mark of 83,065.5, and one tracked long."""
    venue = venue_of([position_row(1)])
    _put_map(
        venue,
        _bucket(82_990.0, 500, 0, longCount=2, shortCount=0),
        _bucket(83_050.0, 70, 0, longCount=1, shortCount=0),
        _bucket(83_060.0, 9, 11, longCount=1, shortCount=3),
        _bucket(83_070.0, 0, 0, longCount=0, shortCount=0),
        _bucket(83_110.0, 0, 600, longCount=0, shortCount=4),
    )
    return venue


def _put_map(venue: FilledVenue, *buckets: dict[str, Any], **members: Any) -> None:  # noqa: ANN401
    venue.put(map_of("BTC"), {"bucketSize": 10.0, **members, "buckets": list(buckets)})


def _rows(result: dict[str, Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in result["buckets"]]


def _note(result: dict[str, Any]) -> str:
    (note,) = notes(result).values()
    return note


class TestTheExchangesMap:
    @pytest.mark.requirement("protocol-map:venue")
    def test_a_map_in_full(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {})
        assert (result["market"], result["markPriceUsd"]) == ("BTC", 83065.5)
        assert (result["source"], result["bucketUsd"], result["upstreamBucketUsd"]) == ("papertrade", 10, 10)
        assert result["buckets"][0] == {
            "lowUsd": 82_990,
            "highUsd": 83_000,
            "side": "long",
            "notionalUsd": 500,
            "positions": 2,
            "distancePercent": 0.078853,
        }
        assert _rows(result, "lowUsd", "side", "notionalUsd", "positions", "distancePercent") == [
            (82_990, "long", 500, 2, 0.078853),
            (83_050, "long", 70, 1, 0.006621),
            (83_060, "long", 9, 1, 0),
            (83_060, "short", 11, 3, 0),
            (83_110, "short", 600, 4, 0.053572),
        ]
        assert result["totals"] == {
            "longNotionalUsd": 579,
            "shortNotionalUsd": 611,
            "longPositions": 4,
            "shortPositions": 7,
        }
        assert result["omitted"] == {"buckets": 0, "notionalUsd": 0}
        assert result["coverage"] is None
        assert result["freshness"]["degraded"] is False
        assert "exchange.wallets" not in venue.asked
        assert summary == (
            "BTC mark $83,065.5: 4 longs ($579 notional) and 7 shorts ($611 notional) by bust price, in "
            "buckets of $10, by the exchange's own map. Simulated data."
        )

    @pytest.mark.requirement("protocol-map:regrouped")
    def test_it_is_regrouped_onto_a_bucket_size(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {"bucketUsd": 100})
        assert (result["bucketUsd"], result["upstreamBucketUsd"]) == (100, 10)
        assert _rows(result, "lowUsd", "highUsd", "side", "notionalUsd", "positions") == [
            (82_900, 83_000, "long", 500, 2),
            (83_000, 83_100, "long", 79, 2),
            (83_000, 83_100, "short", 11, 3),
            (83_100, 83_200, "short", 600, 4),
        ]
        assert "in buckets of $100, by" in summary

    @pytest.mark.requirement("protocol-map:regrouped")
    @pytest.mark.parametrize(("asked", "used"), [(25, 30), (10.01, 20), (0.5, 10), (30, 30)])
    def test_a_size_in_between_is_rounded_up_and_said(
        self, venue: FilledVenue, asked: float, used: float
    ) -> None:
        result, summary = venue.answer(TOOL, {"bucketUsd": asked})
        assert (result["bucketUsd"], result["upstreamBucketUsd"]) == (used, 10)
        assert all(row["lowUsd"] % used == 0 for row in result["buckets"])
        said = f"in buckets of ${used} (rounded up from ${asked} to a multiple of the exchange's $10), by"
        assert (said in summary) == (asked != used)

    def test_positions_that_nobody_counted_are_null(self, venue: FilledVenue) -> None:
        _put_map(venue, _bucket(83_000.0, 5, 0), _bucket(83_010.0, 6, 0, longCount=1, shortCount=0))
        result, summary = venue.answer(TOOL, {"bucketUsd": 20})
        assert _rows(result, "notionalUsd", "positions") == [(11, None)]
        assert result["totals"]["longPositions"] is None
        assert "longs ($11 notional) and 0 shorts ($0 notional)" in summary

    def test_what_the_mark_has_passed_has_a_negative_distance(self, venue: FilledVenue) -> None:
        _put_map(venue, _bucket(83_100.0, 5, 0), _bucket(82_900.0, 0, 5))
        assert _rows(venue.call(TOOL, {}), "side", "distancePercent") == [
            ("short", -0.187202),
            ("long", -0.041533),
        ]

    def test_an_empty_map_of_a_stated_size_is_a_map(self, venue: FilledVenue) -> None:
        _put_map(venue)
        result = venue.call(TOOL, {})
        assert (result["source"], result["buckets"], result["totals"]["longPositions"]) == (
            "papertrade",
            [],
            0,
        )

    def test_a_terminal_market_is_mapped_around_its_frozen_price(self, venue: FilledVenue) -> None:
        venue.put_market(0, **FROZEN)
        venue.fail("hyperliquid.book")
        result = venue.call(TOOL, {})
        assert result["markPriceUsd"] == 82500.1
        assert result["freshness"]["degraded"] is False

    def test_the_rows_nearest_to_the_mark_stay(self, venue: FilledVenue) -> None:
        buckets = [_bucket(82_000.0 + 10 * place, 1, 0) for place in range(300)]
        _put_map(venue, *buckets)
        few, summary = venue.answer(TOOL, {})
        many = venue.call(TOOL, {"bucketUsd": 10})
        assert (len(few["buckets"]), few["omitted"]) == (60, {"buckets": 240, "notionalUsd": 240})
        assert (len(many["buckets"]), many["omitted"]) == (200, {"buckets": 100, "notionalUsd": 100})
        assert "240 rows far from the mark are left out; a wider bucket shows more." in summary
        for result in (few, many):
            assert any(row["distancePercent"] == 0 for row in result["buckets"])
            assert result["totals"]["longNotionalUsd"] == 300


class TestDerived:
    @pytest.mark.requirement("protocol-map:venue")
    def test_without_the_exchanges_map_one_is_made_of_tracked_wallets_and_marked(
        self, venue: FilledVenue
    ) -> None:
        venue.fail("exchange.liquidation_map")
        result, summary = venue.answer(TOOL, {})
        assert (result["source"], result["bucketUsd"], result["upstreamBucketUsd"]) == ("derived", 100, None)
        assert _rows(result, "lowUsd", "side", "notionalUsd", "positions") == [(82_200, "long", 10_000, 1)]
        assert result["coverage"]["fraction"] == 0.05
        assert result["freshness"]["degraded"] is True
        assert _note(result) == (
            "The map is derived from tracked wallets. exchange.liquidation_map cannot be reached now."
        )
        assert summary == (
            "BTC mark $83,065.5: 1 long ($10,000 notional) and 0 shorts ($0 notional) by bust price, in "
            "buckets of $100, derived from tracked wallets alone, as the exchange's own map could not be "
            "read. The largest wallet holds 5 % of BTC notional. Some inputs are old or missing; see "
            "freshness. Simulated data."
        )

    def test_it_takes_any_size(self, venue: FilledVenue) -> None:
        venue.fail("exchange.liquidation_map")
        result = venue.call(TOOL, {"bucketUsd": 25})
        assert (result["bucketUsd"], _rows(result, "lowUsd")) == (25, [(82_250,)])

    @pytest.mark.parametrize(
        "document",
        [
            {"unknown": "shape"},
            {"ok": False, "bucketSize": 10.0, "buckets": []},
            {"buckets": []},
            {"buckets": [_bucket(83_000.0, 5, 0)]},
            {"bucketSize": 10.0, "buckets": [_bucket(83_005.0, 5, 0)]},
        ],
    )
    def test_a_map_that_does_not_tell_its_buckets_is_not_used(
        self, venue: FilledVenue, document: dict[str, Any]
    ) -> None:
        venue.put(map_of("BTC"), document)
        result = venue.call(TOOL, {})
        assert result["source"] == "derived"
        assert _note(result).startswith("The map is derived from tracked wallets.")

    @pytest.mark.requirement("limit:upstream-requests")
    def test_of_44_wallets_all_are_read_within_the_cap_even_after_the_map_failed(
        self, settings: LazySettings
    ) -> None:
        settings.LIQUIDATION_MAP_PATH = "/state/nowhere?instrumentId={id}"
        with simulated_calls() as calls:
            result = calls.call(TOOL, {})
            assert result["source"] == "derived"
            assert (result["coverage"]["walletsRead"], result["coverage"]["walletsFailed"]) == (44, 0)
            assert calls.requests <= 50
            assert "There is nothing at the address of the exchange's liquidation map." in _note(result)

    def test_a_page_in_the_maps_place_is_no_map(self) -> None:
        with simulated_calls(transport=PageForAMap) as calls:
            result = calls.call(TOOL, {})
            assert (result["source"], result["coverage"]["walletsRead"]) == ("derived", 44)
            assert calls.requests <= 50

    def test_with_neither_map_nor_leaderboard_it_says_what_works(self, venue: FilledVenue) -> None:
        venue.fail("exchange.liquidation_map", "exchange.leaderboard")
        with pytest.raises(ToolError, match="get_wallet_distance_to_bust"):
            venue.call(TOOL, {})

    @pytest.mark.parametrize("stated", [{"instrumentId": 1}, {"market": "ETH"}], ids=str)
    def test_a_map_of_another_market_is_not_shown_as_this_ones(
        self, venue: FilledVenue, stated: dict[str, Any]
    ) -> None:
        _put_map(venue, _bucket(83_060.0, 9, 11), **stated)
        result = venue.call(TOOL, {})
        assert (result["market"], result["source"]) == ("BTC", "derived")
        assert "unexpected form or figure" in _note(result)


class TestFailures:
    @pytest.mark.parametrize("source", ["exchange.trading", "hyperliquid.book"])
    def test_a_source_it_cannot_do_without_is_a_clear_error(self, venue: FilledVenue, source: str) -> None:
        venue.fail(source)
        with pytest.raises(ToolError, match=r"cannot be reached now\. Try again in 7 s\."):
            venue.call(TOOL, {})

    def test_a_market_that_is_not_listed_is_a_clear_error(self, venue: FilledVenue) -> None:
        venue.put_market(1, at1="DOGE")
        with pytest.raises(ToolError, match="does not list ETH"):
            venue.call(TOOL, {"market": "ETH"})
