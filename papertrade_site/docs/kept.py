"""Keeping what takes a while to make, for a little while."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from papertrade_site.limits.in_force import policy
from papertrade_site.limits.policy import Policy
from papertrade_site.memory import LruCache

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Row(Generic[Value]):
    value: Value
    until: float
    in_force: Policy


class Kept(Generic[Value]):
    """Values by key, each made anew when it has aged or the limits have changed, which pages tell.

    It is used by all threads of a process.

    Args:
        seconds: for how long a value stays.
        capacity: how many are kept; the least recently used go first.
    """

    def __init__(self, *, seconds: float, capacity: int) -> None:
        self._seconds = seconds
        self._rows: LruCache[_Row[Value]] = LruCache(capacity)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value kept under a key, else the one that is made now; two threads may make it both."""
        now, in_force = time.monotonic(), policy()
        row = self._rows.get(key)
        if row is None or now >= row.until or row.in_force is not in_force:
            row = _Row(make(), now + self._seconds, in_force)
            self._rows.put(key, row)
        return row.value
