"""How many requests all processes of all machines make within a minute for what callers can name without end.

Everything else that callers can vary is bounded by the lifetimes of its copies, whatever they ask and however
often: a leaderboard has 64 keys, histories 6, best positions 4, books, candles and liquidation maps 2 each.
But anybody can make up a wallet, and each has a key of its own. So the requests for wallets that callers name
are counted in the shared cache; past the quota a caller gets the previous copy, or is told to come back. The
tracked wallets are read without it, so that no flood of made-up ones keeps the maps from being drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from threading import Lock
from typing import Final

from django.core.cache.backends.base import BaseCache

from papertrade_site.clock import Clock
from papertrade_site.present import Present
from papertrade_site.upstream.errors import QuotaSpentError
from papertrade_site.upstream.rows import keys_of
from papertrade_site.upstream.shared import SharedCache

DEFAULT_PER_MINUTE: Final = 300
"""Requests of all processes in a minute, until somebody says otherwise; the venue publishes no limit."""

WINDOW_S: Final = 60

KEPT_AFTER_S: Final = 5
"""Seconds that a counter outlives its window, for clocks that differ."""

SHARE: Final = 10
"""While the shared cache is away, each process takes this part of the quota: as if there were so many."""

SPENT: Final = "All callers together have named as many wallets as are read in a minute."

_per_minute = Present(DEFAULT_PER_MINUTE)


def per_minute() -> int:
    """The quota that holds now."""
    return _per_minute.value


def apply(requests: int) -> None:
    """Let another quota hold from now on, for what was counted in this minute too."""
    _per_minute.value = requests


@dataclass(slots=True)
class _Window:
    """What a process knows of one minute: how far the shared counter has come, and what it took by itself."""

    key: str = ""
    reached: int = 0
    alone: int = 0


class Quota:
    """What one process knows of the quota; used by all of its threads."""

    def __init__(self, cache: BaseCache, clock: Clock) -> None:
        self._shared = SharedCache(cache, clock)
        self._clock = clock
        self._lock = Lock()
        self._window = _Window()

    def of(self, origin: str) -> Callable[[str], None]:
        """Takes a request to an origin for the resource of a name, or raises ``QuotaSpentError``."""
        return partial(self._spend, origin)

    def _spend(self, origin: str, name: str) -> None:
        number, gone_ms = divmod(self._clock.now_ms(), WINDOW_S * 1000)
        key = f"upstream:{keys_of(origin, f'quota of {name} in minute {number}').digest}:quota"
        if not self._grants(key):
            raise QuotaSpentError(SPENT, source=name, retry_after_s=ceil(WINDOW_S - gone_ms / 1000))

    def _grants(self, key: str) -> bool:
        window, most = self._window_of(key), _per_minute.value
        if window.reached >= most:
            return False
        count = self._shared.count(key, seconds=WINDOW_S + KEPT_AFTER_S)
        with self._lock:
            if count is None:
                window.alone += 1
                return window.alone <= max(most // SHARE, 1)
            window.reached = max(window.reached, count)
            return count <= most

    def _window_of(self, key: str) -> _Window:
        with self._lock:
            if self._window.key != key:
                self._window = _Window(key)
            return self._window
