"""Going on without a server that processes share, and finding out when it is back."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar

from redis.exceptions import RedisError, ResponseError

from papertrade_site.clock import Clock

Result = TypeVar("Result")

COOL_DOWN_S: Final = 1.0
"""Seconds between two tries of a server that cannot be reached or is too slow; only one thread makes each."""

LOG_EVERY_S: Final = 60.0
"""Seconds between two log lines of one ``Outage``."""

REDIS_FAILURES: Final = (RedisError, OSError)
"""What the client of Redis raises when Redis fails."""


def is_redis_refusal(error: Exception) -> bool:
    """Whether Redis is there and refuses: it is full, a replica, or the key is another's."""
    return isinstance(error, ResponseError)


_log = logging.getLogger(__name__)


class Failures:
    """How often Redis has failed this process since somebody last asked; used by all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0

    def note(self) -> None:
        """Count one failure."""
        with self._lock:
            self._count += 1

    def drain(self) -> int:
        """Give the count, and begin anew."""
        with self._lock:
            count, self._count = self._count, 0
            return count

    def forget(self) -> None:
        """Drop what belongs to the parent of a forked process."""
        self._lock, self._count = Lock(), 0


process_failures = Failures()
"""This process's own, for all purposes together."""

os.register_at_fork(after_in_child=process_failures.forget)


class Outage:
    """What one process knows about a server for one purpose; used by all of its threads.

    Args:
        clock: by which tries and log lines are spaced.
        line: what is logged of a failure, with ``%s`` for the name of the exception's class alone: its text
            may hold a key.
        failures: what the server's client raises; those of Redis unless others are named.
        is_refusal: whether a failure shows that the server is there all the same; likewise.
    """

    def __init__(
        self,
        clock: Clock,
        line: str,
        *,
        failures: tuple[type[Exception], ...] = REDIS_FAILURES,
        is_refusal: Callable[[Exception], bool] = is_redis_refusal,
    ) -> None:
        self._clock = clock
        self._line = line
        self._failures = failures
        self._is_refusal = is_refusal
        self._lock = Lock()
        self._is_away = False
        self._next_try_at = float("-inf")
        self._next_line_at = float("-inf")

    def attempt(self, action: Callable[[], Result], *, otherwise: Callable[[], Result]) -> Result:
        """The action's result; the other's when the server fails the action or is being left alone.

        After a failure that may have cost a time-out, the server is left alone for ``COOL_DOWN_S``. One that
        refuses does so at once and is asked again.
        """
        if self._may_try():
            try:
                result = action()
            except self._failures as error:
                self._note(error, is_away=not self._is_refusal(error))
            else:
                self._is_away = False
                return result
        return otherwise()

    def _may_try(self) -> bool:
        if not self._is_away:
            return True
        with self._lock:
            now = self._clock.monotonic()
            if now < self._next_try_at:
                return False
            self._next_try_at = now + COOL_DOWN_S
            return True

    def _note(self, error: Exception, *, is_away: bool) -> None:
        if isinstance(error, REDIS_FAILURES):
            process_failures.note()
        with self._lock:
            now = self._clock.monotonic()
            self._is_away = is_away
            self._next_try_at = now + COOL_DOWN_S
            is_silent = now < self._next_line_at
            if not is_silent:
                self._next_line_at = now + LOG_EVERY_S
        if not is_silent:
            _log.warning(self._line, type(error).__name__)
