"""What every process does beside its requests: tell what it has counted, and learn which limits hold.

Each has a thread of its own, so that no request waits for Redis or the database on their account, and what
one of them waits for never keeps the other from its turn.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final

from django.conf import settings
from django.db import close_old_connections, connections

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.limits.refresh import refresh
from papertrade_site.ops import request_log
from papertrade_site.ops.log_handler import drain_lost_lines
from papertrade_site.ops.totals import process_totals
from papertrade_site.usage.store import process_store

TELL_EVERY_S: Final = 1.0
"""Seconds between two times that usage is told."""

LOOK_EVERY_S: Final = 2.0
"""Seconds between two looks at the limits: well within the 5 seconds in which a change has to work."""

START_S: Final = 10.0
"""Seconds that a process waits at most for its first round; then it serves with what it knows."""

GRACE_S: Final = 2.0
"""Seconds that rounds under way have to end before the process goes on to stop without them."""

LOG_EVERY_S: Final = 60.0
"""Seconds between two log lines of one task that fails."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """What is done again and again.

    Attributes:
        every_s: seconds from the end of one time to the next.
        is_last_too: whether it is done once more when the process ends.
    """

    action: Callable[[], object]
    every_s: float
    is_last_too: bool = False


class Pulse:
    """Does its tasks, each in a thread of its own, again and again until it is stopped.

    Args:
        tasks: one that raises is logged, and has its next turn as ever.
        clock: by which log lines are spaced.
    """

    def __init__(self, tasks: Sequence[Task], clock: Clock) -> None:
        self._tasks = tasks
        self._clock = clock
        self._quiet_until: dict[Task, float] = {}
        self._over = Event()
        self._begun = {task: Event() for task in tasks}
        self._threads = [
            Thread(target=self._run, args=(task,), name=f"pulse {number}", daemon=True)
            for number, task in enumerate(tasks)
        ]

    def start(self) -> None:
        """Begin; returns once every task was done for the first time, or ``START_S`` are over."""
        for thread in self._threads:
            thread.start()
        ends_at = time.monotonic() + START_S
        for begun in self._begun.values():
            begun.wait(max(0.0, ends_at - time.monotonic()))

    def stop(self) -> None:
        """End the threads, and do what is to be done for a last time.

        A task that is still under way after ``GRACE_S`` is left alone: it is not made for two threads.
        """
        self._over.set()
        ends_at = time.monotonic() + GRACE_S
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, ends_at - time.monotonic()))
        for task, thread in zip(self._tasks, self._threads, strict=True):
            if task.is_last_too and not thread.is_alive():
                self._do(task)

    def _run(self, task: Task) -> None:
        try:
            self._do(task)
        finally:
            self._begun[task].set()
        while not self._over.wait(task.every_s):
            self._do(task)
        connections.close_all()

    def _do(self, task: Task) -> None:
        try:
            task.action()
        except Exception:  # a bug in one task must neither end its thread nor keep the process from starting
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
    tasks = [Task(tell_usage, TELL_EVERY_S, is_last_too=True), Task(look_at_limits, LOOK_EVERY_S)]
    return Pulse(tasks, SystemClock())


def tell_usage() -> None:
    """Tell the others, and ``/metrics``, what this process has counted since the last time."""
    process_totals.add(
        process_store.flush(), request_log.process_lines.drain(), lost_lines=drain_lost_lines()
    )
    process_totals.write(settings.METRICS_FOLDER)


def look_at_limits() -> None:
    """Put in force what an operator has set; a connection to the database that was lost is opened anew."""
    close_old_connections()
    refresh()
