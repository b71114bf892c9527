"""What a close pays: published and computed vectors, to the last unit, and what must hold for any close.

Dollar figures of the tables stand at 6 decimals rounded to nearest, as ``usd`` shows them. The one
figure that was published truncated instead says so in its test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.bust import bust_price
from papertrade_site.market.emission import paper_minted
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD, usd
from papertrade_site.market.settlement import (
    PriceOutOfRangeError,
    Settlement,
    effective_move,
    exit_price,
    keep_share,
    paper_basis,
    settle,
    settle_position,
    value,
    win_fee,
)

WIN_FEE_RATE = 2 * 10**16
ENTRIES = {"BTC": 830655, "ETH": 251215}
MILLION = 1_000_000
MAX_RAW_PRICE = 2**64 - 1


def close(
    instrument: Instrument,
    exit_price: int,
    *,
    side: Side = Side.LONG,
    entry: int = MILLION,
    margin: int = 100 * WAD,
    leverage: int = 100,
) -> Settlement:
    """Close a position that was opened by the venue's rules."""
    return settle(
        instrument,
        side=side,
        margin=margin,
        leverage=leverage,
        entry=entry,
        bust=bust_price(entry, leverage=leverage, side=side, bust_buffer=instrument.bust_buffer),
        exit_price=exit_price,
        win_fee_rate=WIN_FEE_RATE,
    )


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


@pytest.mark.parametrize(
    ("exit_at", "queue_active", "basis"),
    [
        (995_000, False, 49 * WAD),
        (995_000, True, 50 * WAD),
        (980_000, False, 100 * WAD),
        (980_000, True, 100 * WAD),
        (1_010_000, False, 0),
        (1_010_000, True, 0),
        (1_000_000, False, 0),
    ],
)
def test_paper_is_minted_on_losses_alone(
    btc: Instrument, exit_at: int, queue_active: bool, basis: int
) -> None:
    assert paper_basis(close(btc, exit_at), queue_active=queue_active) == basis


@pytest.mark.parametrize(
    ("entry", "percent", "exit_at"),
    [
        (1_000_000, "0", 1_000_000),
        (1_000_000, "-100", 0),
        (251_215, "-0.5", 249_959),
        (999_999, "0.00009", 999_999),
        (999_999, "-0.00009", 999_999),
    ],
)
def test_an_exit_price_is_truncated_toward_the_entry(entry: int, percent: str, exit_at: int) -> None:
    assert exit_price(entry, move_percent=Decimal(percent)) == exit_at


@pytest.mark.parametrize(
    ("entry", "exit_at"),
    [(0, 1), (-1, 1), (MAX_RAW_PRICE + 1, 1), (1, -1), (1, MAX_RAW_PRICE + 1), (100_000, MAX_RAW_PRICE - 1)],
)
def test_a_price_outside_the_contracts_range_is_refused(entry: int, exit_at: int) -> None:
    with pytest.raises(PriceOutOfRangeError, match="outside the contract's price range"):
        effective_move(Side.LONG, entry=entry, exit_price=exit_at)


@pytest.mark.parametrize(
    ("entry", "exit_at", "move"),
    [
        (1, 0, -1),
        (MAX_RAW_PRICE, 1, 1 - MAX_RAW_PRICE),
        (100_000, MAX_RAW_PRICE - 2, MAX_RAW_PRICE - 100_004),
    ],
)
def test_the_edges_of_the_contracts_range_are_allowed(entry: int, exit_at: int, move: int) -> None:
    assert effective_move(Side.LONG, entry=entry, exit_price=exit_at) == move


@pytest.mark.parametrize(
    ("rate_multiplier", "position_multiplier", "reference_notional", "move"),
    [
        (WAD, WAD, WAD, 0),
        (0, WAD, WAD, 1000),
        (WAD, 0, WAD, 1000),
        (1, WAD, WAD, MILLION // 2),
        (1, WAD, WAD, MILLION),
        (WAD, 1, 10**42, MILLION),
        (WAD, 1, 10**44, MILLION),
    ],
)
def test_nothing_of_a_win_is_kept_when_its_impact_is_beyond_bounds(
    btc: Instrument, rate_multiplier: int, position_multiplier: int, reference_notional: int, move: int
) -> None:
    instrument = replace(
        btc,
        rate_multiplier=rate_multiplier,
        position_multiplier=position_multiplier,
        reference_notional=reference_notional,
    )
    assert keep_share(move, entry=MILLION, instrument=instrument) == 0


def test_the_impact_truncates_even_a_win_of_one_unit(btc: Instrument) -> None:
    assert close(btc, 1_010_020, margin=100, leverage=1) == Settlement(1, 0, 0, 0, liquidated=False)


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


ENTRY_PRICES = st.integers(50_000, 10**9)
LEVERAGES = st.integers(1, 1000)
MARGINS = st.integers(10 * WAD, 10_000_000 * WAD)
MOVES = st.integers(-99_999, 1_000_000)


@given(
    market=st.sampled_from(["BTC", "ETH"]),
    side=st.sampled_from(Side),
    entry=ENTRY_PRICES,
    margin=MARGINS,
    leverage=LEVERAGES,
    millionths=MOVES,
)
def test_no_close_pays_more_than_882_permille_of_the_move_or_takes_more_than_the_margin(
    markets: Mapping[str, Instrument],
    market: str,
    side: Side,
    entry: int,
    margin: int,
    leverage: int,
    millionths: int,
) -> None:
    exit_at = entry + entry * millionths // 100_000
    closed = close(markets[market], exit_at, side=side, entry=entry, margin=margin, leverage=leverage)
    favourable = exit_at - entry if side is Side.LONG else entry - exit_at
    gross = Fraction(margin * leverage * favourable, entry)
    assert -margin <= closed.net <= max(gross * Fraction("0.882"), Fraction(0))
    assert closed.adjusted >= -margin
    assert 0 <= closed.win_fee <= max(closed.adjusted, 0)


@given(entry=ENTRY_PRICES, margin=MARGINS, leverage=LEVERAGES, share=st.integers(-100_000, 100_000))
def test_a_short_is_valued_like_a_long_with_the_exit_mirrored_at_the_entry(
    btc: Instrument, entry: int, margin: int, leverage: int, share: int
) -> None:
    move = entry * share // 100_000
    long = value(btc, side=Side.LONG, margin=margin, leverage=leverage, entry=entry, exit_price=entry + move)
    short = value(
        btc, side=Side.SHORT, margin=margin, leverage=leverage, entry=entry, exit_price=entry - move
    )
    assert long == short


@given(
    market=st.sampled_from(["BTC", "ETH"]),
    entry=ENTRY_PRICES,
    moves=st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)),
)
def test_a_larger_move_never_keeps_a_smaller_share(
    markets: Mapping[str, Instrument], market: str, entry: int, moves: tuple[int, int]
) -> None:
    smaller, larger = sorted(moves)
    instrument = markets[market]
    small_share = keep_share(smaller, entry=entry, instrument=instrument)
    large_share = keep_share(larger, entry=entry, instrument=instrument)
    assert 0 <= small_share <= large_share <= WAD - instrument.base_rate


@given(entry=ENTRY_PRICES, margin=MARGINS, exits=st.tuples(ENTRY_PRICES, ENTRY_PRICES))
def test_a_better_exit_never_pays_a_long_less(
    btc: Instrument, entry: int, margin: int, exits: tuple[int, int]
) -> None:
    worse, better = (close(btc, at, entry=entry, margin=margin).net for at in sorted(exits))
    assert worse <= better
