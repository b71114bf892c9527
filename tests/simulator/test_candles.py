"""Candles from pieces of a path."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS, Interval
from papertrade_site.simulator.candles import RETENTION, Bar, Candles

NOON_MS = 1_796_040_000_000


def bar(start_ms: int, *, open_: int = 100, high: int = 110, low: int = 95, close: int = 105) -> Bar:
    """A piece of a second."""
    return Bar(start_ms, start_ms + 1_000, open_, high, low, close, coins=2.0, trades=3)


def test_pieces_of_a_minute_become_one_candle() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.add(bar(NOON_MS + 1_000, open_=105, high=120, low=104, close=111))
    (minute,) = candles.select(Interval.MINUTE, start_ms=0, end_ms=NOON_MS)
    assert (minute.start_ms, minute.end_ms) == (NOON_MS, NOON_MS + MINUTE_MS)
    assert (minute.open, minute.high, minute.low, minute.close) == (100, 120, 95, 111)
    assert (minute.coins, minute.trades) == (4.0, 6)


def test_a_piece_counts_in_every_base_width_from_its_own_up() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS), finest_ms=HOUR_MS)
    assert candles.select(Interval.MINUTE, start_ms=0, end_ms=NOON_MS) == []
    assert len(candles.select(Interval.HOUR, start_ms=0, end_ms=NOON_MS)) == 1
    assert len(candles.select(Interval.DAY, start_ms=0, end_ms=NOON_MS)) == 1


def test_skipped_minutes_are_filled_with_the_next_open() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.add(bar(NOON_MS + 3 * MINUTE_MS, open_=107))
    found = candles.select(Interval.MINUTE, start_ms=0, end_ms=NOON_MS + DAY_MS)
    assert [candle.start_ms for candle in found] == [NOON_MS + i * MINUTE_MS for i in range(4)]
    assert [(candle.open, candle.close, candle.trades) for candle in found[1:3]] == [(107, 107, 0)] * 2


def test_a_very_long_gap_fills_no_more_than_is_kept() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.add(bar(NOON_MS + 30 * DAY_MS))
    found = candles.select(Interval.MINUTE, start_ms=0, end_ms=NOON_MS + 40 * DAY_MS)
    assert len(found) == RETENTION[Interval.MINUTE]
    assert found[-1].start_ms == NOON_MS + 30 * DAY_MS


@pytest.mark.parametrize("interval", list(Interval))
def test_every_width_is_put_together_on_its_own_grid(interval: Interval) -> None:
    candles = Candles()
    for index in range(200):
        candles.add(bar(NOON_MS + index * 30 * MINUTE_MS, open_=100 + index, close=101 + index, high=400))
    found = candles.select(interval, start_ms=0, end_ms=NOON_MS + 100 * DAY_MS)
    assert all(candle.start_ms % interval.width_ms == 0 for candle in found)
    assert all(candle.end_ms == candle.start_ms + interval.width_ms for candle in found)
    assert all(later.start_ms == earlier.end_ms for earlier, later in pairwise(found))
    assert found[-1].close == 300


def test_only_candles_that_start_in_the_span_are_given() -> None:
    candles = Candles()
    for index in range(10):
        candles.add(bar(NOON_MS + index * MINUTE_MS))
    found = candles.select(Interval.MINUTE, start_ms=NOON_MS + 2 * MINUTE_MS, end_ms=NOON_MS + 4 * MINUTE_MS)
    assert [candle.start_ms - NOON_MS for candle in found] == [2 * MINUTE_MS, 3 * MINUTE_MS, 4 * MINUTE_MS]
