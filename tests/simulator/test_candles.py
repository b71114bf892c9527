"""Candles from pieces of a path."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.simulator.candles import DAY_MS, HOUR_MS, INTERVALS, MINUTE_MS, RETENTION, Bar, Candles

NOON_MS = 1_796_040_000_000


def bar(start_ms: int, *, open_: int = 100, high: int = 110, low: int = 95, close: int = 105) -> Bar:
    """A piece of a second."""
    return Bar(start_ms, start_ms + 1_000, open_, high, low, close, coins=2.0, trades=3)


def test_pieces_of_a_minute_become_one_candle() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.add(bar(NOON_MS + 1_000, open_=105, high=120, low=104, close=111))
    (minute,) = candles.select("1m", start_ms=0, end_ms=NOON_MS)
    assert (minute.start_ms, minute.end_ms) == (NOON_MS, NOON_MS + MINUTE_MS - 1)
    assert (minute.open, minute.high, minute.low, minute.close) == (100, 120, 95, 111)
    assert (minute.coins, minute.trades) == (4.0, 6)


def test_a_piece_counts_in_every_base_width_from_its_own_up() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS), finest_ms=HOUR_MS)
    assert candles.select("1m", start_ms=0, end_ms=NOON_MS) == []
    assert len(candles.select("1h", start_ms=0, end_ms=NOON_MS)) == 1
    assert len(candles.select("1d", start_ms=0, end_ms=NOON_MS)) == 1


def test_skipped_minutes_are_filled_with_the_next_open() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.add(bar(NOON_MS + 3 * MINUTE_MS, open_=107))
    found = candles.select("1m", start_ms=0, end_ms=NOON_MS + DAY_MS)
    assert [candle.start_ms for candle in found] == [NOON_MS + i * MINUTE_MS for i in range(4)]
    assert [(candle.open, candle.close, candle.trades) for candle in found[1:3]] == [(107, 107, 0)] * 2


def test_a_very_long_gap_fills_no_more_than_is_kept() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.add(bar(NOON_MS + 30 * DAY_MS))
    found = candles.select("1m", start_ms=0, end_ms=NOON_MS + 40 * DAY_MS)
    assert len(found) == RETENTION[MINUTE_MS]
    assert found[-1].start_ms == NOON_MS + 30 * DAY_MS


@pytest.mark.parametrize("interval", [name for name in INTERVALS if name != "1M"])
def test_every_interval_is_put_together_on_its_own_grid(interval: str) -> None:
    candles = Candles()
    for index in range(200):
        candles.add(bar(NOON_MS + index * 30 * MINUTE_MS, open_=100 + index, close=101 + index, high=400))
    width = INTERVALS[interval]
    found = candles.select(interval, start_ms=0, end_ms=NOON_MS + 100 * DAY_MS)
    assert all(candle.start_ms % width == 0 for candle in found)
    assert all(candle.end_ms == candle.start_ms + width - 1 for candle in found)
    assert all(later.start_ms > earlier.start_ms for earlier, later in pairwise(found))
    assert found[-1].close == 300


def test_months_follow_the_calendar() -> None:
    candles = Candles()
    for day in range(60):
        candles.add(bar(NOON_MS + day * DAY_MS), finest_ms=DAY_MS)
    found = candles.select("1M", start_ms=0, end_ms=NOON_MS + 100 * DAY_MS)
    november, december, january = 1_793_491_200_000, 1_796_083_200_000, 1_798_761_600_000
    assert [candle.start_ms for candle in found] == [november, december, january]
    assert [candle.end_ms for candle in found[:2]] == [december - 1, january - 1]


def test_only_candles_that_start_in_the_span_are_given() -> None:
    candles = Candles()
    for index in range(10):
        candles.add(bar(NOON_MS + index * MINUTE_MS))
    found = candles.select("1m", start_ms=NOON_MS + 2 * MINUTE_MS, end_ms=NOON_MS + 4 * MINUTE_MS)
    assert [candle.start_ms - NOON_MS for candle in found] == [2 * MINUTE_MS, 3 * MINUTE_MS, 4 * MINUTE_MS]


def test_a_selection_can_be_changed_without_touching_what_is_kept() -> None:
    candles = Candles()
    candles.add(bar(NOON_MS))
    candles.select("1m", start_ms=0, end_ms=NOON_MS)[0].absorb(bar(NOON_MS, high=999))
    assert candles.select("1m", start_ms=0, end_ms=NOON_MS)[0].high == 110


def test_the_price_of_a_past_hour_and_the_coins_since() -> None:
    candles = Candles()
    for hour in range(5):
        candles.add(bar(NOON_MS + hour * HOUR_MS, open_=200 + hour, close=201 + hour, high=300, low=100))
    assert candles.close_before(NOON_MS + 3 * HOUR_MS) == 203
    assert candles.close_before(NOON_MS) == 200
    assert candles.coins_since(NOON_MS + 3 * HOUR_MS) == 4.0
