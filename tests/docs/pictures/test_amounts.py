"""Figures in three digits."""

from __future__ import annotations

import re
from math import isclose

import pytest
from hypothesis import given, strategies as st

from papertrade_site.docs.pictures.amounts import counted, short, short_percent, short_usd, trimmed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.42, "0.42"),
        (0.001, "0"),
        (-0.001, "0"),
        (9.999, "10"),
        (12.345, "12.3"),
        (999.4, "999"),
        (999.6, "1.00K"),
        (1000, "1.00K"),
        (999_499, "999K"),
        (999_500, "1.00M"),
        (14_430_093.36, "14.4M"),
        (27_369_731_760.988144, "27.4B"),
        (1e12, "1.00T"),
        (1.5e15, "1500T"),
        (-2e6, "-2.00M"),
    ],
)
def test_a_figure_has_three_digits_and_a_letter(value: float, text: str) -> None:
    assert short(value) == text


@given(st.floats(min_value=-1e15, max_value=1e15))
def test_a_short_figure_is_within_half_a_percent_of_the_exact_one(value: float) -> None:
    text = short(value)
    number, letter = re.fullmatch(r"(-?[0-9.]+)([KMBT]?)", text).groups()  # type: ignore[union-attr]
    read = float(number) * 1000 ** " KMBT".index(letter or " ")
    assert isclose(read, value, rel_tol=0.005, abs_tol=0.005)


def test_dollars_have_their_sign_in_front() -> None:
    assert [short_usd(value) for value in (1234.5, -1234.5, 0)] == ["$1.23K", "-$1.23K", "$0"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 %"),
        (0.084535, "0.085 %"),
        (0.000001, "0.000001 %"),
        (1.005, "1.01 %"),
        (56.6688, "56.67 %"),
        (12345.678, "12,345.68 %"),
        (-2.5, "-2.50 %"),
        (0.5, "0.50 %"),
        (100, "100.00 %"),
    ],
)
def test_a_percentage_keeps_two_decimals_or_two_digits(value: float, text: str) -> None:
    assert short_percent(value) == text


def test_round_figures_of_an_axis_lose_their_empty_decimals() -> None:
    texts = ["$20.0M", "$2.50M", "1.00K", "$0", "100", "$200M", "0.20"]
    assert [trimmed(text) for text in texts] == ["$20M", "$2.5M", "1K", "$0", "100", "$200M", "0.20"]


def test_things_are_counted_in_the_right_number() -> None:
    assert [counted(count, "long") for count in (0, 1, 1234)] == ["0 longs", "1 long", "1,234 longs"]
