"""What every process does beside its requests: tell what it has counted, and learn which limits hold.

One thread a process does both, so that no request waits for Redis or the database on their account.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final

from django.conf import settings
from django.db import close_old_connections, connections

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.limits.refresh import refresh
from papertrade_site.ops import request_log
from papertrade_site.ops.totals import process_totals
from papertrade_site.usage.store import process_store

BEAT_S: Final = 1.0
"""Seconds between two beats."""

REFRESH_BEATS: Final = 2
"""Beats between two looks at the limits: well within the 5 seconds in which a change has to work."""

GRACE_S: Final = 2.0
"""Seconds that a beat under way has to end before the process goes on to stop without it."""

LOG_EVERY_S: Final = 60.0
"""Seconds between two log lines of one task that fails."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """What is done at every so many beats."""

    action: Callable[[], object]
    beats: int = 1


class Pulse:
    """Does its tasks, one after the other, again and again until it is stopped.

    Args:
        tasks: in the order of each beat; one that raises is logged and does not keep the others from theirs.
        clock: by which log lines are spaced.
        beat_s: seconds between two beats.
    """

    def __init__(self, tasks: Sequence[Task], clock: Clock, *, beat_s: float = BEAT_S) -> None:
        self._tasks = tasks
        self._clock = clock
        self._beat_s = beat_s
        self._quiet_until: dict[Task, float] = {}
        self._begun, self._over = Event(), Event()
        self._thread = Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        """Begin; returns once every task was done for the first time."""
        self._thread.start()
        self._begun.wait()

    def stop(self) -> None:
        """End the thread, and do what is done at every beat for a last time."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(GRACE_S)
        self.beat(1)

    def beat(self, number: int = 0) -> None:
        """Do the tasks whose turn it is; at beat 0 it is everyone's."""
        for task in self._tasks:
            if number % task.beats == 0:
                self._do(task)

    def _run(self) -> None:
        number = 0
        try:
            self.beat(number)
        finally:
            self._begun.set()
        while not self._over.wait(self._beat_s):
            number += 1
            self.beat(number)
        connections.close_all()

    def _do(self, task: Task) -> None:
        try:
            task.action()
        except Exception:  # a bug in one task must neither end the thread nor keep the process from starting
            if self._may_complain(task):
                _log.exception("What is done beside requests failed.")

    def _may_complain(self, task: Task) -> bool:
        now = self._clock.monotonic()
        if now < self._quiet_until.get(task, now):
            return False
        self._quiet_until[task] = now + LOG_EVERY_S
        return True


def process_pulse() -> Pulse:
    """One for this process: it tells usage each second and looks at the limits every other one."""
    return Pulse([Task(tell_usage), Task(look_at_limits, REFRESH_BEATS)], SystemClock())


def tell_usage() -> None:
    """Tell the others, and ``/metrics``, what this process has counted since the last time."""
    process_totals.add(process_store.flush(), request_log.process_lines.drain())
    process_totals.write(settings.METRICS_FOLDER)


def look_at_limits() -> None:
    """Put in force what an operator has set; a connection to the database that was lost is opened anew."""
    close_old_connections()
    refresh()
