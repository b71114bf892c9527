"""Counting with the shared counters while they answer, and with this process's own while they do not."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import Final

from redis.exceptions import RedisError, ResponseError

from papertrade_site.clock import Clock
from papertrade_site.limits.charge import Charge
from papertrade_site.limits.local import LocalCounts

COOL_DOWN_S: Final = 1.0
"""Seconds between two tries of a cache that cannot be reached or is too slow; only one thread makes each."""

LOG_EVERY_S: Final = 60.0
"""Seconds between two log lines about the cache from one process."""

_log = logging.getLogger(__name__)


class Failover:
    """The counters of one process, which never fail and never let anybody through uncounted."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._local = LocalCounts(clock)
        self._lock = Lock()
        self._is_away = False
        self._next_try_at = float("-inf")
        self._next_line_at = float("-inf")

    def count(self, key: str, charge: Charge, *, seconds: int, shared: Callable[[], int]) -> int:
        """The client's count with the whole cost added, from the shared counters if they can be had.

        Args:
            key: of the counter.
            charge: what is added.
            seconds: how long the counter lives.
            shared: adds the charge to the shared counter; may raise what the Redis client raises.
        """
        if self._may_try():
            try:
                count = shared()
            except ResponseError as error:  # refused (full, read-only, another's key), but at once
                self._note(error, is_away=False)
            except (RedisError, OSError) as error:
                self._note(error, is_away=True)
            else:
                self._is_away = False
                return count
        return self._local.add(key, charge, seconds=seconds)

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
        with self._lock:
            now = self._clock.monotonic()
            self._is_away = is_away
            self._next_try_at = now + COOL_DOWN_S
            is_silent = now < self._next_line_at
            if not is_silent:
                self._next_line_at = now + LOG_EVERY_S
        if not is_silent:
            name = type(error).__name__
            _log.warning("The shared counters failed (%s); each process limits clients on its own.", name)
