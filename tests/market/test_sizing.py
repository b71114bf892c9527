"""Bands, medians and shares of sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.sizing import Band, banded, median, share

LOWS = (1, 10, 25)


class TestBands:
    def test_a_band_holds_its_low_and_the_next_one_begins_with_its_high(self) -> None:
        assert banded([1, 9, 10, 24, 25, 50], LOWS, top=50) == (
            Band(1, 10, 2),
            Band(10, 25, 2),
            Band(25, 50, 2),
        )

    def test_without_a_top_the_last_band_has_no_end(self) -> None:
        assert banded([10**30], LOWS)[-1] == Band(25, None, 1)

    def test_no_values_leave_every_band_empty(self) -> None:
        assert [band.count for band in banded([], LOWS)] == [0, 0, 0]

    @pytest.mark.parametrize("value", [0, -1, 51])
    def test_a_value_that_no_band_holds_is_refused(self, value: int) -> None:
        with pytest.raises(ValueError, match="lies in no band"):
            banded([value], LOWS, top=50)

    @given(
        values=st.lists(st.integers(0, 10**25)),
        lows=st.sets(st.integers(1, 10**24)).map(lambda lows: (0, *sorted(lows))),
    )
    def test_every_value_is_counted_in_the_one_band_that_holds_it(
        self, values: list[int], lows: tuple[int, ...]
    ) -> None:
        for band in banded(values, lows):
            held = [v for v in values if band.low <= v and (band.high is None or v < band.high)]
            assert band.count == len(held)
        assert sum(band.count for band in banded(values, lows)) == len(values)


class TestMedians:
    @pytest.mark.parametrize(
        ("values", "middle"),
        [
            ([], None),
            ([7], 7),
            ([9, 1], 5),
            ([2, 1], Fraction(3, 2)),
            ([3, 100, 1], 3),
            ([10**30, 10**30 + 1, 1, 2], Fraction(10**30 + 2, 2)),
        ],
    )
    def test_it_is_the_middle_one_or_the_mean_of_the_two(
        self, values: list[int], middle: Fraction | int | None
    ) -> None:
        assert median(values) == middle

    @given(st.lists(st.integers(), min_size=1))
    def test_half_of_the_values_lie_on_either_side(self, values: list[int]) -> None:
        middle = median(values)
        assert middle is not None
        assert 2 * sum(value < middle for value in values) <= len(values)
        assert 2 * sum(value > middle for value in values) <= len(values)
        assert middle == median(values[::-1])


def test_a_share_is_exact_and_nothing_has_none() -> None:
    assert share(1, 3) == Fraction(1, 3)
    assert share(0, 5) == 0
    assert share(0, 0) is None
