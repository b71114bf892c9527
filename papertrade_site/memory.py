"""What a process remembers: values up to a bound, of which the least recently used go first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Kept = TypeVar("Kept")

CAPACITY = 256
"""Values that are kept unless a user of the cache says otherwise."""


def _one(_: object) -> int:
    return 1


class LruCache(Generic[Kept]):
    """The most recently used values by key; thread-safe, the least recently used one goes first.

    Args:
        capacity: what all values may weigh together.
        weigh: what one value weighs; each counts as one unless it is given. One that is heavier than the
            capacity is not kept.
    """

    def __init__(self, capacity: int = CAPACITY, *, weigh: Callable[[Kept], int] = _one) -> None:
        self._capacity = capacity
        self._weigh = weigh
        self._weight = 0
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
        """Keep a value, and let the least recently used ones go when there is no room."""
        with self._lock:
            self._drop(self._values.pop(key, None))
            self._values[key] = value
            self._weight += self._weigh(value)
            while self._weight > self._capacity:
                self._drop(self._values.popitem(last=False)[1])

    def _drop(self, value: Kept | None) -> None:
        if value is not None:
            self._weight -= self._weigh(value)
