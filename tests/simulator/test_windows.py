"""Wallets' flows over the leaderboard's windows."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS, Window
from papertrade_site.simulator.windows import SPANS, Flows

NOON_MS = 1_796_040_000_000
WALLET = "0x" + "1" * 40


@pytest.fixture
def flows() -> Flows:
    """Windows in which nothing has happened."""
    return Flows()


def test_a_leg_counts_in_every_window_that_reaches_back_to_it(flows: Flows) -> None:
    flows.add(WALLET, realized=5, volume=7, at_ms=NOON_MS - 3 * DAY_MS, now_ms=NOON_MS)
    flows.add(WALLET, realized=-2, volume=4, at_ms=NOON_MS, now_ms=NOON_MS)
    day, week, month = (flows.of(window)[WALLET] for window in (Window.DAY, Window.WEEK, Window.MONTH))
    assert (day.realized, day.volume) == (-2, 4)
    assert (week.realized, week.volume) == (month.realized, month.volume) == (3, 11)


@pytest.mark.parametrize(
    ("window", "after_ms"),
    [(Window.DAY, DAY_MS), (Window.WEEK, 7 * DAY_MS), (Window.MONTH, 30 * DAY_MS)],
)
def test_a_leg_leaves_its_window_within_a_hundredth_of_its_length(
    flows: Flows, window: Window, after_ms: int
) -> None:
    flows.add(WALLET, realized=5, volume=7, at_ms=NOON_MS, now_ms=NOON_MS)
    flows.forget(NOON_MS + after_ms * 99 // 100)
    assert flows.of(window)[WALLET].volume == 7
    flows.forget(NOON_MS + after_ms * 101 // 100)
    assert (flows.of(window)[WALLET].realized, flows.of(window)[WALLET].volume) == (0, 0)


def test_newer_legs_stay_when_older_ones_leave(flows: Flows) -> None:
    flows.add(WALLET, realized=5, volume=7, at_ms=NOON_MS, now_ms=NOON_MS)
    flows.add(WALLET, realized=1, volume=2, at_ms=NOON_MS + 20 * HOUR_MS, now_ms=NOON_MS + 20 * HOUR_MS)
    flows.forget(NOON_MS + 26 * HOUR_MS)
    assert (flows.of(Window.DAY)[WALLET].realized, flows.of(Window.DAY)[WALLET].volume) == (1, 2)


@pytest.mark.parametrize(
    ("window", "length_ms"),
    [(Window.DAY, DAY_MS), (Window.WEEK, 7 * DAY_MS), (Window.MONTH, 30 * DAY_MS)],
)
@pytest.mark.parametrize("after_minutes", [1, 37, 251, 1_013, 20_000])
def test_steady_trading_stays_in_the_window_to_a_hundredth(
    flows: Flows, window: Window, length_ms: int, after_minutes: int
) -> None:
    now_ms = NOON_MS + after_minutes * MINUTE_MS
    step_ms = 10 * MINUTE_MS
    for at_ms in range(NOON_MS - 30 * DAY_MS + step_ms, now_ms + 1, step_ms):
        flows.add(WALLET, realized=-1, volume=step_ms, at_ms=at_ms, now_ms=max(NOON_MS, at_ms))
    flows.forget(now_ms)
    assert flows.of(window)[WALLET].volume == pytest.approx(length_ms, rel=0.015)


def test_buckets_nest_and_their_number_is_bounded() -> None:
    for finer, coarser in pairwise(SPANS):
        assert coarser.bucket_ms % finer.bucket_ms == 0
    assert sum(span.length_ms // span.bucket_ms for span in SPANS) < 200
