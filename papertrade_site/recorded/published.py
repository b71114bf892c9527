"""What was recorded, as everyone reads it: from the shared cache, so that no call asks the database.

The recorder writes one row for each record anew in every round, so that a cache that was emptied is whole
again after the next one. A row holds the newest points only, as many as a tool can show: about 100 KB
for the protocol's eleven columns of ``POINTS`` and 55 KB for the house's five. A process parses a row at
most every ``LOOK_EVERY_S`` and keeps what it has read while there is nothing newer: closed buckets do not
change, so that is never wrong, only shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Final

from django.core.cache.backends.base import BaseCache
from pydantic import BaseModel, ValidationError

from papertrade_site.clock import Clock
from papertrade_site.memory import LruCache
from papertrade_site.recorded.buckets import Buckets
from papertrade_site.recorded.key import RecordKey
from papertrade_site.strict_json import Json
from papertrade_site.upstream.models.history import Column
from papertrade_site.upstream.shared import SharedCache

POINTS: Final = 512
"""Points in a row: the most that a tool shows, one more for differences, and some to spare."""

LOOK_EVERY_S: Final = 45.0
"""How long a process answers from what it has parsed."""

STORED_S: Final = 86_400
"""How long a row outlives the recorder."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The newest recorded buckets, and how many older figures there are of each column."""

    buckets: Buckets
    earlier: Mapping[str, int]


class _Row(BaseModel):
    """The stored form; it repeats the key in full, so that one source is never served as another."""

    origin: str
    record: str
    interval: str
    starts_ms: tuple[int, ...]
    columns: dict[str, Column]
    earlier: dict[str, int]

    def recorded(self, key: RecordKey) -> Recorded | None:
        """What it holds, or None when that is no record of the key."""
        columns = key.record.columns
        is_sound = (
            (self.origin, self.record, self.interval) == (key.origin, key.record, key.interval)
            and set(columns) == self.columns.keys() == self.earlier.keys()
            and all(len(column) == len(self.starts_ms) for column in self.columns.values())
            and all(earlier < later for earlier, later in pairwise(self.starts_ms))
        )
        buckets = Buckets(key.interval.width_ms, self.starts_ms, self.columns)
        return Recorded(buckets, self.earlier) if is_sound else None


class Published:
    """Writes and reads the rows; used by all threads of a process.

    Args:
        cache: shared by all processes. While it fails nothing is published, and readers go on with what
            they have.
        clock: tells when to look again.
    """

    def __init__(self, cache: BaseCache, clock: Clock) -> None:
        self._shared = SharedCache(cache, clock)
        self._clock = clock
        self._parsed: LruCache[tuple[Recorded | None, float]] = LruCache()

    def put(self, key: RecordKey, recorded: Recorded) -> None:
        """Let everyone read a record."""
        row = _Row(
            origin=key.origin,
            record=key.record,
            interval=key.interval,
            starts_ms=recorded.buckets.starts_ms,
            columns=dict(recorded.buckets.columns),
            earlier=dict(recorded.earlier),
        )
        self._shared.put(_cache_key(key), row.model_dump(mode="json"), seconds=STORED_S)

    def get(self, key: RecordKey) -> Recorded | None:
        """The record as it was last published; None when this process has never seen it."""
        cache_key, now = _cache_key(key), self._clock.monotonic()
        known, look_again_at = self._parsed.get(cache_key) or (None, now)
        if now < look_again_at:
            return known
        recorded = _parsed(self._shared.get_many([cache_key]).get(cache_key), key) or known
        self._parsed.put(cache_key, (recorded, now + LOOK_EVERY_S))
        return recorded


def _parsed(row: Json, key: RecordKey) -> Recorded | None:
    try:
        return _Row.model_validate(row).recorded(key)
    except ValidationError:  # absent, or stored by another version of this program
        return None


def _cache_key(key: RecordKey) -> str:
    text = f"{key.origin}\n{key.record}\n{key.interval}"
    return f"recorded:{sha256(text.encode()).hexdigest()[:40]}"
