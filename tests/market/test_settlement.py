"""What a close pays: published and computed vectors, to the last unit.

Dollar figures of the tables stand at 6 decimals rounded to nearest, as ``usd`` shows them. The one
figure that was published truncated instead says so in its test.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import pytest

from papertrade_site.market.emission import paper_minted
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD, usd
from papertrade_site.market.settlement import exit_price, paper_basis, settle_position, win_fee
from tests.market.closes import ENTRIES, MILLION, WIN_FEE_RATE, close


@pytest.mark.parametrize(
    ("market", "percent", "exit_raw", "raw", "after_impact", "net"),
    [
        ("BTC", "0.01", 830738, 0.806592, 0.216795, 0.212459),
        ("BTC", "0.05", 831070, 4.803438, 3.100423, 3.038415),
        ("BTC", "0.1", 831485, 9.799496, 7.390873, 7.243055),
        ("BTC", "0.25", 832731, 24.799706, 20.735876, 20.321158),
        ("BTC", "0.5", 834808, 49.804070, 43.181290, 42.317665),
        ("BTC", "1", 838961, 99.800760, 88.147600, 86.384648),
        ("BTC", "2", 847268, 199.806177, 178.136731, 174.573996),
        ("BTC", "5", 872187, 499.798352, 448.120114, 439.157712),
        ("ETH", "0.01", 251240, 0.796131, 0.161644, 0.158411),
        ("ETH", "0.05", 251340, 4.776785, 2.734600, 2.679908),
        ("ETH", "0.1", 251466, 9.792409, 6.890236, 6.752432),
        ("ETH", "0.25", 251843, 24.799475, 20.104082, 19.702000),
        ("ETH", "0.5", 252471, 49.797982, 42.486557, 41.636825),
        ("ETH", "1", 253727, 99.794996, 87.421472, 85.673042),
        ("ETH", "2", 256239, 199.789025, 177.383728, 173.836054),
        ("ETH", "5", 263775, 499.771112, 447.347793, 438.400837),
    ],
)
def test_a_long_of_100_dollars_at_100x_pays_the_tabled_amounts(
    markets: Mapping[str, Instrument],
    market: str,
    percent: str,
    exit_raw: int,
    raw: float,
    after_impact: float,
    net: float,
) -> None:
    entry = ENTRIES[market]
    exit_at = exit_price(entry, move_percent=Decimal(percent))
    closed = close(markets[market], exit_at, entry=entry)
    assert exit_at == exit_raw
    assert (usd(closed.raw), usd(closed.adjusted), usd(closed.net)) == (raw, after_impact, net)


@pytest.mark.parametrize(
    ("percent", "per_ten_thousand"),
    [
        ("0.01", 2634),
        ("0.05", 6325),
        ("0.1", 7391),
        ("0.25", 8194),
        ("0.5", 8497),
        ("1", 8656),
        ("2", 8737),
        ("5", 8787),
    ],
)
def test_the_share_of_the_result_that_is_paid_matches_the_table(
    btc: Instrument, percent: str, per_ten_thousand: int
) -> None:
    closed = close(btc, exit_price(830655, move_percent=Decimal(percent)), entry=830655)
    assert round(Fraction(closed.net * 10_000, closed.raw)) == per_ten_thousand


def test_a_figure_published_truncated_to_micro_dollars_is_met_as_well(btc: Instrument) -> None:
    assert close(btc, 830738, entry=830655).net // 10**12 == 212_458


@pytest.mark.parametrize(
    ("side", "exit_at", "raw", "adjusted", "net"),
    [
        (Side.LONG, 1_000_000, 0, 0, 0),
        (Side.LONG, 1_000_001, 0, 0, 0),
        (Side.LONG, 1_000_020, 0, 0, 0),
        (Side.LONG, 1_000_021, 10000000000000000, 47262303575171, 46317057503668),
        (Side.LONG, 1_000_100, 800000000000000000, 213787350602147749, 209511603590104795),
        (Side.LONG, 1_001_000, 9800000000000000000, 7391314653933534055, 7243488360854863374),
        (Side.LONG, 1_010_000, 99800000000000000000, 88146916718582173653, 86383978384210530180),
        (Side.LONG, 1_050_000, 499800000000000000000, 448121597584592908552, 439159165632901050381),
        (Side.LONG, 990_000, -100 * WAD, -100 * WAD, -100 * WAD),
        (Side.SHORT, 999_999, 0, 0, 0),
        (Side.SHORT, 999_980, 0, 0, 0),
        (Side.SHORT, 999_979, 10000000000000000, 47262303575171, 46317057503668),
        (Side.SHORT, 990_000, 99800000000000000000, 88146916718582173653, 86383978384210530180),
        (Side.SHORT, 2_000_000, -10_000 * WAD, -100 * WAD, -100 * WAD),
    ],
)
def test_a_btc_close_is_exact_to_the_last_unit(
    btc: Instrument, side: Side, exit_at: int, raw: int, adjusted: int, net: int
) -> None:
    closed = close(btc, exit_at, side=side)
    assert (closed.raw, closed.adjusted, closed.net) == (raw, adjusted, net)
    assert closed.win_fee == closed.adjusted - closed.net


@pytest.mark.parametrize(
    ("exit_at", "least", "most"),
    [(1_000_100, Fraction(0), Fraction("0.4")), (1_050_000, Fraction("0.85"), Fraction("0.9"))],
)
def test_a_small_win_keeps_little_and_a_large_one_most_of_it(
    btc: Instrument, exit_at: int, least: Fraction, most: Fraction
) -> None:
    closed = close(btc, exit_at)
    assert least < Fraction(closed.adjusted, closed.raw) < most


@pytest.mark.parametrize(
    ("side", "mark", "liquidated"),
    [
        (Side.LONG, 990_472, False),
        (Side.LONG, 990_471, True),
        (Side.SHORT, 1_009_519, False),
        (Side.SHORT, 1_009_520, True),
    ],
)
def test_the_whole_margin_is_lost_from_the_bust_price_on(
    btc: Instrument, side: Side, mark: int, liquidated: bool
) -> None:
    closed = close(btc, mark, side=side)
    assert closed.liquidated is liquidated
    assert (closed.net == -100 * WAD) is liquidated
    assert closed.win_fee == 0


def test_a_one_percent_win_keeps_883_permille(btc: Instrument) -> None:
    closed = close(btc, 1_010_000, margin=10 * WAD)
    assert (closed.raw, closed.adjusted) == (9_980_000_000_000_000_000, 8_814_691_671_858_217_365)
    assert closed.adjusted * 1000 // closed.raw == 883


@pytest.mark.parametrize(("adjusted", "paid"), [(100, 98), (0, 0), (-5, -5)])
def test_only_a_win_pays_the_win_fee(adjusted: int, paid: int) -> None:
    amount = adjusted * WAD
    assert amount - win_fee(amount, rate=WIN_FEE_RATE) == paid * WAD


def test_the_worked_eth_short_comes_out_as_documented(markets: Mapping[str, Instrument]) -> None:
    exit_at = exit_price(251215, move_percent=Decimal("-0.5"))
    closed = close(markets["ETH"], exit_at, side=Side.SHORT, entry=251215, margin=200 * WAD)
    assert exit_at == 249959
    assert [usd(part) for part in (closed.raw, closed.adjusted, closed.win_fee, closed.net)] == [
        99.595964,
        84.973113,
        1.699462,
        83.273651,
    ]


@pytest.mark.parametrize(
    ("market", "raw", "net", "of_gross", "of_raw"),
    [("BTC", 48.997478, 36.215276, 72.43, 73.91), ("ETH", 48.962044, 33.762158, None, 68.96)],
)
def test_100_dollars_at_500x_over_a_tenth_of_a_percent_pays_as_documented(
    markets: Mapping[str, Instrument],
    market: str,
    raw: float,
    net: float,
    of_gross: float | None,
    of_raw: float,
) -> None:
    entry = ENTRIES[market]
    exit_at = exit_price(entry, move_percent=Decimal("0.1"))
    closed = close(markets[market], exit_at, entry=entry, leverage=500)
    assert (usd(closed.raw), usd(closed.net)) == (raw, net)
    assert closed.net * 100 / closed.raw == pytest.approx(of_raw, abs=0.005)
    assert of_gross is None or usd(closed.net) * 100 / 50 == pytest.approx(of_gross, abs=0.005)


@pytest.mark.parametrize(
    ("market", "percent", "kept"),
    [
        ("BTC", "0.05", 60.71),
        ("BTC", "0.1", 72.43),
        ("BTC", "0.25", 81.29),
        ("BTC", "0.5", 84.63),
        ("BTC", "1", 86.38),
        ("BTC", "1.07", 86.50),
        ("BTC", "1.6", 87.06),
        ("BTC", "2", 87.28),
        ("BTC", "3", 87.59),
        ("ETH", "0.1", 67.59),
        ("ETH", "1", 85.68),
        ("ETH", "1.6", 86.61),
    ],
)
def test_the_share_of_the_plain_move_that_is_paid_matches_the_documents(
    markets: Mapping[str, Instrument], market: str, percent: str, kept: float
) -> None:
    exit_at = exit_price(MILLION, move_percent=Decimal(percent))
    gross = 10_000 * WAD * (exit_at - MILLION) // MILLION
    net = close(markets[market], exit_at).net
    assert net * 100 / gross == pytest.approx(kept, abs=0.005)


@pytest.mark.parametrize(("percent", "kept"), [("0.1", 73.91), ("1", 88.15)])
def test_the_share_before_the_fee_matches_the_documents(btc: Instrument, percent: str, kept: float) -> None:
    exit_at = exit_price(MILLION, move_percent=Decimal(percent))
    gross = 10_000 * WAD * (exit_at - MILLION) // MILLION
    assert close(btc, exit_at).adjusted * 100 / gross == pytest.approx(kept, abs=0.005)


def test_the_worked_pair_of_a_loser_and_a_winner_adds_up(btc: Instrument) -> None:
    loser = close(btc, 990_000, margin=400 * WAD, leverage=25)
    winner = close(btc, 990_000, side=Side.SHORT, margin=400 * WAD, leverage=25)
    paper = paper_minted(paper_basis(loser, queue_active=False), rate=100 * WAD)
    loss_fee = 2 * WAD
    assert (loser.net, loser.liquidated) == (-100 * WAD, False)
    assert usd(winner.net) == 86.383978
    assert paper == 9_800 * WAD
    assert usd(-loser.net - winner.net) == 13.616022
    assert usd((winner.win_fee + loss_fee) // 2) == 1.881469


def test_an_open_position_settles_by_its_stored_bust_price(btc: Instrument) -> None:
    position = Position(
        id="53573",
        wallet="0x" + "0" * 40,
        instrument_id=0,
        side=Side.LONG,
        margin=100 * WAD,
        leverage=100,
        entry=MILLION,
        bust=999_000,
        opened_at_ms=0,
    )
    held = settle_position(btc, position, mark=999_001, win_fee_rate=WIN_FEE_RATE)
    lost = settle_position(btc, position, mark=999_000, win_fee_rate=WIN_FEE_RATE)
    assert (held.net, held.liquidated) == (-9_990_000_000_000_000_000, False)
    assert (lost.net, lost.liquidated) == (-100 * WAD, True)
