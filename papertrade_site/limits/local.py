"""Counts of this process alone, for while the shared ones are away."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from papertrade_site.clock import Clock
from papertrade_site.limits.charge import Charge

MOST_KEYS: Final = 10_000
"""Counters that are kept, about 3 MB; past it the oldest go, each of which has had the longest to run."""


@dataclass(slots=True)
class _Row:
    expires_at: float
    count: int = 0


class LocalCounts:
    """Counters that forget themselves; used by all threads of a process."""

    def __init__(self, clock: Clock, *, most_keys: int = MOST_KEYS) -> None:
        self._clock = clock
        self._most_keys = most_keys
        self._rows: OrderedDict[str, _Row] = OrderedDict()
        self._lock = Lock()

    def add(self, key: str, charge: Charge, *, seconds: int) -> int:
        """Add a charge to a counter that lives so many seconds from its first one.

        Returns:
            The count with the whole cost added, of which a refused charge gives back all but 1.
        """
        with self._lock:
            now = self._clock.monotonic()
            self._forget(now)
            row = self._rows.setdefault(key, _Row(now + seconds))
            count = row.count + charge.cost
            row.count = charge.counted(count)
            return count

    def __len__(self) -> int:
        return len(self._rows)

    def _forget(self, now: float) -> None:
        """Drop what has run out, and make room for one more; the oldest row is always the first."""
        while self._rows:
            oldest = next(iter(self._rows.values()))
            if oldest.expires_at > now and len(self._rows) < self._most_keys:
                break
            self._rows.popitem(last=False)
