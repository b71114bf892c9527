"""The paths that past figures took."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.market.vocabulary import Interval
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import TRADING_STARTS_AFTER_MS
from papertrade_site.simulator.timeline import Timeline

GENESIS_MS = 1_791_326_520_000
NOW_MS = 1_796_040_000_000 + 17_000
TRADING_MS = GENESIS_MS + TRADING_STARTS_AFTER_MS


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    """The venue's own genesis, seen from late November."""
    return Timeline(Dice(1), genesis_ms=GENESIS_MS, now_ms=NOW_MS)


def test_moments_rise_and_end_now(timeline: Timeline) -> None:
    assert all(later > earlier for earlier, later in pairwise(timeline.moments))
    assert timeline.moments[-1] == NOW_MS


@pytest.mark.parametrize(
    ("interval", "count"), [(Interval.MINUTE, 1_441), (Interval.HOUR, 169), (Interval.DAY, 55)]
)
def test_every_bucket_end_that_is_kept_is_a_moment(
    timeline: Timeline, interval: Interval, count: int
) -> None:
    ends = [timeline.moments[index] for index in timeline.closes(interval)]
    assert len(ends) == count
    assert ends[-1] == NOW_MS // interval.width_ms * interval.width_ms
    assert {later - earlier for earlier, later in pairwise(ends)} == {interval.width_ms}


def test_activity_starts_with_trading_and_ends_now(timeline: Timeline) -> None:
    assert timeline.activity_until(GENESIS_MS) == 0.0
    assert timeline.activity_until(NOW_MS) == 1.0
    assert timeline.activity_since(NOW_MS - 86_400_000) == pytest.approx(1 / 51, rel=0.8)
    shares = [timeline.activity_until(at) for at in range(GENESIS_MS, NOW_MS, 7_777_777)]
    assert shares == sorted(shares)


def test_a_trading_sum_never_falls_is_zero_before_trading_and_ends_exactly(timeline: Timeline) -> None:
    total = 123_456_789_012_345_678_901_234_567_890_123
    path = timeline.trading_sum(total)
    assert path[-1] == total
    assert path == sorted(path)
    assert all((value == 0) == (at <= TRADING_MS) for at, value in zip(timeline.moments, path, strict=True))


def test_an_early_sum_is_ahead_of_trading(timeline: Timeline) -> None:
    usual, early = timeline.trading_sum(10**30), timeline.trading_sum(10**30, early=6.0)
    assert all(ahead >= value for ahead, value in zip(early, usual, strict=True))
    assert early[10] > 1.3 * usual[10]


def test_a_wobbling_sum_falls_at_times_and_ends_exactly(timeline: Timeline) -> None:
    path = timeline.trading_sum(-(10**27), wobble=1.5)
    assert path[-1] == -(10**27)
    assert any(later > earlier for earlier, later in pairwise(path))
    assert any(later < earlier for earlier, later in pairwise(path))


def test_joining_starts_at_genesis_and_slows_down(timeline: Timeline) -> None:
    path = timeline.joining_sum(23_000)
    assert path == sorted(path)
    assert (path[-1], path[0] > 0) == (23_000, True)
    assert path[len(timeline.closes(Interval.DAY)) // 4] > 23_000 / 4


def test_a_level_starts_from_zero_wanders_and_ends_exactly(timeline: Timeline) -> None:
    path = timeline.level(10**27, spread=0.1, hours=10)
    assert path[-1] == 10**27
    assert path[0] == 0
    assert all(0.5 * 10**27 < value < 2 * 10**27 for value in path[20:])
    assert len(set(path[20:])) == len(path[20:])


def test_a_level_can_be_bounded(timeline: Timeline) -> None:
    path = timeline.level(10**27, spread=0.3, hours=10, most=10**27)
    assert max(path) == 10**27


def test_a_path_can_be_read_at_and_between_its_moments(timeline: Timeline) -> None:
    path = timeline.trading_sum(-(10**30), wobble=1.5)
    for index in (0, 30, 700, len(path) - 2):
        start, end = timeline.moments[index], timeline.moments[index + 1]
        assert timeline.value_at(path, start) == path[index]
        assert timeline.value_at(path, (start + end) // 2) == pytest.approx(
            (path[index] + path[index + 1]) / 2, abs=10**10
        )
    assert timeline.value_at(path, timeline.moments[0] - 1) == 0
    assert timeline.value_at(path, NOW_MS) == timeline.value_at(path, NOW_MS + 1) == -(10**30)
