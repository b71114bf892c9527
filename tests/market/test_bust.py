"""Bust prices, distances, danger labels and risk."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.bust import (
    Danger,
    bust_price,
    danger,
    distance,
    distance_share,
    is_crossed,
    risk_basis_points,
)
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import WAD, percent


@pytest.mark.parametrize(
    ("market", "side", "entry", "leverage", "expected"),
    [
        ("BTC", Side.SHORT, 830465, 1000, 830900),
        ("ETH", Side.LONG, 251215, 50, 246309),
        ("BTC", Side.LONG, 1_000_000, 100, 990471),
        ("BTC", Side.LONG, 830655, 100, 822740),
        ("ETH", Side.SHORT, 251215, 100, 253605),
    ],
)
def test_a_published_bust_price_is_met_to_the_tick(
    markets: Mapping[str, Instrument], market: str, side: Side, entry: int, leverage: int, expected: int
) -> None:
    buffer = markets[market].bust_buffer
    assert bust_price(entry, leverage=leverage, side=side, bust_buffer=buffer) == expected


@pytest.mark.parametrize(
    ("market", "entry", "leverage", "long", "short"),
    [
        ("BTC", 830655, 1, 0, 1660520),
        ("BTC", 830655, 10, 747945, 913286),
        ("BTC", 830655, 25, 797808, 863470),
        ("BTC", 830655, 50, 814429, 846865),
        ("BTC", 830655, 250, 827726, 833580),
        ("BTC", 830655, 500, 829388, 831920),
        ("BTC", 830655, 1000, 830220, 831090),
        ("ETH", 251215, 10, 226202, 276203),
        ("ETH", 251215, 100, 248822, 253605),
        ("ETH", 251215, 500, 250833, 251596),
        ("ETH", 251215, 1000, 251084, 251345),
    ],
)
def test_both_sides_bust_at_the_tabled_prices(
    markets: Mapping[str, Instrument], market: str, entry: int, leverage: int, long: int, short: int
) -> None:
    buffer = markets[market].bust_buffer
    assert bust_price(entry, leverage=leverage, side=Side.LONG, bust_buffer=buffer) == long
    assert bust_price(entry, leverage=leverage, side=Side.SHORT, bust_buffer=buffer) == short


@pytest.mark.parametrize(("leverage", "away"), [(10, 9.957), (100, 0.953), (1000, 0.0524)])
def test_a_long_busts_as_far_away_as_the_documents_say(btc: Instrument, leverage: int, away: float) -> None:
    bust = bust_price(830655, leverage=leverage, side=Side.LONG, bust_buffer=btc.bust_buffer)
    share = distance_share(Side.LONG, mark=830655, bust=bust)
    assert percent(share) == pytest.approx(away, abs=0.0005)


@given(
    entry=st.integers(100_000, 10**9),
    leverage=st.integers(1, 1000),
    buffer=st.integers(0, 6 * 10**14),
)
def test_the_bust_price_lies_on_the_losing_side_of_the_entry(entry: int, leverage: int, buffer: int) -> None:
    assert 0 <= bust_price(entry, leverage=leverage, side=Side.LONG, bust_buffer=buffer) < entry
    assert bust_price(entry, leverage=leverage, side=Side.SHORT, bust_buffer=buffer) > entry


@pytest.mark.parametrize(
    ("side", "mark", "crossed"),
    [
        (Side.LONG, 990471, True),
        (Side.LONG, 990470, True),
        (Side.LONG, 990472, False),
        (Side.SHORT, 990471, True),
        (Side.SHORT, 990472, True),
        (Side.SHORT, 990470, False),
    ],
)
def test_reaching_the_bust_price_is_enough_to_cross_it(side: Side, mark: int, crossed: bool) -> None:
    assert is_crossed(side, mark=mark, bust=990471) is crossed


@given(side=st.sampled_from(Side), mark=st.integers(1, 10**9), bust=st.integers(0, 10**9))
def test_a_position_is_crossed_exactly_when_no_distance_is_left(side: Side, mark: int, bust: int) -> None:
    assert is_crossed(side, mark=mark, bust=bust) is (distance(side, mark=mark, bust=bust) <= 0)


def test_distance_is_a_share_of_the_mark() -> None:
    assert distance_share(Side.LONG, mark=1000, bust=990) == Fraction(1, 100)
    assert distance_share(Side.SHORT, mark=1000, bust=990) == Fraction(-1, 100)


@pytest.mark.parametrize(
    ("share", "label"),
    [
        (Fraction(-1, 10**9), Danger.BUSTED),
        (Fraction(0), Danger.BUSTED),
        (Fraction(1, 10**12), Danger.CRITICAL),
        (Fraction("0.0005") - Fraction(1, 10**12), Danger.CRITICAL),
        (Fraction("0.0005"), Danger.HIGH),
        (Fraction("0.0025") - Fraction(1, 10**12), Danger.HIGH),
        (Fraction("0.0025"), Danger.MEDIUM),
        (Fraction("0.01") - Fraction(1, 10**12), Danger.MEDIUM),
        (Fraction("0.01"), Danger.LOW),
        (Fraction(2), Danger.LOW),
    ],
)
def test_danger_changes_exactly_at_its_borders(share: Fraction, label: Danger) -> None:
    assert danger(share) is label


@pytest.mark.parametrize(
    ("mark", "risk"),
    [
        (1_010_000, 0),
        (1_000_000, 0),
        (995_236, 4999),
        (995_235, 5000),
        (990_471, 10_000),
        (990_466, 10_000),
    ],
)
def test_risk_grows_from_entry_to_bust_for_a_long(mark: int, risk: int) -> None:
    assert risk_basis_points(Side.LONG, entry=1_000_000, bust=990_471, mark=mark) == risk


@pytest.mark.parametrize(("mark", "risk"), [(990_000, 0), (1_002_500, 2500), (1_010_000, 10_000)])
def test_risk_grows_from_entry_to_bust_for_a_short(mark: int, risk: int) -> None:
    assert risk_basis_points(Side.SHORT, entry=1_000_000, bust=1_010_000, mark=mark) == risk


def test_the_first_tick_against_a_position_counts() -> None:
    assert risk_basis_points(Side.LONG, entry=1_000_000, bust=999_900, mark=999_999) == 100


@pytest.mark.parametrize(("mark", "risk"), [(1_000_001, 0), (1_000_000, 10_000)])
def test_risk_is_all_or_nothing_without_room_between_entry_and_bust(mark: int, risk: int) -> None:
    assert risk_basis_points(Side.LONG, entry=1_000_000, bust=1_000_000, mark=mark) == risk


@pytest.mark.parametrize(
    ("side", "bust", "marks"),
    [
        (Side.LONG, 1_010_000, (1_000_000, 995_000, 990_000)),
        (Side.SHORT, 990_000, (1_000_000, 1_005_000, 1_010_000)),
    ],
)
def test_risk_counts_the_room_to_a_bust_price_on_the_winning_side_as_well(
    side: Side, bust: int, marks: tuple[int, ...]
) -> None:
    risks = [risk_basis_points(side, entry=1_000_000, bust=bust, mark=mark) for mark in marks]
    assert risks == [0, 5000, 10_000]


@given(
    side=st.sampled_from(Side),
    leverage=st.integers(1, 1000),
    marks=st.tuples(st.integers(1, 2 * 10**6), st.integers(1, 2 * 10**6)),
)
def test_risk_never_falls_as_the_mark_moves_against_the_position(
    side: Side, leverage: int, marks: tuple[int, int]
) -> None:
    bust = bust_price(10**6, leverage=leverage, side=side, bust_buffer=WAD // 2100)
    better, worse = sorted(marks, reverse=side is Side.LONG)
    first, second = (risk_basis_points(side, entry=10**6, bust=bust, mark=mark) for mark in (better, worse))
    assert 0 <= first <= second <= 10_000
