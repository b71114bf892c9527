"""The cache that all processes and machines share, made safe to lose.

A cache that fails never fails a reader: each method then answers as if nothing were stored, one line
is logged a minute, and after a failure that may have cost a time-out this process leaves the cache
alone for a second (``papertrade_site.outage``).

Room: a row lives as long as its resource's stale limit, so at any time the cache holds what was
asked for in the last ten minutes. A wallet without positions takes about 1 KB, one of 100 positions
about 16 KB, a day of minutes of history about 300 KB; 10,000 unknown wallets within ten minutes, and a
failure of each, stay below 20 MB, and the default quota (``quota.py``) lets callers name 3,000. Every key
expires, so a server with a ``maxmemory`` and a ``volatile-`` policy may drop any of them early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial
from math import ceil
from typing import Final, TypeVar
from uuid import uuid4

from django.core.cache.backends.base import BaseCache

from papertrade_site.clock import Clock
from papertrade_site.memory import LruCache
from papertrade_site.outage import Outage
from papertrade_site.strict_json import Json

Result = TypeVar("Result")

FAILED: Final = "The shared cache failed (%s); reads go on without it."

DEAD_AFTER_S = 4.0
"""Seconds after which a lock that somebody still holds is taken from him.

A refresher that died leaves his lock behind, and a key that is not ours may never expire. One that is
only slow loses little: the source is asked once more.
"""

SAFE_SHARE = 0.9
"""The share of a lock's life within which its owner can be sure that it is still the owner."""


class Lock(Enum):
    """What became of asking for a lock; unknown when the cache is away, so that nobody can coordinate."""

    WON = "won"
    TAKEN = "taken"
    UNKNOWN = "unknown"


class SharedCache:
    """Django's cache without its exceptions; used by all threads of a process."""

    def __init__(self, cache: BaseCache, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._outage = Outage(clock, FAILED)
        self._holders: LruCache[tuple[Json, float]] = LruCache()

    def get_many(self, keys: Sequence[str]) -> dict[str, Json]:
        """The values stored under the keys, in one round trip; absent ones are left out."""
        nothing: dict[str, Json] = {}
        return self._attempt(lambda: self._cache.get_many(keys), otherwise=nothing)

    def put(self, key: str, value: Json, *, seconds: float) -> None:
        """Store a value; it vanishes after the seconds, rounded up to whole ones."""
        self._attempt(lambda: self._cache.set(key, value, timeout=ceil(seconds)), otherwise=None)

    def count(self, key: str, *, seconds: int) -> int | None:
        """Add 1 to a counter that vanishes so many seconds after its first, and give what it has reached.

        No two callers get the same number. None when the cache cannot count now.
        """
        return self._attempt(partial(self._count, key, seconds), otherwise=None)

    @contextmanager
    def held(self, key: str, *, seconds: int) -> Iterator[Lock]:
        """Try for a lock that expires after so many seconds; one that is won is given back after the block.

        A lock that this process has seen in the same hands for ``DEAD_AFTER_S`` is taken over. Near its
        expiry it is left to expire: it may be another's by the time that it would be deleted.
        """
        token = uuid4().hex
        asked_at = self._clock.monotonic()
        won = self._attempt(lambda: self._cache.add(key, token, timeout=seconds), otherwise=None)
        if won is False and self._is_dead(key):
            won = self._attempt(partial(self._take_over, key, token, seconds), otherwise=None)
        try:
            yield Lock.UNKNOWN if won is None else Lock.WON if won else Lock.TAKEN
        finally:
            if won and self._clock.monotonic() - asked_at < seconds * SAFE_SHARE:
                self._attempt(partial(self._give_back, key, token), otherwise=None)

    def _count(self, key: str, seconds: int) -> int | None:
        if self._cache.add(key, 1, timeout=seconds):
            return 1
        try:
            count = self._cache.incr(key)
        except ValueError:  # dropped since, for want of room
            return None
        if count == 1:  # dropped while Django looked whether it is there, and made anew without an end
            self._cache.touch(key, timeout=seconds)
        return count

    def _is_dead(self, key: str) -> bool:
        holder = self._attempt(lambda: self._cache.get(key), otherwise=None)
        now = self._clock.monotonic()
        seen = self._holders.get(key)
        if seen is None or seen[0] != holder:
            self._holders.put(key, (holder, now))
            return False
        return now - seen[1] >= DEAD_AFTER_S

    def _take_over(self, key: str, token: str, seconds: int) -> bool:
        self._cache.set(key, token, timeout=seconds)
        return True

    def _give_back(self, key: str, token: str) -> None:
        if self._cache.get(key) == token:
            self._cache.delete(key)

    def _attempt(self, action: Callable[[], Result], *, otherwise: Result) -> Result:
        return self._outage.attempt(action, otherwise=lambda: otherwise)
