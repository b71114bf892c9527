"""What a process remembers: a bounded number of values, the least recently used of which go first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Kept = TypeVar("Kept")

CAPACITY = 256
"""Enough for all resources of the venue, with room for wallets and leaderboard pages."""


class LruCache(Generic[Kept]):
    """The most recently used values by key; thread-safe, the least recently used one goes first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._values: OrderedDict[Hashable, Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> Kept | None:
        """The value kept under a key, or None."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: Hashable, value: Kept) -> None:
        """Keep a value, and let the least recently used one go when there is no room."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._capacity:
                self._values.popitem(last=False)
