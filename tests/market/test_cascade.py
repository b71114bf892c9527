"""What a move would bust."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import SearchStrategy

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.cascade import Sweep, cascade
from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import build_ladder
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD

MARK = 830655
SIZES = st.fractions(min_value=Fraction(1, 50), max_value=200_000, max_denominator=50)
MOVES = st.fractions(min_value=0, max_value=Fraction(1, 4), max_denominator=10_000)


@given(data=st.data(), size=SIZES)
def test_no_move_busts_nothing(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction
) -> None:
    falls = cascade(build_ladder(data.draw(books), mark=MARK, size=size), move=Fraction(0))
    assert falls.down == falls.up == Sweep(Fraction(MARK), 0, 0, 0)


@pytest.mark.parametrize(
    ("move", "positions"),
    [
        (Fraction(1, 10**9), 1),
        (Fraction(99, 10_000), 1),
        (Fraction(1, 100), 2),
        (Fraction(199, 10_000), 2),
        (Fraction(1, 50), 3),
    ],
)
def test_a_bucket_counts_whole_once_its_near_edge_is_reached(
    make_position: Callable[..., Position], move: Fraction, positions: int
) -> None:
    longs = [make_position(bust=bust) for bust in (999_500, 985_500, 979_500)]
    shorts = [make_position(side=Side.SHORT, bust=bust) for bust in (1_000_500, 1_010_500, 1_020_500)]
    falls = cascade(build_ladder(longs + shorts, mark=1_000_000, size=Fraction(1000)), move=move)
    reached = build_ladder(longs, mark=1_000_000, size=Fraction(1000))
    assert falls.up.positions == falls.up.buckets == positions
    assert falls.down.positions == sum(bucket.high >= falls.down.target for bucket in reached.side(Side.LONG))
    assert falls.up.notional == positions * 10_000 * WAD
    assert (falls.down.target, falls.up.target) == (1_000_000 * (1 - move), 1_000_000 * (1 + move))


def test_the_marks_own_bucket_counts_for_any_move(make_position: Callable[..., Position]) -> None:
    positions = [make_position(bust=830_100), make_position(side=Side.SHORT, bust=830_900)]
    falls = cascade(build_ladder(positions, mark=MARK, size=Fraction(1000)), move=Fraction(1, 10**9))
    assert (falls.down.positions, falls.up.positions) == (1, 1)


@given(data=st.data(), size=SIZES, moves=st.tuples(MOVES, MOVES))
def test_a_larger_move_never_busts_less(
    books: SearchStrategy[list[Position]],
    data: st.DataObject,
    size: Fraction,
    moves: tuple[Fraction, Fraction],
) -> None:
    ladder = build_ladder(data.draw(books), mark=MARK, size=size)
    smaller, larger = (cascade(ladder, move=move) for move in sorted(moves))
    for less, more in ((smaller.down, larger.down), (smaller.up, larger.up)):
        assert less.notional <= more.notional
        assert less.positions <= more.positions
        assert less.buckets <= more.buckets


@given(data=st.data(), size=SIZES, move=MOVES)
def test_crossed_positions_never_fall_and_no_position_within_reach_is_missed(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction, move: Fraction
) -> None:
    positions = data.draw(books)
    falls = cascade(build_ladder(positions, mark=MARK, size=size), move=move)
    for sweep, side in ((falls.down, Side.LONG), (falls.up, Side.SHORT)):
        live = [
            position
            for position in positions
            if position.side is side and not is_crossed(side, mark=MARK, bust=position.bust)
        ]
        low, high = sorted((sweep.target, Fraction(MARK)))
        passed = [position for position in live if move and low <= position.bust <= high]
        assert sum(position.notional for position in passed) <= sweep.notional
        assert sweep.notional <= sum(position.notional for position in live)
        assert len(passed) <= sweep.positions <= len(live)


@given(data=st.data(), size=SIZES, move=MOVES)
def test_exactly_the_buckets_whose_near_edge_lies_within_the_move_count(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction, move: Fraction
) -> None:
    ladder = build_ladder(data.draw(books), mark=MARK, size=size)
    falls = cascade(ladder, move=move)
    live = [bucket for bucket in ladder.buckets if bucket.live_positions and move]
    down = [bucket for bucket in live if bucket.side is Side.LONG and bucket.high >= falls.down.target]
    up = [bucket for bucket in live if bucket.side is Side.SHORT and bucket.low <= falls.up.target]
    for sweep, reached in ((falls.down, down), (falls.up, up)):
        assert sweep.buckets == len(reached)
        assert sweep.positions == sum(bucket.live_positions for bucket in reached)
        assert sweep.notional == sum(bucket.live_notional for bucket in reached)
