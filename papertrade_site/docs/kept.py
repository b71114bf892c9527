"""Keeping what takes a while to make, for a little while."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.limits.in_force import policy
from papertrade_site.limits.policy import Policy
from papertrade_site.memory import LruCache

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Row(Generic[Value]):
    value: Value
    until: float
    in_force: Policy


process_clock: Clock = SystemClock()
"""What ages values that no clock was given for."""


class Kept(Generic[Value]):
    """Values by key, each made anew when it has aged or the limits have changed, which pages tell.

    It is used by all threads of a process.

    Args:
        seconds: for how long a value stays.
        capacity: how many are kept; the least recently used go first.
        clock: what ages them; the process's own unless another is given.
    """

    def __init__(self, *, seconds: float, capacity: int, clock: Clock | None = None) -> None:
        self._seconds = seconds
        self._clock = clock
        self._rows: LruCache[_Row[Value]] = LruCache(capacity)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value kept under a key, else the one that is made now; two threads may make it both."""
        now, in_force = (self._clock or process_clock).monotonic(), policy()
        row = self._rows.get(key)
        if row is None or now >= row.until or row.in_force is not in_force:
            row = _Row(make(), now + self._seconds, in_force)
            self._rows.put(key, row)
        return row.value
