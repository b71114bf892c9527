"""How reading goes, counted in this process: what readers got, what sources answered, and how hosts are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Final

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.market.vocabulary import MINUTE_MS
from papertrade_site.upstream.copies import Outcome
from papertrade_site.upstream.errors import BusyError, UpstreamError
from papertrade_site.upstream.freshness import State
from papertrade_site.upstream.resource import Host

MOST_ROWS: Final = 1_000
"""Rows that are kept until somebody takes them, in a process where nobody does: an hour of all sources."""


@dataclass(slots=True)
class SourceCounts:
    """What became of the reads of one resource, and of the requests that were sent for it.

    Attributes:
        fresh: reads that a fresh copy answered.
        stale: reads that got an older copy.
        fetched: reads that waited for the source and got its answer.
        failed: reads that got nothing.
        answered: requests with an answer that could be used.
        limited: requests that the host turned away as too many (429).
        unusable: requests without an answer, or with one that could not be used.
    """

    fresh: int = 0
    stale: int = 0
    fetched: int = 0
    failed: int = 0
    answered: int = 0
    limited: int = 0
    unusable: int = 0

    def add(self, more: SourceCounts) -> None:
        """Add other counts."""
        for name in SOURCE_NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(more, name))


SOURCE_NUMBERS: Final = tuple(field.name for field in fields(SourceCounts))
"""The counts of ``SourceCounts``, in their order."""


@dataclass(frozen=True, slots=True)
class HostNews:
    """When a host last answered as it should, and how it last failed, in a sentence of ours."""

    last_success_ms: int | None = None
    last_error: str | None = None
    last_error_ms: int | None = None


SourceRows = Mapping[tuple[int, str], SourceCounts]
"""Counts by the start of their minute and the resource's name."""


class Tally:
    """The counts of one process; used by all of its threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._rows: dict[tuple[int, str], SourceCounts] = {}
        self._news: dict[Host, HostNews] = {}

    def read(self, outcomes: Iterable[tuple[str, Outcome]]) -> None:
        """Count what readers got of resources, which are given by their names."""
        with self._lock:
            for name, outcome in outcomes:
                _count_read(self._row(name), outcome)

    def asked(self, host: Host, source: str, error: UpstreamError | None) -> None:
        """Count a request that was sent to a host for a resource, by what became of it."""
        now_ms = self._clock.now_ms()
        with self._lock:
            row, news = self._row(source), self._news.get(host, HostNews())
            if error is None:
                row.answered += 1
                self._news[host] = replace(news, last_success_ms=now_ms)
                return
            if isinstance(error, BusyError):
                row.limited += 1
            else:
                row.unusable += 1
            self._news[host] = replace(news, last_error=error.what, last_error_ms=now_ms)

    def drain(self) -> SourceRows:
        """Give all counts since the last time, and begin anew."""
        with self._lock:
            rows, self._rows = self._rows, {}
            return rows

    def news(self) -> dict[Host, HostNews]:
        """How each host that was ever asked is."""
        with self._lock:
            return dict(self._news)

    def forget(self) -> None:
        """Drop what belongs to the parent of a forked process."""
        self._lock, self._rows, self._news = Lock(), {}, {}

    def _row(self, name: str) -> SourceCounts:
        minute_ms = self._clock.now_ms() // MINUTE_MS * MINUTE_MS
        if (minute_ms, name) not in self._rows and len(self._rows) >= MOST_ROWS:
            del self._rows[next(iter(self._rows))]
        return self._rows.setdefault((minute_ms, name), SourceCounts())


def _count_read(row: SourceCounts, outcome: Outcome) -> None:
    if isinstance(outcome, UpstreamError):
        row.failed += 1
    elif outcome.is_new:
        row.fetched += 1
    elif outcome.state is State.FRESH:
        row.fresh += 1
    else:
        row.stale += 1


process_tally = Tally(SystemClock())
"""This process's own."""
