"""Wallets' flows over the leaderboard's windows."""

from __future__ import annotations

import pytest

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Window
from papertrade_site.simulator.windows import Flows

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
def test_a_leg_leaves_its_window_within_a_bucket_of_its_end(
    flows: Flows, window: Window, after_ms: int
) -> None:
    bucket_ms = HOUR_MS if window is Window.DAY else DAY_MS
    flows.add(WALLET, realized=5, volume=7, at_ms=NOON_MS, now_ms=NOON_MS)
    flows.forget(NOON_MS + after_ms - 1)
    assert flows.of(window)[WALLET].volume == 7
    flows.forget(NOON_MS + after_ms + bucket_ms)
    assert (flows.of(window)[WALLET].realized, flows.of(window)[WALLET].volume) == (0, 0)


def test_newer_legs_stay_when_older_ones_leave(flows: Flows) -> None:
    flows.add(WALLET, realized=5, volume=7, at_ms=NOON_MS, now_ms=NOON_MS)
    flows.add(WALLET, realized=1, volume=2, at_ms=NOON_MS + 20 * HOUR_MS, now_ms=NOON_MS + 20 * HOUR_MS)
    flows.forget(NOON_MS + 26 * HOUR_MS)
    assert (flows.of(Window.DAY)[WALLET].realized, flows.of(Window.DAY)[WALLET].volume) == (1, 2)
