"""``quote_position_outcome`` at the bounds of its arguments, and past them."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_analytics.tools import quote_position_outcome
from mcp_analytics.tools.quote_position_outcome import TOOL
from papertrade_site.mcp.tool import BadArgumentsError
from tests.filled_venue import FilledVenue
from tests.mcp_analytics.quotes import BTC_LONG
from tests.venue_bodies import BUST_BUFFER, MAX_LEVERAGE


def _fault(venue: FilledVenue, **changed: Any) -> tuple[str, str]:  # noqa: ANN401
    with pytest.raises(BadArgumentsError) as caught:
        venue.call(TOOL, {**BTC_LONG, **changed})
    (fault,) = caught.value.faults
    return fault.argument, str(fault)


class TestBounds:
    @pytest.mark.requirement("quote:arguments")
    @pytest.mark.parametrize(
        ("argument", "values"),
        [
            ("marginUsd", [1, 1.5, 1_000_000, "250.5"]),
            ("leverage", [1, 1000, 20.0, "20"]),
            ("priceMovePct", [-100, 0, 1000, 1e-300, "-0.5"]),
            ("entryPriceUsd", [83065.5, "83065.5", 90_000_000_000_000_000, 9e16, None]),
            ("symbol", ["BTC", " eth "]),
            ("side", ["long", "SHORT"]),
        ],
    )
    def test_each_argument_is_taken_up_to_its_bounds(
        self, venue: FilledVenue, argument: str, values: list[Any]
    ) -> None:
        for value in values:
            venue.call(TOOL, {**BTC_LONG, argument: value})

    def test_leverage_above_the_live_maximum_is_refused_naming_it(self, venue: FilledVenue) -> None:
        venue.put_market(0, **{f"at{MAX_LEVERAGE}": 200})
        venue.call(TOOL, {**BTC_LONG, "leverage": 200})
        assert _fault(venue, leverage=201) == (
            "leverage",
            "leverage is 201: it must be at most 200, the live maximum of BTC.",
        )

    def test_the_exchanges_own_maximum_counts_as_well(self, venue: FilledVenue) -> None:
        venue.put_trading(maximumLeverage=50)
        assert "at most 50" in _fault(venue, leverage=51)[1]

    @pytest.mark.parametrize(("side", "leverage", "entry"), [("long", 100, 0.1), ("short", 1000, 99.9)])
    def test_an_entry_price_without_room_for_a_bust_price_is_refused(
        self, venue: FilledVenue, side: str, leverage: int, entry: float
    ) -> None:
        argument, text = _fault(venue, side=side, leverage=leverage, entryPriceUsd=entry)
        assert argument == "entryPriceUsd"
        assert f"entryPriceUsd is {entry}: it is too small" in text
        least = text.removesuffix(".").rpartition(" ")[2]
        venue.call(TOOL, {**BTC_LONG, "side": side, "leverage": leverage, "entryPriceUsd": least})

    @pytest.mark.parametrize("entry", [0, 0.04, 1e-300])
    def test_an_entry_price_below_half_a_tick_is_refused(self, venue: FilledVenue, entry: float) -> None:
        assert _fault(venue, entryPriceUsd=entry)[0] == "entryPriceUsd"

    def test_the_smallest_entry_price_with_room_is_quoted(self, venue: FilledVenue) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "leverage": 2, "entryPriceUsd": 0.2})
        assert quote["bustPriceUsd"] == 0.1

    def test_a_bust_buffer_that_eats_the_whole_room_is_laid_to_the_leverage(self, venue: FilledVenue) -> None:
        venue.put_market(0, **{f"at{BUST_BUFFER}": str(2 * 10**16)})
        argument, text = _fault(venue)
        assert argument == "leverage"
        assert "take a lower one" in text

    def test_a_number_is_echoed_as_it_was_sent(self, venue: FilledVenue) -> None:
        assert _fault(venue, leverage=1e300)[1].startswith("leverage is 1e+300: ")
        assert _fault(venue, entryPriceUsd=1e300)[1].startswith("entryPriceUsd is 1e+300: ")

    def test_a_margin_that_only_rounding_would_allow_is_refused(self, venue: FilledVenue) -> None:
        margin = "0.99999999999999999999"
        assert _fault(venue, marginUsd=margin)[1] == (
            f'marginUsd is "{margin}": it must be a number from 1 to 1000000.'
        )

    @pytest.mark.parametrize("entry", [0, 0.009, 9.1e16, 1.8e18, 10**400])
    def test_an_entry_price_past_its_bounds_is_refused_naming_them(
        self, venue: FilledVenue, entry: float
    ) -> None:
        argument, text = _fault(venue, entryPriceUsd=entry)
        assert argument == "entryPriceUsd"
        assert text.endswith(": it must be a number from 0.01 to 90000000000000000.")

    @pytest.mark.parametrize("symbol", ["BTC", "ETH"])
    def test_up_to_the_highest_entry_price_every_bust_price_fits_the_contract(
        self, venue: FilledVenue, symbol: str
    ) -> None:
        highest = {"symbol": symbol, "side": "short", "leverage": 1, "entryPriceUsd": 9e16}
        assert venue.call(TOOL, {**BTC_LONG, **highest})["bustPriceUsd"] > 1.7e17

    @pytest.mark.parametrize(
        ("changed", "argument"), [({}, "leverage"), ({"entryPriceUsd": 83065.5}, "entryPriceUsd")]
    )
    def test_a_bust_price_past_the_contracts_range_is_refused(
        self, venue: FilledVenue, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], argument: str
    ) -> None:
        monkeypatch.setattr(quote_position_outcome, "MAX_RAW_PRICE", 900_000)
        refused, text = _fault(venue, side="short", leverage=1, **changed)
        assert refused == argument
        assert "the bust price above 90000.0, the largest that BTC can have; take a" in text

    def test_a_move_past_the_contracts_range_is_refused(self, venue: FilledVenue) -> None:
        argument, text = _fault(venue, symbol="ETH", entryPriceUsd=9e16, priceMovePct=1000)
        assert argument == "priceMovePct"
        assert "priceMovePct is 1000: it must keep the price below" in text

    def test_an_entry_price_is_rounded_to_the_nearest_tick(self, venue: FilledVenue) -> None:
        for entry, rounded in ((83065.54, 83065.5), (83065.55, 83065.6)):
            assert venue.call(TOOL, {**BTC_LONG, "entryPriceUsd": entry})["entryPriceUsd"] == rounded

    def test_a_margin_is_taken_as_the_decimal_that_was_written(self, venue: FilledVenue) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "marginUsd": 100.1, "leverage": 1000})
        assert (quote["marginUsd"], quote["notionalUsd"]) == (100.1, 100_100)

    def test_dollars_are_rounded_once_half_away_from_zero_at_six_decimals(self, venue: FilledVenue) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "marginUsd": 1.0000005, "leverage": 3, "priceMovePct": -100})
        assert (quote["marginUsd"], quote["notionalUsd"]) == (1.000001, 3.000002)
        assert quote["netPnlUsd"] == -1.000001

    @pytest.mark.requirement("quote:label")
    def test_every_error_text_of_the_tool_says_that_it_is_a_simulation(self) -> None:
        assert TOOL.preface == "Simulation: "
