"""What the histories keep and send."""

from __future__ import annotations

import pytest

from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.simulator.history import History, Point

NOON_MS = 1_796_040_000_000


def point(number: int) -> Point:
    """A point that is told by its number."""
    return Point(*[number] * len(Point._fields))


def numbers(points: list[Point]) -> list[int]:
    """The numbers of points."""
    return [each.tvl for each in points]


@pytest.fixture
def history() -> History:
    """Histories that begin at noon, with one closed bucket each."""
    history = History()
    for interval in Interval:
        open_ms = NOON_MS // interval.width_ms * interval.width_ms
        history.load(interval, open_ms=open_ms, closed=[point(0)])
    return history


def test_the_open_bucket_holds_the_present(history: History) -> None:
    stretch = history.stretch(Interval.MINUTE, current=point(9))
    assert numbers(stretch.points) == [0, 9]
    assert stretch.start_ms == NOON_MS - 60_000


def test_a_bucket_closes_with_the_figures_at_its_end(history: History) -> None:
    assert not history.due(NOON_MS + 59_999)
    assert history.due(NOON_MS + 60_000)
    history.close_until(NOON_MS + 60_000, point(5))
    stretch = history.stretch(Interval.MINUTE, current=point(6))
    assert numbers(stretch.points) == [0, 5, 6]
    assert numbers(history.stretch(Interval.HOUR, current=point(6)).points) == [0, 6]


def test_buckets_that_were_slept_through_are_all_closed(history: History) -> None:
    history.close_until(NOON_MS + 3 * 3_600_000 + 1, point(7))
    assert numbers(history.stretch(Interval.HOUR, current=point(8)).points) == [0, 7, 7, 7, 8]
    assert len(history.stretch(Interval.MINUTE, current=point(8)).points) == 182
    assert numbers(history.stretch(Interval.DAY, current=point(8)).points) == [0, 8]


@pytest.mark.parametrize(("interval", "most"), [(Interval.MINUTE, 1_440), (Interval.HOUR, 168)])
def test_old_points_are_dropped(history: History, interval: Interval, most: int) -> None:
    history.close_until(NOON_MS + 9 * DAY_MS, point(1))
    stretch = history.stretch(interval, current=point(2))
    assert numbers(stretch.points) == [1] * (most - 1) + [2]
    assert stretch.start_ms == NOON_MS + 9 * DAY_MS - (most - 1) * interval.width_ms


def test_days_are_kept_for_good(history: History) -> None:
    history.close_until(NOON_MS + 400 * DAY_MS, point(1))
    assert len(history.stretch(Interval.DAY, current=point(2)).points) == 402


def test_a_day_ago_is_the_close_of_the_minute_24_hours_before(history: History) -> None:
    history.close_until(NOON_MS + 60_000, point(1))
    for minute in range(2, 1_500):
        history.close_until(NOON_MS + minute * 60_000, point(minute))
    assert history.a_day_ago() == point(1_499 - 1_440)
