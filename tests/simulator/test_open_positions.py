"""The open positions of one market: sums per side, and which a price has crossed."""

from __future__ import annotations

from itertools import count

import pytest

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.simulator.markets import BTC
from papertrade_site.simulator.open_positions import HEAP_SLACK, OpenPositions

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
def market() -> OpenPositions:
    """The BTC market with nothing open."""
    return OpenPositions(BTC)


def test_with_nothing_open_the_usual_share_is_long(market: OpenPositions) -> None:
    assert market.long_share() == BTC.long_share
    assert market.crossed(1) == []


def test_sums_follow_what_is_added_and_removed(market: OpenPositions) -> None:
    long, short = position(Side.LONG, bust=792_000), position(Side.SHORT, bust=808_000, margin=50 * WAD)
    market.add(long)
    market.add(short)
    assert market.entry_notional(Side.LONG) == 10_000 * WAD
    assert market.entry_notional(Side.SHORT) == 5_000 * WAD
    assert market.instrument.long_oi == WAD // 8
    assert market.instrument.short_oi == WAD // 16
    assert market.long_share() == pytest.approx(2 / 3)
    market.remove(long)
    assert (market.entry_notional(Side.LONG), market.instrument.long_oi) == (0, 0)
    assert market.by_id == {short.id: short}


def test_longs_are_crossed_from_above_and_shorts_from_below_equality_counts(market: OpenPositions) -> None:
    long, short = position(Side.LONG, bust=792_000), position(Side.SHORT, bust=808_000)
    market.add(long)
    market.add(short)
    assert market.crossed(800_000) == []
    assert market.crossed(792_000) == [long]
    assert market.crossed(808_000) == [short]


def test_the_nearest_is_found_behind_positions_that_have_ended(market: OpenPositions) -> None:
    near, far = position(Side.LONG, bust=799_000), position(Side.LONG, bust=790_000)
    market.add(far)
    market.add(near)
    market.remove(near)
    assert market.crossed(795_000) == []
    assert market.crossed(790_000) == [far]


def test_all_that_a_fall_reaches_are_found_at_once(market: OpenPositions) -> None:
    rows = [position(Side.LONG, bust=bust) for bust in (799_000, 795_000, 791_000)]
    for row in rows:
        market.add(row)
    assert market.crossed(795_000) == rows[:2]


def test_a_market_that_turns_over_keeps_finding_what_is_crossed(market: OpenPositions) -> None:
    lasting = position(Side.SHORT, bust=900_000)
    market.add(lasting)
    for _ in range(3 * HEAP_SLACK):
        passing = position(Side.SHORT, bust=950_000)
        market.add(passing)
        market.remove(passing)
    assert market.crossed(899_999) == []
    assert market.crossed(900_000) == [lasting]
