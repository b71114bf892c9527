"""Counts of a period from the database, with those that Redis alone has yet, slot by slot.

A row of Redis stands in the place of the same row of the database, as both are totals of one process and one
minute. So nothing is counted twice, whatever the rollup does meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, Protocol, Self, TypeVar

from django.db.models import Max, Model

from papertrade_site import reading
from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.upstream.tally import SourceCounts
from papertrade_site.usage import store
from papertrade_site.usage.counts import MessageCounts
from papertrade_site.usage.models import SourceHour, SourceMinute, UsageHour, UsageMinute
from papertrade_site.usage.periods import Period
from papertrade_site.usage.store import KEPT_MS
from papertrade_site.usage.wire import StoredMinute

NO_REDIS: Final = "Redis cannot be reached: the newest minutes are missing."
NO_DATABASE: Final = "The database cannot be read: what is older than the last hours is missing."

ROLLED_UP_AFTER_MS: Final = 2 * MINUTE_MS
"""How long before the newest minute of the database Redis is asked from: those may have grown since."""

Subject = tuple[str, ...]
Result = TypeVar("Result")


class Counts(Protocol):
    """What can be added up."""

    def add(self, more: Self) -> None:
        """Add other counts."""
        ...


Of = TypeVar("Of", bound=Counts)


@dataclass(frozen=True, slots=True)
class Kind(Generic[Of]):
    """One kind of counts: its tables, its rows in Redis, and the names of what its rows are about."""

    empty: type[Of]
    minutes: type[Model]
    hours: type[Model]
    told: Callable[[StoredMinute], Mapping[Any, Of]]
    subject: tuple[str, ...]


MESSAGES: Final = Kind(
    MessageCounts, UsageMinute, UsageHour, lambda minute: minute.messages, ("server", "method", "tool")
)
SOURCES: Final = Kind(SourceCounts, SourceMinute, SourceHour, lambda minute: minute.sources, ("name",))


@dataclass(frozen=True, slots=True)
class _Row(Generic[Of]):
    """Counts of one subject within one span, of one process or, in an hour, of all."""

    start_ms: int
    writer: str
    subject: Subject
    counts: Of

    @property
    def key(self) -> tuple[int, str, Subject]:
        """Of two rows of one key, the later is the better."""
        return self.start_ms, self.writer, self.subject


@dataclass(slots=True)
class Reads:
    """Reads that may fail, and sentences about those that did."""

    missing: list[str] = field(default_factory=list)

    def redis(self, read: Callable[[], Result], otherwise: Callable[[], Result]) -> Result:
        """What Redis tells, or the other thing while it is away."""
        without = partial(self._without, NO_REDIS, otherwise)
        return reading.process_redis.attempt(read, otherwise=without)

    def database(self, read: Callable[[], Result], otherwise: Callable[[], Result]) -> Result:
        """What the database tells, or the other thing while it is away."""
        without = partial(self._without, NO_DATABASE, otherwise)
        return reading.process_database.attempt(read, otherwise=without)

    def _without(self, sentence: str, otherwise: Callable[[], Result]) -> Result:
        if sentence not in self.missing:
            self.missing.append(sentence)
        return otherwise()


@dataclass(frozen=True, slots=True)
class Gathered(Generic[Of]):
    """Counts by the start of their slot and by what they are about, and what could not be read."""

    empty: type[Of]
    slots: Mapping[int, Mapping[Subject, Of]]
    missing: tuple[str, ...]

    def total(self) -> dict[Subject, Of]:
        """The counts of all slots together."""
        total: dict[Subject, Of] = {}
        for slot in self.slots.values():
            for subject, counts in slot.items():
                total.setdefault(subject, self.empty()).add(counts)
        return total


def gather(kind: Kind[Of], period: Period, now_ms: int, *, server: str | None = None) -> Gathered[Of]:
    """The counts of a period that ends now, of one server or of all; never raises for what is away."""
    reads, starts_ms = Reads(), period.starts_ms(now_ms)
    only = {} if server is None else {"server": server}
    told = _told(kind, reads, first_ms=starts_ms[0], now_ms=now_ms, server=server)
    minutes_ms, rows = starts_ms[0], list[_Row[Of]]()
    if period is not Period.HOUR:
        oldest_ms = min((row.start_ms for row in told), default=now_ms)
        minutes_ms = oldest_ms - oldest_ms % HOUR_MS
        hours = kind.hours._default_manager.filter(
            **only, start_ms__gte=starts_ms[0], start_ms__lt=minutes_ms
        )
        rows += reads.database(lambda: [_row(kind, row) for row in hours], list[_Row[Of]])
    minutes = kind.minutes._default_manager.filter(**only, start_ms__gte=minutes_ms)
    rows += reads.database(lambda: [_row(kind, row) for row in minutes], list[_Row[Of]])
    newest: dict[tuple[int, str, Subject], _Row[Of]] = {row.key: row for row in [*rows, *told]}
    slots: dict[int, dict[Subject, Of]] = {start_ms: {} for start_ms in starts_ms}
    for row in newest.values():
        slot = slots.get(row.start_ms - row.start_ms % period.slot_ms)
        if slot is not None:  # a machine's clock may be ahead
            slot.setdefault(row.subject, kind.empty()).add(row.counts)
    return Gathered(kind.empty, slots, tuple(reads.missing))


def _told(kind: Kind[Of], reads: Reads, *, first_ms: int, now_ms: int, server: str | None) -> list[_Row[Of]]:
    """What Redis has of the minutes that the database may lack."""
    newest_ms = reads.database(lambda: _newest_ms(kind), int)
    since_ms = max(first_ms, now_ms - KEPT_MS, newest_ms - ROLLED_UP_AFTER_MS)
    starts_ms = range(since_ms - since_ms % MINUTE_MS, now_ms + 1, MINUTE_MS)
    minutes = reads.redis(lambda: store.stored_minutes(starts_ms), dict[int, StoredMinute])
    rows = [
        _Row(start_ms, writer, tuple(subject), counts)
        for start_ms, minute in minutes.items()
        for (writer, *subject), counts in kind.told(minute).items()
    ]
    return [row for row in rows if server is None or row.subject[0] == server]


def _newest_ms(kind: Kind[Of]) -> int:
    newest_ms: int | None = kind.minutes._default_manager.aggregate(at=Max("start_ms"))["at"]
    return newest_ms or 0


def _row(kind: Kind[Of], row: Model) -> _Row[Of]:
    columns: Any = row
    subject = tuple(getattr(columns, name) for name in kind.subject)
    return _Row(columns.start_ms, getattr(columns, "writer", ""), subject, columns.counts)
