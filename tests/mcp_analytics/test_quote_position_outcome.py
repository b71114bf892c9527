"""``quote_position_outcome`` by its vectors, at its bounds, in every state of the venue."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.tools.quote_position_outcome import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import BadArgumentsError
from papertrade_site.upstream import hyperliquid
from tests.tool_calls import (
    BUST_BUFFER,
    MAX_LEVERAGE,
    NAMED,
    FilledVenue,
    body,
    book,
    simulated_calls,
)

FIELDS = [
    "simulation",
    "notice",
    "symbol",
    "side",
    "marginUsd",
    "leverage",
    "notionalUsd",
    "entryPriceUsd",
    "exitPriceUsd",
    "bustPriceUsd",
    "bustDistancePct",
    "liquidated",
    "rawPnlUsd",
    "afterImpactUsd",
    "winFeeUsd",
    "netPnlUsd",
    "keptFraction",
    "returnOnMarginPct",
    "paperMintBasisUsd",
]
COMMON = {"generatedAt", "dataSource", "freshness"}

BTC_LONG: dict[str, Any] = {
    "symbol": "BTC",
    "side": "long",
    "marginUsd": 100,
    "leverage": 100,
    "priceMovePct": 1,
}


@pytest.fixture
def venue() -> FilledVenue:
    return FilledVenue()


def _fault(venue: FilledVenue, **changed: Any) -> tuple[str, str]:  # noqa: ANN401
    with pytest.raises(BadArgumentsError) as caught:
        venue.call(TOOL, {**BTC_LONG, **changed})
    (fault,) = caught.value.faults
    return fault.argument, str(fault)


class TestVectors:
    @pytest.mark.requirement("quote:arithmetic", "quote:entry", "quote:direction")
    def test_eth_short_of_the_documents_nets_83_273651(self, venue: FilledVenue) -> None:
        quote, summary = venue.answer(
            TOOL,
            {"symbol": "ETH", "side": "short", "marginUsd": 200, "leverage": 100, "priceMovePct": -0.5},
        )
        assert {name: quote[name] for name in FIELDS if name != "notice"} == {
            "simulation": True,
            "symbol": "ETH",
            "side": "short",
            "marginUsd": 200,
            "leverage": 100,
            "notionalUsd": 20_000,
            "entryPriceUsd": 2512.15,
            "exitPriceUsd": 2499.59,
            "bustPriceUsd": 2536.05,
            "bustDistancePct": 0.951376,
            "liquidated": False,
            "rawPnlUsd": 99.595964,
            "afterImpactUsd": 84.973113,
            "winFeeUsd": 1.699462,
            "netPnlUsd": 83.273651,
            "keptFraction": 0.832737,
            "returnOnMarginPct": 41.636825,
            "paperMintBasisUsd": 0,
        }
        assert summary == (
            "Simulation: a 100x ETH short on $200 margin, from $2,512.15 to $2,499.59, nets $83.273651 "
            "(+41.636825 % of the margin), bust at $2,536.05. Simulated data."
        )

    @pytest.mark.requirement("quote:arithmetic", "quote:entry", "quote:direction")
    def test_btc_long_of_the_documents_nets_36_215276(self, venue: FilledVenue) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "leverage": 500, "priceMovePct": 0.1})
        assert quote["rawPnlUsd"] == 48.997478
        assert quote["netPnlUsd"] == 36.215276
        assert quote["keptFraction"] == 0.724306
        assert quote["bustPriceUsd"] == 82938.8

    @pytest.mark.requirement("quote:arithmetic")
    @pytest.mark.parametrize(
        ("symbol", "side", "entry_usd", "leverage", "bust_usd"),
        [
            ("BTC", "short", 83046.5, 1000, 83090.0),
            ("ETH", "long", 2512.15, 50, 2463.09),
            ("BTC", "long", 100000, 100, 99047.1),
            ("BTC", "long", 83065.5, 100, 82274.0),
            ("BTC", "long", 83065.5, 1, 0),
            ("BTC", "short", 83065.5, 1, 166052.0),
            ("BTC", "long", 83065.5, 10, 74794.5),
            ("BTC", "short", 83065.5, 10, 91328.6),
            ("BTC", "long", 83065.5, 25, 79780.8),
            ("BTC", "short", 83065.5, 25, 86347.0),
            ("BTC", "long", 83065.5, 50, 81442.9),
            ("BTC", "short", 83065.5, 50, 84686.5),
            ("BTC", "long", 83065.5, 250, 82772.6),
            ("BTC", "short", 83065.5, 250, 83358.0),
            ("BTC", "long", 83065.5, 500, 82938.8),
            ("BTC", "short", 83065.5, 500, 83192.0),
            ("BTC", "long", 83065.5, 1000, 83022.0),
            ("BTC", "short", 83065.5, 1000, 83109.0),
            ("ETH", "long", 2512.15, 10, 2262.02),
            ("ETH", "short", 2512.15, 10, 2762.03),
            ("ETH", "long", 2512.15, 100, 2488.22),
            ("ETH", "short", 2512.15, 100, 2536.05),
            ("ETH", "long", 2512.15, 500, 2508.33),
            ("ETH", "short", 2512.15, 500, 2515.96),
            ("ETH", "long", 2512.15, 1000, 2510.84),
            ("ETH", "short", 2512.15, 1000, 2513.45),
        ],
    )
    def test_bust_prices(
        self,
        venue: FilledVenue,
        symbol: str,
        side: str,
        entry_usd: float,
        leverage: int,
        bust_usd: float,
    ) -> None:
        arguments = {"symbol": symbol, "side": side, "leverage": leverage, "entryPriceUsd": entry_usd}
        assert venue.call(TOOL, {**BTC_LONG, **arguments})["bustPriceUsd"] == bust_usd

    @pytest.mark.parametrize(
        ("symbol", "move", "exit_usd", "raw", "adjusted", "net"),
        [
            ("BTC", 0.01, 83073.8, 0.806592, 0.216795, 0.212459),
            ("BTC", 0.05, 83107.0, 4.803438, 3.100423, 3.038415),
            ("BTC", 0.1, 83148.5, 9.799496, 7.390873, 7.243055),
            ("BTC", 0.25, 83273.1, 24.799706, 20.735876, 20.321158),
            ("BTC", 0.5, 83480.8, 49.804070, 43.181290, 42.317665),
            ("BTC", 1, 83896.1, 99.800760, 88.147600, 86.384648),
            ("BTC", 2, 84726.8, 199.806177, 178.136731, 174.573996),
            ("BTC", 5, 87218.7, 499.798352, 448.120114, 439.157712),
            ("ETH", 0.01, 2512.40, 0.796131, 0.161644, 0.158411),
            ("ETH", 0.05, 2513.40, 4.776785, 2.734600, 2.679908),
            ("ETH", 0.1, 2514.66, 9.792409, 6.890236, 6.752432),
            ("ETH", 0.25, 2518.43, 24.799475, 20.104082, 19.702000),
            ("ETH", 0.5, 2524.71, 49.797982, 42.486557, 41.636825),
            ("ETH", 1, 2537.27, 99.794996, 87.421472, 85.673042),
            ("ETH", 2, 2562.39, 199.789025, 177.383728, 173.836054),
            ("ETH", 5, 2637.75, 499.771112, 447.347793, 438.400837),
        ],
    )
    def test_what_a_winning_long_is_paid(
        self,
        venue: FilledVenue,
        symbol: str,
        move: float,
        exit_usd: float,
        raw: float,
        adjusted: float,
        net: float,
    ) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "symbol": symbol, "priceMovePct": move})
        assert quote["exitPriceUsd"] == exit_usd
        assert quote["rawPnlUsd"] == raw
        assert quote["afterImpactUsd"] == adjusted
        assert quote["netPnlUsd"] == net

    @pytest.mark.parametrize(
        ("move", "side", "raw", "adjusted", "net"),
        [
            (0, "long", 0, 0, 0),
            (0.002, "long", 0, 0, 0),
            (0.0021, "long", 0.01, 0.000047, 0.000046),
            (0.01, "long", 0.8, 0.213787, 0.209512),
            (0.1, "long", 9.8, 7.391315, 7.243488),
            (1, "long", 99.8, 88.146917, 86.383978),
            (5, "long", 499.8, 448.121598, 439.159166),
            (-1, "long", -100, -100, -100),
            (-0.002, "short", 0, 0, 0),
            (-0.0021, "short", 0.01, 0.000047, 0.000046),
            (-1, "short", 99.8, 88.146917, 86.383978),
            (100, "short", -10_000, -100, -100),
        ],
    )
    def test_exact_integers_from_an_entry_of_100_000(
        self, venue: FilledVenue, move: float, side: str, raw: float, adjusted: float, net: float
    ) -> None:
        arguments = {"side": side, "priceMovePct": move, "entryPriceUsd": 100_000}
        quote = venue.call(TOOL, {**BTC_LONG, **arguments})
        assert quote["rawPnlUsd"] == raw
        assert quote["afterImpactUsd"] == adjusted
        assert quote["netPnlUsd"] == net

    @pytest.mark.parametrize(
        ("move", "kept_percent"),
        [(0.05, 60.71), (0.1, 72.43), (0.25, 81.29), (0.5, 84.63), (1, 86.38), (1.07, 86.50), (3, 87.59)],
    )
    def test_kept_shares_of_the_nominal_gain(
        self, venue: FilledVenue, move: float, kept_percent: float
    ) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "priceMovePct": move, "entryPriceUsd": 100_000})
        assert round(quote["keptFraction"] * 100, 2) == kept_percent


class TestLosses:
    def test_a_loss_short_of_the_bust_price_pays_no_fee(self, venue: FilledVenue) -> None:
        quote = venue.call(TOOL, {**BTC_LONG, "priceMovePct": -0.5})
        assert quote["liquidated"] is False
        assert quote["winFeeUsd"] == 0
        assert quote["netPnlUsd"] == quote["rawPnlUsd"] == -49.996689
        assert quote["keptFraction"] is None

    def test_all_of_a_loss_mints_while_winners_wait(self, venue: FilledVenue) -> None:
        assert venue.call(TOOL, {**BTC_LONG, "priceMovePct": -0.5})["paperMintBasisUsd"] == 49.996689

    def test_98_percent_of_a_loss_mints_while_nobody_waits(self, venue: FilledVenue) -> None:
        venue.put(NAMED["queue"], {**body("queue"), "count": 0, "total": "0", "largest": None, "front": None})
        assert venue.call(TOOL, {**BTC_LONG, "priceMovePct": -0.5})["paperMintBasisUsd"] == 48.996756

    def test_a_liquidation_loses_the_margin_and_mints_on_all_of_it(self, venue: FilledVenue) -> None:
        quote, summary = venue.answer(TOOL, {**BTC_LONG, "priceMovePct": -0.96})
        assert quote["liquidated"] is True
        assert quote["netPnlUsd"] == -100
        assert quote["paperMintBasisUsd"] == 100
        assert quote["returnOnMarginPct"] == -100
        assert "is liquidated and loses $100" in summary

    def test_reaching_the_bust_price_is_enough(self, venue: FilledVenue) -> None:
        at_bust = {"leverage": 10, "entryPriceUsd": 100_000, "priceMovePct": -9.9571}
        quote = venue.call(TOOL, {**BTC_LONG, **at_bust})
        assert (quote["exitPriceUsd"], quote["bustPriceUsd"]) == (90042.9, 90042.8)
        assert quote["liquidated"] is False
        assert venue.call(TOOL, {**BTC_LONG, **at_bust, "priceMovePct": -9.9572})["liquidated"] is True

    @pytest.mark.parametrize(("side", "move"), [("long", 1), ("short", -1), ("long", 0), ("short", 0)])
    def test_the_queue_is_read_for_losses_alone(self, venue: FilledVenue, side: str, move: int) -> None:
        assert venue.call(TOOL, {**BTC_LONG, "side": side, "priceMovePct": move})["netPnlUsd"] >= 0
        assert "exchange.queue" not in venue.asked

    def test_an_unreadable_queue_leaves_the_mint_basis_open(self, venue: FilledVenue) -> None:
        venue.fail("exchange.queue")
        quote = venue.call(TOOL, {**BTC_LONG, "priceMovePct": -0.5})
        assert quote["paperMintBasisUsd"] is None
        assert quote["freshness"]["degraded"] is True
        assert quote["netPnlUsd"] == -49.996689


class TestBounds:
    @pytest.mark.requirement("quote:arguments")
    @pytest.mark.parametrize(
        ("argument", "good", "bad"),
        [
            (
                "marginUsd",
                [1, 1.5, 1_000_000, "250.5"],
                [0.999999, 0, -1, 1_000_000.01, True, "ten", 10**400],
            ),
            ("leverage", [1, 1000, 20.0, "20"], [0, 1001, 20.5, "20x", False]),
            ("priceMovePct", [-100, 0, 1000, 1e-300, "-0.5"], [-100.0001, 1000.0001, "1%", None]),
            ("entryPriceUsd", [83065.5, "83065.5", None], [-0.01, "market", [1]]),
            ("symbol", ["BTC", " eth "], ["SOL", "", 1, None]),
            ("side", ["long", "SHORT"], ["buy", "", True]),
        ],
    )
    def test_each_argument_is_taken_up_to_its_bounds_and_refused_by_name_past_them(
        self, venue: FilledVenue, argument: str, good: list[Any], bad: list[Any]
    ) -> None:
        for value in good:
            venue.call(TOOL, {**BTC_LONG, argument: value})
        for value in bad:
            refused, text = _fault(venue, **{argument: value})
            assert refused == argument
            assert len(text) < 250

    @pytest.mark.requirement("quote:arguments")
    @pytest.mark.parametrize("argument", ["symbol", "side", "marginUsd", "leverage", "priceMovePct"])
    def test_a_missing_argument_is_named(self, venue: FilledVenue, argument: str) -> None:
        with pytest.raises(BadArgumentsError) as caught:
            venue.call(TOOL, {name: value for name, value in BTC_LONG.items() if name != argument})
        assert [fault.argument for fault in caught.value.faults] == [argument]

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

    @pytest.mark.parametrize("entry", [1.9e18, 10**400])
    def test_a_price_past_the_contracts_range_is_refused(self, venue: FilledVenue, entry: float) -> None:
        argument, text = _fault(venue, entryPriceUsd=entry)
        assert argument == "entryPriceUsd"
        assert "must be at most 1844674407370955161.5" in text

    def test_a_move_past_the_contracts_range_is_refused(self, venue: FilledVenue) -> None:
        argument, text = _fault(venue, entryPriceUsd=1e18, priceMovePct=1000)
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


@pytest.mark.requirement("quote:simulation")
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_whatever_is_quoted_holds_together(data: st.DataObject) -> None:
    venue = FilledVenue()
    places = {
        "at12": str(data.draw(st.integers(0, 10**24))),
        "at13": str(data.draw(st.integers(0, 10**22))),
        "at16": str(data.draw(st.integers(0, 10**15 - 1))),
        "at17": str(data.draw(st.integers(0, WAD))),
        "at18": str(data.draw(st.integers(0, 10**25))),
    }
    venue.put_market(0, **places)
    bid = data.draw(st.integers(10_000, 200_000))
    venue.put(hyperliquid.book("BTC"), book("BTC", f"{bid}.5", f"{bid + 3}"))
    arguments = {
        "symbol": "BTC",
        "side": data.draw(st.sampled_from(["long", "short"])),
        "marginUsd": data.draw(st.floats(1, 1_000_000)),
        "leverage": data.draw(st.integers(1, 900)),
        "priceMovePct": data.draw(st.floats(-100, 1000) | st.floats(-1, 1)),
    }
    quote = venue.call(TOOL, arguments)
    assert quote["notionalUsd"] == pytest.approx(quote["marginUsd"] * quote["leverage"], abs=1e-3)
    assert -quote["marginUsd"] <= quote["netPnlUsd"] <= max(quote["rawPnlUsd"], 0)
    if quote["liquidated"]:
        assert quote["netPnlUsd"] == -quote["marginUsd"]
    else:
        difference = quote["afterImpactUsd"] - quote["winFeeUsd"]
        assert quote["netPnlUsd"] == pytest.approx(difference, rel=1e-12, abs=2e-6)
    if quote["keptFraction"] is not None:
        assert 0 <= quote["keptFraction"] <= 1
    assert 0 <= quote["paperMintBasisUsd"] <= quote["marginUsd"]
    assert len(json.dumps(quote)) < 10_000


@pytest.mark.requirement("quote:entry")
def test_over_the_embedded_exchange_a_quote_starts_at_its_mark() -> None:
    with simulated_calls() as calls:
        quote = calls.call(TOOL, {**BTC_LONG, "priceMovePct": -0.2})
        assert quote["entryPriceUsd"] == calls.world.prices.mids[0] / 10
        assert quote["freshness"]["degraded"] is False
        assert calls.requests <= 8
