"""Rounds of background work, with an event that lets no time pass but the clock's."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from threading import Event
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache

from papertrade_site.background.lease import Lease
from papertrade_site.background.sole import (
    JITTER,
    LONGEST_PAUSE_S,
    TRY_S,
    MayGoOn,
    Unfinished,
    Work,
    run_as_the_only_one,
)
from tests.clocks import ManualClock

EVERY_S = 10.0


class CountedWaits(Event):
    """Notes each wait and is set after so many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._most = most

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waits.append(timeout)
        if len(self.waits) == self._most:
            self.set()
        return self.is_set()


Run = Callable[[Work, int], list[float]]


@pytest.fixture
def cache() -> LocMemCache:
    return LocMemCache(uuid4().hex, {})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def run(cache: LocMemCache, clock: ManualClock) -> Run:
    """Do so many rounds, and give the pauses after them."""

    def run(work: Work, rounds: int) -> list[float]:
        stop = CountedWaits(rounds)
        run_as_the_only_one("work", every_s=EVERY_S, work=work, stop=stop, cache=cache, clock=clock)
        return stop.waits

    return run


def _about(seconds: float) -> object:
    low, high = JITTER
    return pytest.approx(seconds, rel=max(1 - low, high - 1))


def _nothing(_: MayGoOn) -> None:
    """Do a round, and all of it."""


def test_rounds_follow_each_other_after_pauses_that_are_not_all_alike(run: Run) -> None:
    pauses = run(_nothing, 50)
    assert pauses == [_about(EVERY_S)] * 50
    assert len(set(pauses)) > 1


def test_a_round_may_wish_for_another_pause_once(run: Run) -> None:
    wishes = iter([Unfinished(77), None, Unfinished(0.5)])
    assert run(lambda _: next(wishes), 3) == [_about(77), _about(EVERY_S), _about(0.5)]


def test_rounds_that_fail_are_further_and_further_apart_and_one_that_succeeds_ends_that(run: Run) -> None:
    outcomes = iter([*[ZeroDivisionError] * 5, None, ZeroDivisionError])

    def work(_: MayGoOn) -> None:
        if error := next(outcomes):
            raise error

    longest = LONGEST_PAUSE_S
    expected = [20, 40, longest, longest, longest, EVERY_S, 20]
    assert run(work, 7) == [_about(pause) for pause in expected]


def test_work_that_is_seldom_anyway_is_not_done_more_often_by_failing(
    cache: LocMemCache, clock: ManualClock
) -> None:
    def work(_: MayGoOn) -> None:
        raise ZeroDivisionError

    stop = CountedWaits(2)
    run_as_the_only_one("work", every_s=600, work=work, stop=stop, cache=cache, clock=clock)
    assert stop.waits == [_about(600)] * 2


def test_each_failure_is_logged_and_its_traceback_only_when_it_is_a_new_one(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    outcomes: Iterator[type[Exception]] = iter([ZeroDivisionError, ZeroDivisionError, KeyError, KeyError])

    def work(_: MayGoOn) -> None:
        raise next(outcomes)

    with caplog.at_level(logging.ERROR):
        run(work, 4)
    first, other = "A round failed (ZeroDivisionError): work.", "A round failed (KeyError): work."
    assert caplog.messages == [first, first, other, other]
    assert [record.exc_info is not None for record in caplog.records] == [True, False, True, False]


def test_a_process_that_is_not_the_owner_does_nothing_and_tries_again_soon(
    run: Run, cache: LocMemCache, clock: ManualClock
) -> None:
    Lease("work", cache, clock).take()
    rounds: list[MayGoOn] = []
    assert run(rounds.append, 5) == [_about(TRY_S)] * 5
    assert rounds == []


def test_work_may_go_on_until_the_lease_is_not_sure_any_more(run: Run, clock: ManualClock) -> None:
    seen: list[bool] = []

    def work(may_go_on: MayGoOn) -> None:
        for _ in range(3):
            seen.append(may_go_on())
            clock.advance(3)

    run(work, 1)
    assert seen == [True, True, False]


def test_work_may_not_go_on_once_it_is_asked_to_stop(cache: LocMemCache, clock: ManualClock) -> None:
    stop, seen = Event(), list[bool]()

    def work(may_go_on: MayGoOn) -> None:
        seen.append(may_go_on())
        stop.set()
        seen.append(may_go_on())

    run_as_the_only_one("work", every_s=EVERY_S, work=work, stop=stop, cache=cache, clock=clock)
    assert seen == [True, False]


def test_the_lease_is_free_again_after_a_clean_stop(run: Run, cache: LocMemCache, clock: ManualClock) -> None:
    run(_nothing, 2)
    assert Lease("work", cache, clock).take()
