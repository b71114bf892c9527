"""What ``quote_position_outcome`` computes: by its vectors, for losses, and for whatever is asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.tools.quote_position_outcome import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.upstream import hyperliquid
from tests.filled_venue import NAMED, FilledVenue
from tests.mcp_analytics.quotes import BTC_LONG, FIELDS
from tests.tool_calls import DEFAULT_BYTES, size_of
from tests.venue_bodies import body, book


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
            "Simulation: a 100x ETH short on $200 margin, entered at $2,512.15 and closed at $2,499.59, "
            "keeps 83.27 % of what the move would earn and nets $83.27 (+41.64 % of the margin), bust "
            "price $2,536.05. Simulated data."
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
    assert size_of(quote) <= DEFAULT_BYTES
