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

    def add(self, key: str, charge: Charge, *, seconds: int) -> list[int]:
        """Add a charge to its counters, the first of which has this key and lives so many seconds.

        Returns:
            What each counter has reached with the whole cost added; see ``Charge.counted`` for what stays.
        """
        with self._lock:
            now = self._clock.monotonic()
            rows = [self._row(key, seconds, now)]
            rows += [self._row(counter.key, counter.seconds, now) for counter in charge.further]
            counts = [row.count + charge.cost for row in rows]
            for row, count in zip(rows, charge.counted(counts), strict=True):
                row.count = count
            return counts

    def __len__(self) -> int:
        return len(self._rows)

    def _row(self, key: str, seconds: int, now: float) -> _Row:
        self._forget(now)
        row = self._rows.get(key)
        if row is None or row.expires_at <= now:
            self._rows.pop(key, None)
            row = self._rows[key] = _Row(now + seconds)
        return row

    def _forget(self, now: float) -> None:
        """Drop what has run out, and make room for one more.

        One that lives shortly stays as long as an older one that lives longer stands before it.
        """
        while self._rows:
            oldest = next(iter(self._rows.values()))
            if oldest.expires_at > now and len(self._rows) < self._most_keys:
                break
            self._rows.popitem(last=False)
