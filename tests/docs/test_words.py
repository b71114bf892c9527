"""Figures of usage, and times, in words."""

from __future__ import annotations

import pytest

from papertrade_site.docs.words import ago, counted, duration, percent


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "none"),
        (0.04, "0.0 ms"),
        (2.44, "2.4 ms"),
        (9.94, "9.9 ms"),
        (9.96, "10 ms"),
        (180.4, "180 ms"),
        (999.4, "999 ms"),
        (999.6, "1.00 s"),
        (12_345.0, "12.35 s"),
    ],
)
def test_a_duration_is_told_in_the_unit_that_fits(ms: float | None, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "none"),
        (0.0, "0 %"),
        (0.0004, "<0.1 %"),
        (0.035, "3.5 %"),
        (0.5, "50 %"),
        (0.9994, ">99.9 %"),
        (1.0, "100 %"),
        (1.25, "125 %"),
    ],
)
def test_only_all_is_all_and_only_nothing_is_nothing(share: float | None, text: str) -> None:
    assert percent(share) == text


def test_one_is_told_without_an_s() -> None:
    assert [counted(count, "call") for count in (0, 1, 1234)] == ["0 calls", "1 call", "1,234 calls"]


def test_ages_are_told_of_what_there_was() -> None:
    assert [ago(None, 90_000), ago(30_000, 90_000), ago(90_001, 90_000)] == [
        "not known",
        "60 s ago",
        "0 s ago",
    ]
