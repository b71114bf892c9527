"""A cache in memory that counts what it is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache


class CountingCache(LocMemCache):
    """Counts the round trips that read."""

    reads = 0

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        """Give the values of the keys."""
        self.reads += 1
        return super().get_many(keys, version)
