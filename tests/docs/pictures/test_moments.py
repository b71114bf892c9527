"""Times and ages."""

from __future__ import annotations

import pytest

from papertrade_site.docs.pictures import moments

SINCE = "2026-11-30T12:00:03Z"
SINCE_S = 1_796_040_003


@pytest.mark.parametrize(
    ("old_s", "text"),
    [
        (-5, "0 s"),
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7_199, "119 min"),
        (7_200, "2 h"),
        (172_799, "47 h"),
        (172_800, "2 d"),
    ],
)
def test_an_age_is_in_the_unit_that_fits(old_s: int, text: str) -> None:
    assert moments.age(SINCE, now_s=SINCE_S + old_s) == text


def test_an_instant_is_shown_by_its_time_its_day_or_both() -> None:
    assert moments.seconds(SINCE) == SINCE_S
    assert moments.clock_time(SINCE) == "12:00:03"
    assert moments.day(SINCE_S) == "30 Nov"
    assert moments.day_and_hour(SINCE_S) == "30 Nov 12:00"
