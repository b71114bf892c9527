"""How background jobs go, as others read it."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.test import override_settings

from papertrade_site.background.command import noted
from papertrade_site.background.sole import Unfinished
from papertrade_site.ops.jobs import (
    JOBS,
    NOTE_EVERY_S,
    UNREADABLE,
    Condition,
    JobNotes,
    JobState,
    job_states,
    read_states,
    work_of,
)
from papertrade_site.ops.runner import background_parts
from papertrade_site.recorded.recorder import EVERY_S, FIRST_RETRY
from tests.clocks import ManualClock

TRACKER = JOBS[0]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def cache() -> BaseCache:
    return LocMemCache(uuid4().hex, {})


@pytest.fixture
def notes(cache: BaseCache, clock: ManualClock) -> JobNotes:
    return JobNotes(work_of(TRACKER.name), cache, clock)


def _tracker(cache: BaseCache, clock: ManualClock) -> JobState:
    return read_states(cache, clock).rows[0]


def test_each_background_process_has_a_job_and_each_job_a_process() -> None:
    assert {part.child.command[-1] for part in background_parts({})} == {job.name for job in JOBS}


def test_a_job_that_never_ran_is_unknown(cache: BaseCache, clock: ManualClock) -> None:
    states = read_states(cache, clock)
    assert states.rows == tuple(JobState(job, Condition.UNKNOWN, None, None, None) for job in JOBS)
    assert states.missing == ()


def test_a_round_that_went_well_is_told_with_its_time(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    notes.succeeded()
    assert _tracker(cache, clock) == JobState(TRACKER, Condition.OK, clock.now_ms(), None, None)


def test_a_round_that_failed_is_told_beside_the_last_that_went_well(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    notes.succeeded()
    succeeded_ms = clock.now_ms()
    clock.advance(1)
    notes.failed("LookupError")
    assert _tracker(cache, clock) == JobState(
        TRACKER, Condition.FAILING, succeeded_ms, clock.now_ms(), "LookupError"
    )
    clock.advance(1)
    notes.succeeded()
    assert _tracker(cache, clock).condition is Condition.OK


def test_a_job_is_late_when_nothing_was_heard_of_it_for_longer_than_usual(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    notes.succeeded()
    clock.advance(TRACKER.late_after_s)
    assert _tracker(cache, clock).condition is Condition.OK
    clock.advance(0.001)
    assert _tracker(cache, clock).condition is Condition.LATE


def test_a_success_from_before_the_clock_was_set_back_hides_nothing_that_comes_after(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    notes.succeeded()
    clock.ms -= 3 * 3_600_000
    assert _tracker(cache, clock).condition is Condition.UNKNOWN
    clock.advance(1)
    notes.failed("LookupError")
    assert _tracker(cache, clock).condition is Condition.FAILING
    notes.succeeded()
    assert _tracker(cache, clock) == JobState(
        TRACKER, Condition.OK, clock.now_ms(), clock.now_ms(), "LookupError"
    )


def test_successes_that_follow_at_once_are_noted_once(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    began_ms = clock.now_ms()
    for _ in range(3):
        notes.succeeded()
        clock.advance(NOTE_EVERY_S / 4)
    assert _tracker(cache, clock).last_success_ms == began_ms
    clock.advance(NOTE_EVERY_S / 4)
    notes.succeeded()
    assert _tracker(cache, clock).last_success_ms == clock.now_ms()


@pytest.mark.parametrize("rubbish", ["text", {"atMs": "1"}, {"atMs": True}, [1], 5])
def test_a_note_that_nobody_here_wrote_is_none(cache: BaseCache, clock: ManualClock, rubbish: object) -> None:
    for kind in ("success", "failure"):
        cache.set(f"job:{work_of(TRACKER.name)}:{kind}", rubbish)
    assert _tracker(cache, clock) == JobState(TRACKER, Condition.UNKNOWN, None, None, None)


def test_services_of_other_sources_have_jobs_of_their_own(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    notes.succeeded()
    with override_settings(PAPERTRADE_SOURCE="live"):
        assert _tracker(cache, clock).condition is Condition.UNKNOWN


def test_without_the_cache_a_job_goes_on_and_readers_are_told_what_is_missing(clock: ManualClock) -> None:
    away = RedisCache("unix:///nowhere/at.all", {})
    notes = JobNotes(work_of(TRACKER.name), away, clock)
    notes.succeeded()
    notes.failed("LookupError")
    states = read_states(away, clock)
    assert states.missing == (UNREADABLE,)
    assert {row.condition for row in states.rows} == {Condition.UNKNOWN}
    assert job_states().missing == (UNREADABLE,)


def test_the_rounds_of_a_command_are_noted_and_come_to_the_same(
    cache: BaseCache, clock: ManualClock, notes: JobNotes
) -> None:
    assert noted(lambda may_go_on: None if may_go_on() else Unfinished(4), notes)(lambda: True) is None
    assert _tracker(cache, clock).condition is Condition.OK
    clock.advance(1)
    assert noted(lambda _: Unfinished(4), notes)(lambda: True) == Unfinished(4)
    state = _tracker(cache, clock)
    assert (state.condition, state.failure) == (Condition.FAILING, "Unfinished")

    def failing(_: object) -> None:
        raise TimeoutError

    clock.advance(1)
    with pytest.raises(TimeoutError):
        noted(failing, notes)(lambda: True)
    assert _tracker(cache, clock).failure == "TimeoutError"


def test_a_recorder_that_fails_on_and_on_is_never_late_for_its_own_pauses() -> None:
    job = next(job for job in JOBS if job.name == "record_history")
    assert FIRST_RETRY.longest_s + EVERY_S <= job.late_after_s
