"""The book of open positions: sums per side, and which a price has crossed."""

from __future__ import annotations

from itertools import count

import pytest

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.simulator.book import HEAP_SLACK, Book
from papertrade_site.simulator.markets import BTC

NUMBERS = count(1)


def position(side: Side, *, bust: int, margin: int = 100 * WAD) -> Position:
    """A BTC position at 100x with a bust price of its own."""
    return Position(
        id=str(next(NUMBERS)),
        wallet="0x" + "1" * 40,
        instrument_id=0,
        side=side,
        margin=margin,
        leverage=100,
        entry=800_000,
        bust=bust,
        opened_at_ms=0,
    )


@pytest.fixture
def book() -> Book:
    """An empty BTC book."""
    return Book(BTC)


def test_an_empty_book_leans_as_the_market_usually_does(book: Book) -> None:
    assert book.long_share() == BTC.long_share
    assert book.crossed(1) == []


def test_sums_follow_what_is_added_and_removed(book: Book) -> None:
    long, short = position(Side.LONG, bust=792_000), position(Side.SHORT, bust=808_000, margin=50 * WAD)
    book.add(long)
    book.add(short)
    assert book.entry_notional(Side.LONG) == 10_000 * WAD
    assert book.entry_notional(Side.SHORT) == 5_000 * WAD
    assert book.instrument.long_oi == WAD // 8
    assert book.instrument.short_oi == WAD // 16
    assert book.long_share() == pytest.approx(2 / 3)
    book.remove(long)
    assert (book.entry_notional(Side.LONG), book.instrument.long_oi) == (0, 0)
    assert book.positions == {short.id: short}


def test_longs_are_crossed_from_above_and_shorts_from_below_equality_counts(book: Book) -> None:
    long, short = position(Side.LONG, bust=792_000), position(Side.SHORT, bust=808_000)
    book.add(long)
    book.add(short)
    assert book.crossed(800_000) == []
    assert book.crossed(792_000) == [long]
    assert book.crossed(808_000) == [short]


def test_the_nearest_is_found_behind_positions_that_have_ended(book: Book) -> None:
    near, far = position(Side.LONG, bust=799_000), position(Side.LONG, bust=790_000)
    book.add(far)
    book.add(near)
    book.remove(near)
    assert book.crossed(795_000) == []
    assert book.crossed(790_000) == [far]


def test_all_that_a_fall_reaches_are_found_at_once(book: Book) -> None:
    rows = [position(Side.LONG, bust=bust) for bust in (799_000, 795_000, 791_000)]
    for row in rows:
        book.add(row)
    assert book.crossed(795_000) == rows[:2]


def test_a_book_that_turns_over_keeps_finding_what_is_crossed(book: Book) -> None:
    lasting = position(Side.SHORT, bust=900_000)
    book.add(lasting)
    for _ in range(3 * HEAP_SLACK):
        passing = position(Side.SHORT, bust=950_000)
        book.add(passing)
        book.remove(passing)
    assert book.crossed(899_999) == []
    assert book.crossed(900_000) == [lasting]
