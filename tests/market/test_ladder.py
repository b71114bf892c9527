"""Grouping positions by bust price."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import SearchStrategy

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import Rung, build_ladder, counted, nearest, regrouped
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD

MARK = 830655
SIZES = st.fractions(min_value=Fraction(1, 50), max_value=200_000, max_denominator=50)


def test_no_positions_make_a_ladder_without_buckets() -> None:
    ladder = build_ladder([], mark=MARK, size=Fraction(1000))
    assert (ladder.buckets, ladder.notional(Side.LONG), ladder.positions(Side.SHORT)) == ((), 0, 0)


def test_a_bucket_takes_its_lower_edge_and_leaves_its_upper_one(
    make_position: Callable[..., Position],
) -> None:
    ladder = build_ladder(
        [make_position(bust=bust) for bust in (1999, 2000, 2999, 3000)], mark=MARK, size=Fraction(1000)
    )
    assert [(bucket.low, bucket.high, bucket.positions) for bucket in ladder.buckets] == [
        (Fraction(1000), Fraction(2000), 1),
        (Fraction(2000), Fraction(3000), 2),
        (Fraction(3000), Fraction(4000), 1),
    ]


def test_a_size_below_the_tick_gives_each_price_its_own_bucket(
    make_position: Callable[..., Position],
) -> None:
    size = Fraction(1, 4)
    ladder = build_ladder([make_position(bust=bust) for bust in (7, 8, 8)], mark=MARK, size=size)
    assert [(bucket.index, bucket.low, bucket.positions) for bucket in ladder.buckets] == [
        (28, Fraction(7), 1),
        (32, Fraction(8), 2),
    ]


def test_sides_share_no_bucket_and_longs_come_first(make_position: Callable[..., Position]) -> None:
    positions = [make_position(side=side, bust=bust) for bust in (840_000, 830_000) for side in Side]
    ladder = build_ladder(positions, mark=835_000, size=Fraction(1000))
    assert [(bucket.index, bucket.side) for bucket in ladder.buckets] == [
        (830, Side.LONG),
        (830, Side.SHORT),
        (840, Side.LONG),
        (840, Side.SHORT),
    ]
    assert [bucket.live_positions for bucket in ladder.buckets] == [1, 0, 0, 1]


def test_a_crossed_position_counts_in_the_total_but_is_told_apart(
    make_position: Callable[..., Position],
) -> None:
    positions = [make_position(bust=bust) for bust in (830_600, MARK)]
    (bucket,) = build_ladder(positions, mark=MARK, size=Fraction(1000)).buckets
    assert (bucket.notional, bucket.positions) == (20_000 * WAD, 2)
    assert (bucket.crossed_notional, bucket.crossed_positions) == (10_000 * WAD, 1)
    assert (bucket.live_notional, bucket.live_positions) == (10_000 * WAD, 1)
    assert bucket.weighted_bust == 830_600 * 10_000 * WAD


@pytest.mark.parametrize(
    ("side", "mark", "distance"),
    [
        (Side.LONG, 2500, 500),
        (Side.LONG, 2000, 0),
        (Side.LONG, 1999, 0),
        (Side.LONG, 1000, 0),
        (Side.LONG, 900, -100),
        (Side.SHORT, 900, 100),
        (Side.SHORT, 1000, 0),
        (Side.SHORT, 2500, -500),
    ],
)
def test_distance_is_counted_from_the_mark_to_the_near_edge(
    make_position: Callable[..., Position], side: Side, mark: int, distance: int
) -> None:
    (bucket,) = build_ladder([make_position(side=side, bust=1500)], mark=mark, size=Fraction(1000)).buckets
    assert bucket.distance(mark) == distance


@given(data=st.data(), size=SIZES)
def test_a_ladder_adds_up_to_its_positions_at_any_size(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction
) -> None:
    positions = data.draw(books)
    ladder = build_ladder(positions, mark=MARK, size=size)
    for side in Side:
        mine = [position for position in positions if position.side is side]
        live = [position for position in mine if not is_crossed(side, mark=MARK, bust=position.bust)]
        buckets = ladder.side(side)
        assert ladder.notional(side) == sum(position.notional for position in mine)
        assert ladder.positions(side) == len(mine)
        assert sum(bucket.live_notional for bucket in buckets) == sum(item.notional for item in live)
        assert sum(bucket.live_positions for bucket in buckets) == len(live)
        assert sum(bucket.weighted_bust for bucket in buckets) == sum(
            position.bust * position.notional for position in live
        )


@given(data=st.data(), size=SIZES)
def test_every_position_lies_in_exactly_one_bucket_of_its_side(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction
) -> None:
    positions = data.draw(books)
    ladder = build_ladder(positions, mark=MARK, size=size)
    for bucket in ladder.buckets:
        inside = [
            position
            for position in positions
            if position.side is bucket.side and bucket.low <= position.bust < bucket.high
        ]
        assert len(inside) == bucket.positions
        assert bucket.high - bucket.low == size
    keys = [(bucket.low, bucket.side) for bucket in ladder.buckets]
    assert keys == sorted(set(keys))


def make_rung(index: int, *, side: Side = Side.LONG, notional: int = 1, positions: int | None = 1) -> Rung:
    """A bucket of 100 dollars."""
    return Rung(side=side, index=index, size=Fraction(1000), notional=notional, positions=positions)


def test_neighbouring_buckets_become_a_wider_one_side_by_side() -> None:
    rungs = [make_rung(4), make_rung(5, side=Side.SHORT), make_rung(5, notional=7), make_rung(6)]
    assert regrouped(rungs, multiple=3) == (
        Rung(side=Side.LONG, index=1, size=Fraction(3000), notional=8, positions=2),
        Rung(side=Side.SHORT, index=1, size=Fraction(3000), notional=1, positions=1),
        Rung(side=Side.LONG, index=2, size=Fraction(3000), notional=1, positions=1),
    )


def test_a_wider_bucket_has_no_count_when_a_part_of_it_has_none() -> None:
    (wide,) = regrouped([make_rung(4, positions=None), make_rung(5)], multiple=2)
    assert wide.positions is None
    assert counted([make_rung(4), make_rung(5)]) == 2
    assert counted([]) == 0


@given(data=st.data(), size=SIZES, multiple=st.integers(1, 50))
def test_a_regrouped_map_is_the_map_of_the_wider_buckets(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction, multiple: int
) -> None:
    positions = data.draw(books)
    fine = build_ladder(positions, mark=MARK, size=size)
    wide = build_ladder(positions, mark=MARK, size=size * multiple)
    assert regrouped(fine.buckets, multiple=multiple) == tuple(
        Rung(
            side=bucket.side,
            index=bucket.index,
            size=bucket.size,
            notional=bucket.notional,
            positions=bucket.positions,
        )
        for bucket in wide.buckets
    )


@pytest.mark.parametrize(
    ("mark", "most", "kept"),
    [
        (4_500, 1, [4]),
        (4_500, 2, [3, 4]),
        (5_499, 3, [3, 4, 7]),
        (9_999, 2, [7, 9]),
        (0, 2, [1, 3]),
        (4_500, 9, [1, 3, 4, 7, 9]),
    ],
)
def test_the_buckets_nearest_to_the_mark_stay_in_order_and_the_lower_of_two_as_near(
    mark: int, most: int, kept: list[int]
) -> None:
    rungs = [make_rung(index) for index in (1, 3, 4, 7, 9)]
    assert [rung.index for rung in rungs[nearest(rungs, mark=mark, most=most)]] == kept


@given(data=st.data(), size=SIZES, most=st.integers(1, 12))
def test_no_bucket_that_is_left_out_is_nearer_than_one_that_stays(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction, most: int
) -> None:
    buckets = build_ladder(data.draw(books), mark=MARK, size=size).buckets
    kept = buckets[nearest(buckets, mark=MARK, most=most)]
    assert len(kept) == min(most, len(buckets))
    furthest = max((abs(bucket.distance(MARK)) for bucket in kept), default=0)
    assert all(abs(bucket.distance(MARK)) >= furthest for bucket in buckets if bucket not in kept)


@given(data=st.data(), size=SIZES)
def test_a_side_is_summed_from_what_the_mark_has_passed_outward_to_its_end(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction
) -> None:
    ladder = build_ladder(data.draw(books), mark=MARK, size=size)
    for bucket, running in zip(ladder.buckets, ladder.running_notional(), strict=True):
        reached = [
            other for other in ladder.side(bucket.side) if (other.index - bucket.index) * _out(bucket) <= 0
        ]
        assert running == sum(other.notional for other in reached)
        assert all(other.distance(MARK) <= bucket.distance(MARK) for other in reached)


def _out(rung: Rung) -> int:
    return 1 if rung.side is Side.SHORT else -1
