"""``quote_position_outcome`` in every state of the venue."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_analytics.tools.quote_position_outcome import TOOL
from papertrade_site.mcp.errors import ToolError
from tests.filled_venue import NAMED, FilledVenue
from tests.mcp_analytics.quotes import BTC_LONG, FIELDS
from tests.simulated_calls import simulated_calls
from tests.venue_bodies import body

COMMON = {"generatedAt", "dataSource", "freshness"}


class TestVenueStates:
    def test_what_the_exchange_would_not_take_is_quoted_and_said(self, venue: FilledVenue) -> None:
        notice = venue.call(TOOL, {**BTC_LONG, "marginUsd": 5, "leverage": 10})["notice"]
        assert "below the exchange's minimum of $10." in notice
        assert "below the exchange's minimum of $1,000." in notice
        large = venue.call(TOOL, {**BTC_LONG, "marginUsd": 1_000_000})["notice"]
        assert "above the market's maximum of $10,000,000." in large
        venue.put_trading(minimumLeverage=20)
        assert (
            "below the exchange's minimum of 20." in venue.call(TOOL, {**BTC_LONG, "leverage": 10})["notice"]
        )

    def test_nothing_to_say_leaves_the_plain_notice(self, venue: FilledVenue) -> None:
        assert venue.call(TOOL, BTC_LONG)["notice"] == (
            "Simulation only: nothing was signed, sent or ordered, and a real fill may differ."
        )

    @pytest.mark.parametrize(
        ("places", "status"),
        [
            ({"at7": True}, "retired"),
            ({"at8": True}, "close only"),
            ({"at4": False}, "inactive"),
        ],
    )
    def test_a_market_that_takes_no_positions_is_said(
        self, venue: FilledVenue, places: dict[str, Any], status: str
    ) -> None:
        venue.put_market(0, **places)
        assert f"BTC takes no new positions now ({status})." in venue.call(TOOL, BTC_LONG)["notice"]

    def test_a_paused_exchange_is_said(self, venue: FilledVenue) -> None:
        venue.put_trading(tradingPaused=True)
        assert "(paused)" in venue.call(TOOL, BTC_LONG)["notice"]

    def test_a_terminal_market_is_entered_at_its_frozen_price(self, venue: FilledVenue) -> None:
        venue.put_market(0, at5=True, at6=True, at8=True, at9="800000", at10="800003", at11=1796039000000)
        quote = venue.call(TOOL, BTC_LONG)
        assert quote["entryPriceUsd"] == 80000.1
        assert "(terminal)" in quote["notice"]

    def test_the_chains_win_fee_comes_first(self, venue: FilledVenue) -> None:
        venue.put_trading(winFeeRateRaw="30000000000000000")
        assert venue.call(TOOL, BTC_LONG)["winFeeUsd"] == 1.762952

    def test_the_trading_states_win_fee_comes_second(self, venue: FilledVenue) -> None:
        venue.put_trading(winFeeRateRaw="30000000000000000")
        venue.fail("hyperevm.paper")
        quote = venue.call(TOOL, BTC_LONG)
        assert quote["winFeeUsd"] == 2.644428
        assert quote["freshness"]["degraded"] is False

    def test_the_chains_win_fee_is_enough(self, venue: FilledVenue) -> None:
        paper = body("paper")
        for item in paper:
            if item["id"] == 0:
                item["result"] = f"0x{3 * 10**16:064x}"
        venue.put(NAMED["paper"], paper)
        venue.put_trading(winFeeRateRaw=None)
        assert venue.call(TOOL, BTC_LONG)["winFeeUsd"] == 2.644428

    def test_an_assumed_win_fee_is_said_and_degrades(self, venue: FilledVenue) -> None:
        venue.put_trading(winFeeRateRaw=None)
        assert venue.call(TOOL, BTC_LONG)["freshness"]["degraded"] is False
        venue.fail("hyperevm.paper")
        quote = venue.call(TOOL, BTC_LONG)
        assert quote["winFeeUsd"] == 1.762952
        assert "A win fee of 2 % is assumed" in quote["notice"]
        assert quote["freshness"]["degraded"] is True

    def test_a_market_that_is_not_listed_is_said_with_those_that_are(self, venue: FilledVenue) -> None:
        venue.put_market(1, at1="SOL")
        with pytest.raises(ToolError, match="does not list ETH now; it lists BTC and SOL"):
            venue.call(TOOL, {**BTC_LONG, "symbol": "ETH"})

    @pytest.mark.parametrize(
        ("source", "advice"),
        [
            ("exchange.trading", "Try again in 7 s."),
            ("hyperliquid.book", "Try again in 7 s, or pass entryPriceUsd."),
        ],
    )
    def test_a_source_it_cannot_do_without_is_a_clear_error(
        self, venue: FilledVenue, source: str, advice: str
    ) -> None:
        venue.fail(source)
        with pytest.raises(ToolError) as caught:
            venue.call(TOOL, BTC_LONG)
        assert str(caught.value) == f"{source} cannot be reached now. {advice}"

    @pytest.mark.requirement("quote:entry")
    def test_with_an_entry_price_no_book_is_read(self, venue: FilledVenue) -> None:
        venue.fail("hyperliquid.book")
        venue.call(TOOL, {**BTC_LONG, "entryPriceUsd": 83065.5})
        assert "hyperliquid.book" not in venue.asked


@pytest.mark.requirement("quote:returns")
def test_the_result_has_the_nineteen_fields_and_the_common_ones(venue: FilledVenue) -> None:
    assert list(venue.call(TOOL, BTC_LONG)) == ["generatedAt", "dataSource", "freshness", *FIELDS]
    assert set(TOOL.output_schema["required"]) == {*FIELDS, *COMMON}


@pytest.mark.requirement("quote:entry")
def test_over_the_embedded_exchange_a_quote_starts_at_its_mark() -> None:
    with simulated_calls() as calls:
        quote = calls.call(TOOL, {**BTC_LONG, "priceMovePct": -0.2})
        assert quote["entryPriceUsd"] == calls.world.prices.mids[0] / 10
        assert quote["freshness"]["degraded"] is False
        assert calls.requests <= 8
