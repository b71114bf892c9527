"""How the work beside the service goes: noted in the shared cache by who does it, read by who tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.core.cache.backends.base import BaseCache

from papertrade_site import reading
from papertrade_site.clock import Clock, SystemClock
from papertrade_site.outage import Outage

KEPT_S: Final = 30 * 86_400
"""Seconds for which a note is kept after a job has stopped."""

NOTE_EVERY_S: Final = 2.0
"""Seconds between two notes of success; some jobs have several rounds a second."""

SKEW_MS: Final = 5_000
"""How far clocks of machines may be apart; a note of a later time was made by a clock that was set back."""

UNNOTED: Final = "How a background job goes cannot be noted in the shared cache (%s)."
UNREADABLE: Final = "Redis cannot be reached: how the background jobs go is not known."


@dataclass(frozen=True, slots=True)
class Job:
    """Work that one process of all does.

    Attributes:
        name: that of its command.
        title: for people.
        late_after_s: seconds without a round, good or failed, that are no longer usual.
    """

    name: str
    title: str
    late_after_s: int


JOBS: Final = (
    Job("track_wallets", "Wallet tracker", late_after_s=30),
    Job("record_history", "History recorder", late_after_s=600),
    Job("roll_up_usage", "Usage rollup", late_after_s=60),
)
"""All of them, by the names that ``background.command`` runs them under."""


class Condition(StrEnum):
    """How a job is."""

    OK = "ok"
    FAILING = "failing"
    """Its last round failed."""

    LATE = "late"
    """It has had no round for longer than usual."""

    UNKNOWN = "unknown"
    """Nothing is noted of it: it never ran, or the cache has lost it and the next round is to come."""


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job is now.

    Attributes:
        last_success_ms: the end of the last round that went well; None when nobody knows of one.
        last_failure_ms: the same of the last that failed.
        failure: what that failed with: the name of an exception's class, or ``Unfinished`` for a round that
            could do a part of its work only.
    """

    job: Job
    condition: Condition
    last_success_ms: int | None
    last_failure_ms: int | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class JobStates:
    """All jobs, in the order of ``JOBS``.

    Attributes:
        missing: sentences about what could not be read; without any, all was.
    """

    rows: tuple[JobState, ...]
    missing: tuple[str, ...]


def work_of(name: str) -> str:
    """What a job is called in the shared cache, where services of other sources may have theirs."""
    return f"{name}:{settings.PAPERTRADE_SOURCE}:{settings.EXCHANGE_URL}"


class JobNotes:
    """Notes how the rounds of one job go; while the cache fails they go on without.

    Args:
        work: see ``work_of``.
        cache: where others read it.
        clock: tells when.
    """

    def __init__(self, work: str, cache: BaseCache, clock: Clock) -> None:
        self._work = work
        self._cache = cache
        self._clock = clock
        self._outage = Outage(clock, UNNOTED)
        self._quiet_until = float("-inf")

    def succeeded(self) -> None:
        """Note that a round went well, unless that was noted a moment ago."""
        if self._clock.monotonic() >= self._quiet_until and self._note(_success_key(self._work), {}):
            self._quiet_until = self._clock.monotonic() + NOTE_EVERY_S

    def failed(self, failure: str) -> None:
        """Note that a round failed, and with what: one word of ours, never the text of an exception."""
        self._quiet_until = float("-inf")
        self._note(_failure_key(self._work), {"failure": failure})

    def _note(self, key: str, more: dict[str, str]) -> bool:
        note = {"atMs": self._clock.now_ms(), **more}

        def write() -> bool:
            self._cache.set(key, note, KEPT_S)
            return True

        return self._outage.attempt(write, otherwise=lambda: False)


def job_states() -> JobStates:
    """How every job is, by what is noted in the shared cache."""
    return read_states(cache, SystemClock())


def read_states(cache: BaseCache, clock: Clock) -> JobStates:
    """How every job is, by what is noted in a cache."""
    keys = [key(work_of(job.name)) for job in JOBS for key in (_success_key, _failure_key)]
    notes = reading.process_redis.attempt(lambda: cache.get_many(keys), otherwise=lambda: None)
    missing = (UNREADABLE,) if notes is None else ()
    return JobStates(tuple(_state(job, notes or {}, clock.now_ms()) for job in JOBS), missing)


def _state(job: Job, notes: dict[str, object], now_ms: int) -> JobState:
    success = _Note.read(notes.get(_success_key(work_of(job.name))), now_ms)
    failure = _Note.read(notes.get(_failure_key(work_of(job.name))), now_ms)
    return JobState(
        job,
        _condition(job, success.at_ms, failure.at_ms, now_ms),
        last_success_ms=success.at_ms,
        last_failure_ms=failure.at_ms,
        failure=failure.failure,
    )


def _condition(job: Job, success_ms: int | None, failure_ms: int | None, now_ms: int) -> Condition:
    last_ms = max(success_ms or 0, failure_ms or 0)
    if not last_ms:
        return Condition.UNKNOWN
    if now_ms - last_ms > job.late_after_s * 1000:
        return Condition.LATE
    return Condition.OK if last_ms == success_ms else Condition.FAILING


@dataclass(frozen=True, slots=True)
class _Note:
    at_ms: int | None = None
    failure: str | None = None

    @classmethod
    def read(cls, note: object, now_ms: int) -> _Note:
        """What was noted; nothing when it is nothing that this version writes, or is of a time to come.

        The latter is left where the clock was set back; taken for the newest, it would hide what came since.
        """
        if not isinstance(note, dict) or type(note.get("atMs")) is not int:
            return cls()
        if note["atMs"] > now_ms + SKEW_MS:
            return cls()
        failure = note.get("failure")
        return cls(note["atMs"], failure if isinstance(failure, str) else None)


def _success_key(work: str) -> str:
    return f"job:{work}:success"


def _failure_key(work: str) -> str:
    return f"job:{work}:failure"
