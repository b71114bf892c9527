"""Truncating division, plain decimals, and the one rounding at the edge."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.scale import (
    WAD,
    nearest_div,
    parse_decimal,
    percent,
    to_float,
    truncating_div,
    usd,
)

BIG = 2**300
NON_ZERO = st.integers(-BIG, BIG).filter(bool)


@given(numerator=st.integers(-BIG, BIG), denominator=NON_ZERO)
def test_truncating_division_drops_the_fraction_toward_zero(numerator: int, denominator: int) -> None:
    assert truncating_div(numerator, denominator) == math.trunc(Fraction(numerator, denominator))


@pytest.mark.parametrize(("numerator", "denominator", "quotient"), [(7, 2, 3), (-7, 2, -3), (-7, -2, 3)])
def test_truncating_division_differs_from_floor_below_zero(
    numerator: int, denominator: int, quotient: int
) -> None:
    assert truncating_div(numerator, denominator) == quotient


def test_truncating_division_by_zero_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        truncating_div(1, 0)


def _half_away(exact: Fraction) -> int:
    whole = math.floor(abs(exact) + Fraction(1, 2))
    return whole if exact >= 0 else -whole


@given(numerator=st.integers(-BIG, BIG), denominator=st.integers(1, BIG))
def test_nearest_division_rounds_halves_away_from_zero(numerator: int, denominator: int) -> None:
    assert nearest_div(numerator, denominator) == _half_away(Fraction(numerator, denominator))


@given(doubled=st.integers(-BIG, BIG))
def test_nearest_division_by_two_meets_every_tie(doubled: int) -> None:
    assert nearest_div(doubled, 2) == _half_away(Fraction(doubled, 2))


@given(
    sign=st.sampled_from(["", "-"]),
    whole=st.text("0123456789", min_size=1, max_size=40),
    digits=st.none() | st.text("0123456789", min_size=1, max_size=40),
    scale=st.sampled_from([1, 10, 100, 10**6, WAD, 10**27]),
)
def test_a_plain_decimal_is_read_as_exactly_as_decimal_reads_it(
    sign: str, whole: str, digits: str | None, scale: int
) -> None:
    text = sign + whole + ("" if digits is None else "." + digits)
    with localcontext(prec=200):
        expected = (Decimal(text) * scale).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    assert parse_decimal(text, scale) == int(expected)


@pytest.mark.parametrize(("text", "raw"), [("83065.5", 830655), ("83065.54", 830655), ("83065.55", 830656)])
def test_a_price_is_rounded_to_the_nearest_tick(text: str, raw: int) -> None:
    assert parse_decimal(text, 10) == raw


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1\n", "+1", "1.", ".5", "-", "--1", "1.2.3", "1e5", "NaN", "Infinity"),
        *("1,000", "1_000", "0x10", "\u0663", "9" * 41, "0." + "1" * 41),
    ],
)
def test_anything_but_a_plain_decimal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a plain decimal"):
        parse_decimal(text, 10)


def test_a_refused_text_is_quoted_only_in_part() -> None:
    with pytest.raises(ValueError, match="not a plain decimal") as refused:
        parse_decimal("x" * 10_000, 10)
    assert len(str(refused.value)) < 120


@given(amount=st.integers(-(10**30), 10**30), digits=st.integers(0, 9))
def test_a_number_for_people_is_the_float_nearest_to_the_rounded_amount(amount: int, digits: int) -> None:
    rounded = _half_away(Fraction(amount, WAD) * 10**digits)
    assert to_float(amount, WAD, digits=digits) == rounded / 10**digits


@given(amount=st.fractions(max_denominator=10**12), digits=st.integers(0, 9))
def test_an_exact_fraction_is_rounded_once(amount: Fraction, digits: int) -> None:
    assert to_float(amount, digits=digits) == _half_away(amount * 10**digits) / 10**digits


@pytest.mark.parametrize(
    ("amount", "dollars"),
    [
        (WAD, 1.0),
        (5 * 10**11, 0.000001),
        (5 * 10**11 - 1, 0.0),
        (-5 * 10**11, -0.000001),
        (1_234_567 * WAD + 890_123_500_000_000_000, 1_234_567.890124),
    ],
)
def test_dollars_are_shown_to_the_nearest_micro_dollar(amount: int, dollars: float) -> None:
    assert usd(amount) == dollars


def test_a_share_is_shown_as_percent() -> None:
    assert percent(Fraction("0.0095")) == 0.95
    assert percent(Fraction(1, 3)) == 33.333333
