"""``get_bust_cluster_summary``: runs of buckets on both sides, and how they are ranked."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_liquidations.tools.get_bust_cluster_summary import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import hyperliquid
from tests.filled_venue import FilledVenue
from tests.mcp_liquidations.books import venue_of
from tests.venue_bodies import FROZEN, position_row


def _eth_row(number: int, **changed: Any) -> list[Any]:  # noqa: ANN401
    return position_row(number, market=1, **{"entry": "251215", **changed})


@pytest.fixture
def venue() -> FilledVenue:
    """Two clusters of BTC longs, one of BTC shorts, one of ETH longs; $10,000 a position unless larger."""
    return venue_of(
        [
            position_row(1, bust="829999"),
            position_row(2, bust="828500"),
            position_row(3, bust="826900"),
            position_row(4, bust="820000", margin=str(400 * WAD)),
        ],
        [
            position_row(5, is_long=False, bust="830701"),
            position_row(6, is_long=False, bust="832500", margin=str(300 * WAD)),
            _eth_row(7, bust="249700"),
        ],
    )


class TestClusters:
    @pytest.mark.requirement("clusters:largest", "tracked:coverage")
    def test_the_clusters_of_a_market_in_full(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {"market": "BTC"})
        (market,) = result["markets"]
        assert market["market"] == "BTC"
        assert market["markPriceUsd"] == 83065.5
        assert market["below"] == [
            {
                "rank": 1,
                "side": "long",
                "lowUsd": 82_000,
                "highUsd": 82_100,
                "peakUsd": 82_000,
                "notionalUsd": 40_000,
                "positions": 1,
                "distancePercent": 1.162336,
                "shareOfSide": 0.571429,
            },
            {
                "rank": 2,
                "side": "long",
                "lowUsd": 82_600,
                "highUsd": 83_000,
                "peakUsd": 82846.6,
                "notionalUsd": 30_000,
                "positions": 3,
                "distancePercent": 0.078853,
                "shareOfSide": 0.428571,
            },
        ]
        assert market["above"] == [
            {
                "rank": 1,
                "side": "short",
                "lowUsd": 83_000,
                "highUsd": 83_300,
                "peakUsd": 83205,
                "notionalUsd": 40_000,
                "positions": 2,
                "distancePercent": 0,
                "shareOfSide": 1,
            }
        ]
        assert market["coverage"]["fraction"] == 0.55
        assert summary == (
            "BTC mark $83,065.5: largest cluster below it 1 long ($40,000 notional) with bust prices from "
            "$82,000 to $82,100, 1.16 % from the mark; above it 2 shorts ($40,000 notional) with bust prices "
            "from $83,000 to $83,300, the mark is among them. Only tracked wallets are counted. The 2 "
            "largest wallets hold 55 % of BTC notional. Simulated data."
        )

    def test_all_markets_are_looked_at_unless_one_is_named(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {})
        assert [market["market"] for market in result["markets"]] == ["BTC", "ETH"]
        assert result["markets"][1]["below"][0]["lowUsd"] == 2495
        assert result["markets"][1]["above"] == []
        assert "from $2,495 to $2,500, 0.484 % from the mark; above it none." in summary

    @pytest.mark.requirement("clusters:arguments")
    def test_no_more_clusters_come_back_than_asked_for(self, venue: FilledVenue) -> None:
        (market,) = venue.call(TOOL, {"market": "BTC", "clusters": 1})["markets"]
        assert [cluster["rank"] for cluster in market["below"]] == [1]

    @pytest.mark.requirement("clusters:arguments")
    def test_only_so_many_wallets_are_read(self, venue: FilledVenue) -> None:
        (market,) = venue.call(TOOL, {"market": "BTC", "wallets": 1})["markets"]
        assert market["above"] == []
        assert market["coverage"]["walletsRead"] == 1

    def test_positions_that_the_mark_has_passed_are_not_in_a_cluster(self) -> None:
        venue = venue_of([position_row(1, bust="832000", entry="850000"), position_row(2, bust="829000")])
        (market,) = venue.call(TOOL, {"market": "BTC"})["markets"]
        assert [cluster["lowUsd"] for cluster in market["below"]] == [82_900]
        assert market["below"][0]["shareOfSide"] == 1
        assert market["coverage"]["positions"] == 2

    def test_nothing_tracked_makes_no_cluster(self) -> None:
        result, summary = venue_of([]).answer(TOOL, {"market": "BTC"})
        assert result["markets"][0]["below"] == result["markets"][0]["above"] == []
        assert "largest cluster below it none; above it none." in summary

    def test_a_terminal_market_is_measured_from_its_frozen_price(self, venue: FilledVenue) -> None:
        venue.put_market(0, **FROZEN)
        (market,) = venue.call(TOOL, {"market": "BTC"})["markets"]
        assert market["markPriceUsd"] == 82500.1
        assert market["below"][0]["distancePercent"] == 0.484969


class TestFailures:
    def test_a_market_without_a_mark_is_left_out_and_said(self, venue: FilledVenue) -> None:
        venue.put(hyperliquid.book("ETH"), {"not": "a book"})
        result = venue.call(TOOL, {})
        assert [market["market"] for market in result["markets"]] == ["BTC"]
        assert result["freshness"]["degraded"] is True

    @pytest.mark.parametrize("source", ["exchange.trading", "hyperliquid.book", "exchange.wallets"])
    def test_a_source_it_cannot_do_without_is_a_clear_error(self, venue: FilledVenue, source: str) -> None:
        venue.fail(source)
        with pytest.raises(ToolError, match=r"cannot be reached now\. Try again in 7 s\."):
            venue.call(TOOL, {})
