"""Places on a picture."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from papertrade_site.docs.pictures.scale import Axis, spread, ticks

FIGURES = st.floats(min_value=-1e15, max_value=1e15)


class TestAxis:
    def test_a_value_stands_in_proportion(self) -> None:
        axis = Axis(100, 200, 50, 10)
        assert [axis.place(value) for value in (100, 150, 175, 200)] == [50, 30, 20, 10]

    def test_a_value_beyond_stands_at_the_nearer_end(self) -> None:
        axis = Axis(100, 200, 50, 10)
        assert [axis.place(value) for value in (-1e300, 1e300)] == [50, 10]

    def test_a_line_of_one_value_stands_at_its_start(self) -> None:
        assert Axis(5, 5, 0, 100).place(5) == 0


class TestTicks:
    @pytest.mark.parametrize(
        ("low", "high", "most", "found"),
        [
            (0, 100, 5, [0, 25, 50, 75, 100]),
            (82_100, 84_900, 7, [82_500, 83_000, 83_500, 84_000, 84_500]),
            (0, 0.3, 4, [0, 0.1, 0.2, 0.3]),
            (-3, 3, 4, [-2, 0, 2]),
            (0, 1e12, 3, [0, 5e11, 1e12]),
        ],
    )
    def test_they_are_round(self, low: float, high: float, most: int, found: list[float]) -> None:
        assert ticks(low, high, most=most) == found

    def test_there_are_none_where_there_is_no_length(self) -> None:
        assert ticks(7, 7, most=5) == []

    @given(FIGURES, FIGURES, st.integers(min_value=2, max_value=12))
    def test_they_are_few_and_in_rising_order(self, one: float, other: float, most: int) -> None:
        found = ticks(min(one, other), max(one, other), most=most)
        assert len(found) <= most
        assert found == sorted(found)


class TestSpread:
    def test_places_that_are_far_apart_stay(self) -> None:
        assert spread([10, 40, 90], gap=15, low=0, high=100) == [10, 40, 90]

    def test_places_that_are_near_move_apart_within_the_bounds(self) -> None:
        assert spread([10, 12, 13, 90, 95], gap=14, low=0, high=100) == [10, 24, 38, 86, 100]

    @given(st.lists(st.floats(min_value=0, max_value=420), max_size=20).map(sorted))
    def test_no_two_are_nearer_than_the_gap_while_there_is_room(self, places: list[float]) -> None:
        moved = spread(places, gap=15, low=0, high=420)
        gaps = [after - before for before, after in itertools.pairwise(moved)]
        assert all(gap >= 15 - 0.02 for gap in gaps)
        assert all(-0.01 <= place <= 420.01 for place in moved)
