"""Points of a figure over time, what each bucket added, and changes since a moment."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, strategies as st

from papertrade_site.market.scale import WAD, wad_of
from papertrade_site.market.series import Added, Move, Point, Series, change

PLAIN = st.floats(-1e40, 1e40, allow_nan=False)


def series(*values: float | None, latest: int | None = None) -> Series:
    """One value at the end of each bucket of ten milliseconds."""
    closes_ms = [10 * (place + 1) for place in range(len(values))]
    return Series(closes_ms=closes_ms, values=values, width_ms=10, latest=latest)


@st.composite
def all_series(draw: st.DrawFn) -> Series:
    """Draw a series with gaps and places without a value."""
    places = draw(st.lists(st.integers(1, 40), unique=True, max_size=12).map(sorted))
    values = draw(
        st.lists(st.one_of(st.none(), PLAIN), min_size=len(places), max_size=len(places)),
    )
    latest = draw(st.one_of(st.none(), st.integers(-(10**60), 10**60)))
    return Series(closes_ms=[10 * place for place in places], values=values, width_ms=10, latest=latest)


class TestNewest:
    def test_the_newest_points_come_oldest_first_without_the_unknown(self) -> None:
        assert series(1, None, 2.5, 3).newest(2) == [Point(30, 5 * WAD // 2), Point(40, 3 * WAD)]
        assert series(1, None, 2.5).newest(9) == [Point(10, WAD), Point(30, 5 * WAD // 2)]

    def test_there_may_be_none(self) -> None:
        assert series().newest(3) == []
        assert series(None, None).newest(3) == []

    def test_a_value_is_the_decimal_that_was_sent_and_not_its_nearest_binary_fraction(self) -> None:
        assert series(0.1, 14831637.903487999).newest(2) == [
            Point(10, WAD // 10),
            Point(20, 14831637903487999 * 10**9),
        ]

    def test_the_exact_figure_stands_for_the_last_one_alone(self) -> None:
        assert series(1, 2, latest=7).newest(2) == [Point(10, WAD), Point(20, 7)]
        assert series(1, None, latest=7).newest(2) == [Point(10, WAD)]
        assert series(1, 2, latest=0).newest(1) == [Point(20, 0)]


class TestAdded:
    def test_each_bucket_adds_the_difference_from_the_one_before(self) -> None:
        assert series(1, 4, 3).added(5) == [
            Added(20, 3 * WAD, across_gap=False),
            Added(30, -WAD, across_gap=False),
        ]

    def test_as_many_come_back_as_are_asked_for_while_there_is_one_point_more(self) -> None:
        assert [row.at_ms for row in series(1, 2, 3, 4).added(2)] == [30, 40]
        assert len(series(1, 2, 3, 4).added(3)) == 3
        assert len(series(1, 2, 3, 4).added(4)) == 3

    def test_a_difference_over_more_than_one_bucket_says_so(self) -> None:
        assert [row.across_gap for row in series(1, None, 4, 5).added(5)] == [True, False]

    def test_an_open_bucket_is_across_a_gap_only_when_a_closed_one_is_missing(self) -> None:
        def last_of(*closes_ms: int) -> Added:
            return Series(closes_ms=closes_ms, values=[1, 2], width_ms=10).added(1)[0]

        assert not last_of(20, 23).across_gap
        assert last_of(10, 23).across_gap

    def test_one_point_adds_nothing(self) -> None:
        assert series(5).added(5) == []

    @given(drawn=all_series())
    def test_all_that_was_added_is_the_last_point_less_the_first(self, drawn: Series) -> None:
        points = drawn.newest(99)
        added = drawn.added(99)
        assert len(added) == max(len(points) - 1, 0)
        if points:
            assert sum(row.value for row in added) == points[-1].value - points[0].value


class TestNear:
    def test_the_nearest_point_within_reach_is_found_on_either_side(self) -> None:
        assert series(1, 2, 3).near(24, within_ms=5) == Point(20, 2 * WAD)
        assert series(1, 2, 3).near(26, within_ms=5) == Point(30, 3 * WAD)
        assert series(1, None, 3).near(21, within_ms=9) == Point(30, 3 * WAD)

    def test_of_two_as_near_it_is_the_earlier(self) -> None:
        assert series(1, 2, 3).near(25, within_ms=5) == Point(20, 2 * WAD)

    def test_one_further_away_is_not_found(self) -> None:
        assert series(1, 2, 3).near(35, within_ms=4) is None
        assert series(None, None).near(10, within_ms=99) is None
        assert series().near(10, within_ms=99) is None

    @given(drawn=all_series(), at_ms=st.integers(0, 450), within_ms=st.integers(0, 100))
    def test_no_known_point_is_nearer(self, drawn: Series, at_ms: int, within_ms: int) -> None:
        found = drawn.near(at_ms, within_ms=within_ms)
        distances = [abs(point.at_ms - at_ms) for point in drawn.newest(99)]
        nearest = min([distance for distance in distances if distance <= within_ms], default=None)
        assert (None if found is None else abs(found.at_ms - at_ms)) == nearest


class TestChange:
    def test_it_is_the_difference_and_its_share_of_the_earlier_figure(self) -> None:
        assert change(Point(30, 150), Point(10, 100)) == Move(10, 50, Fraction(1, 2))
        assert change(Point(30, 75), Point(10, 100)) == Move(10, -25, Fraction(-1, 4))

    def test_the_share_of_a_negative_figure_has_the_sign_of_the_move(self) -> None:
        assert change(Point(30, -150), Point(10, -100)).share == Fraction(-1, 2)
        assert change(Point(30, 50), Point(10, -100)).share == Fraction(3, 2)

    def test_there_is_no_share_of_nothing(self) -> None:
        assert change(Point(30, 5), Point(10, 0)) == Move(10, 5, None)
        assert change(Point(30, 0), Point(10, 0)) == Move(10, 0, None)


@given(plain=PLAIN)
def test_a_number_becomes_the_integer_that_its_own_digits_spell(plain: float) -> None:
    exact = Fraction(repr(plain)) * WAD
    assert abs(wad_of(plain)) == abs(exact) // 1
    assert wad_of(plain) * exact >= 0
