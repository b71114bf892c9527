"""The path that prices took before the world begins."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS, Interval
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.price_past import PastPrices, draw_past
from papertrade_site.simulator.prices import Shocks

GENESIS_MS = 1_791_326_520_000
NOW_MS = 1_796_040_000_000 + 17_000


@pytest.fixture(scope="module")
def past() -> tuple[PastPrices, ...]:
    """The pasts of both markets."""
    dice = Dice(8)
    return draw_past(dice, MARKETS, shocks=Shocks(dice, MARKETS), genesis_ms=GENESIS_MS, now_ms=NOW_MS)


def test_bars_follow_each_other_without_a_gap_up_to_now(past: tuple[PastPrices, ...]) -> None:
    for market in past:
        assert market.bars[0].start_ms < GENESIS_MS - 29 * DAY_MS
        assert market.bars[-1].end_ms == NOW_MS
        for earlier, later in pairwise(market.bars):
            assert (earlier.end_ms, earlier.close) == (later.start_ms, later.open)


def test_bars_get_finer_toward_the_present(past: tuple[PastPrices, ...]) -> None:
    lengths = [bar.end_ms - bar.start_ms for bar in past[0].bars]
    assert set(lengths[:-1]) == {DAY_MS, HOUR_MS, MINUTE_MS}
    assert lengths[:-1] == sorted(lengths[:-1], reverse=True)
    assert lengths[-1] == 17_000
    assert lengths.count(MINUTE_MS) >= 1_440
    assert lengths.count(HOUR_MS) >= 30 * 24


def test_every_bar_holds_its_open_and_close(past: tuple[PastPrices, ...]) -> None:
    for market in past:
        assert all(
            0 < bar.low <= min(bar.open, bar.close) <= max(bar.open, bar.close) <= bar.high
            for bar in market.bars
        )


def test_extremes_since_a_bar_cover_all_that_follow(past: tuple[PastPrices, ...]) -> None:
    market = past[1]
    for index in (0, 700, len(market.bars) - 1):
        assert market.lowest_from(index) == min(bar.low for bar in market.bars[index:])
        assert market.highest_from(index) == max(bar.high for bar in market.bars[index:])


def test_the_path_ends_near_its_anchor(past: tuple[PastPrices, ...]) -> None:
    assert 80_000_0 < past[0].bars[-1].close < 90_000_0
    assert 2_400_00 < past[1].bars[-1].close < 2_600_00


def test_the_candles_show_the_same_path_at_all_widths(past: tuple[PastPrices, ...]) -> None:
    candles = past[0].candles()
    last = past[0].bars[-1].close
    for interval in Interval:
        found = candles.select(interval, start_ms=0, end_ms=NOW_MS)
        assert found[-1].close == last
        assert all(earlier.end_ms == later.start_ms for earlier, later in pairwise(found))
        assert all(earlier.close == later.open for earlier, later in pairwise(found))
    hours = candles.select(Interval.HOUR, start_ms=NOW_MS - 20 * HOUR_MS, end_ms=NOW_MS)
    for hour in hours:
        minutes = candles.select(Interval.MINUTE, start_ms=hour.start_ms, end_ms=hour.end_ms - 1)
        assert hour.high == max(minute.high for minute in minutes)
        assert hour.low == min(minute.low for minute in minutes)
