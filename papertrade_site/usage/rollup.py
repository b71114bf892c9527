"""Taking usage over from Redis into the database, where it outlives Redis.

Rows are replaced, never added to, so a round may be repeated, and one that fails changes nothing. A minute's
row belongs to one process, whose totals only grow; an hour is added up anew from its minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.db import close_old_connections, models, transaction

from papertrade_site.clock import Clock
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS
from papertrade_site.upstream.tally import SOURCE_NUMBERS, SourceCounts
from papertrade_site.usage import store
from papertrade_site.usage.counts import MESSAGE_NUMBERS, ClientCounts, MessageCounts
from papertrade_site.usage.models import ClientHour, SourceHour, SourceMinute, UsageHour, UsageMinute
from papertrade_site.usage.store import KEPT_MS
from papertrade_site.usage.wire import MessageKey, SourceKey, StoredMinute

EVERY_S: Final = 10.0
"""Seconds between two rounds: what a restart of Redis may lose."""

OVERLAP_MS: Final = 60_000
"""How far back a round looks beyond the one before: clocks of machines may be as far apart."""

MINUTES_KEPT_MS: Final = KEPT_MS + HOUR_MS
"""How long minutes are kept, whole hours together: longer than one may still change."""

HOURS_KEPT_MS: Final = 90 * DAY_MS
CLIENTS_KEPT_MS: Final = 8 * DAY_MS

_KEPT_MS: Final[Mapping[type[models.Model], int]] = {
    UsageMinute: MINUTES_KEPT_MS,
    SourceMinute: MINUTES_KEPT_MS,
    UsageHour: HOURS_KEPT_MS,
    SourceHour: HOURS_KEPT_MS,
    ClientHour: CLIENTS_KEPT_MS,
}

MOST_CLIENTS: Final = 100
"""Clients of a server and an hour that are kept."""

Row = TypeVar("Row", bound=models.Model)
Clients = Mapping[tuple[int, str], Mapping[str, ClientCounts]]


class Rollup:
    """The work of one process: every round takes over what was told since the one before."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since_ms = float("-inf")

    def round(self, may_go_on: Callable[[], bool]) -> None:
        """Take over what is new, in one transaction; where nothing is, the database is left alone.

        Raises:
            RedisError: when Redis cannot be read; nothing is changed.
            DatabaseError: when the database cannot be written; nothing is changed.
        """
        now_ms = self._clock.now_ms()
        close_old_connections()
        since_ms = min(self._since_ms, now_ms - OVERLAP_MS)  # sooner where the clock was set back
        touched = [start_ms for start_ms in store.touched_since(since_ms) if start_ms > now_ms - KEPT_MS]
        minutes = store.stored_minutes(touched)
        clients = _clients_of(minutes)
        hours = [_hour_of(hour_ms, minutes) for hour_ms in sorted({_hour(start_ms) for start_ms in minutes})]
        if not may_go_on():
            return
        if minutes:
            with transaction.atomic():
                _take_over_minutes(minutes)
                _put_hours(hours)
                _take_over_clients(clients)
                prune(now_ms)
        self._since_ms = now_ms - OVERLAP_MS


def prune(now_ms: int) -> None:
    """Remove what is too old to be kept at a time."""
    hour_ms = now_ms - now_ms % HOUR_MS
    for table, kept_ms in _KEPT_MS.items():
        table._default_manager.filter(start_ms__lt=hour_ms - kept_ms).delete()


@dataclass(frozen=True, slots=True)
class _Hour:
    """An hour added up."""

    start_ms: int
    messages: dict[tuple[str, str, str], MessageCounts]
    sources: dict[str, SourceCounts]


def _hour(start_ms: int) -> int:
    """The start of the hour that a minute belongs to."""
    return start_ms - start_ms % HOUR_MS


def _clients_of(minutes: Mapping[int, StoredMinute]) -> Clients:
    """The clients of the hours and servers that minutes tell of."""
    hours = {(_hour(start_ms), row.server) for start_ms, minute in minutes.items() for row in minute.messages}
    return {hour: store.stored_clients(*hour) for hour in hours}


def _take_over_minutes(minutes: Mapping[int, StoredMinute]) -> None:
    _put(
        UsageMinute,
        [
            UsageMinute(start_ms=start_ms, **row._asdict(), **_columns(counts))
            for start_ms, minute in minutes.items()
            for row, counts in minute.messages.items()
        ],
        key=["start_ms", *MessageKey._fields],
        columns=[*MESSAGE_NUMBERS, "durations"],
    )
    _put(
        SourceMinute,
        [
            SourceMinute(start_ms=start_ms, **row._asdict(), **_source_columns(counts))
            for start_ms, minute in minutes.items()
            for row, counts in minute.sources.items()
        ],
        key=["start_ms", *SourceKey._fields],
        columns=SOURCE_NUMBERS,
    )


def _hour_of(hour_ms: int, minutes: Mapping[int, StoredMinute]) -> _Hour:
    """Add up an hour from its minutes in the database, and those that are to replace some of them.

    That takes its time, so it is done before the transaction, which keeps others from writing.
    """
    of_hour = {"start_ms__gte": hour_ms, "start_ms__lt": hour_ms + HOUR_MS}
    of_messages = {
        (row.start_ms, MessageKey(row.writer, row.server, row.method, row.tool)): row.counts
        for row in UsageMinute._default_manager.filter(**of_hour).iterator()
    }
    of_sources = {
        (row.start_ms, SourceKey(row.writer, row.name)): row.counts
        for row in SourceMinute._default_manager.filter(**of_hour).iterator()
    }
    for start_ms, minute in minutes.items():
        if _hour(start_ms) == hour_ms:
            of_messages |= {(start_ms, row): counts for row, counts in minute.messages.items()}
            of_sources |= {(start_ms, row): counts for row, counts in minute.sources.items()}
    hour = _Hour(hour_ms, {}, {})
    for (_, row), counts in of_messages.items():
        hour.messages.setdefault((row.server, row.method, row.tool), MessageCounts()).add(counts)
    for (_, source), reads in of_sources.items():
        hour.sources.setdefault(source.name, SourceCounts()).add(reads)
    return hour


def _put_hours(hours: list[_Hour]) -> None:
    _put(
        UsageHour,
        [
            UsageHour(start_ms=hour.start_ms, server=server, method=method, tool=tool, **_columns(counts))
            for hour in hours
            for (server, method, tool), counts in hour.messages.items()
        ],
        key=["start_ms", "server", "method", "tool"],
        columns=[*MESSAGE_NUMBERS, "durations"],
    )
    _put(
        SourceHour,
        [
            SourceHour(start_ms=hour.start_ms, name=name, **_source_columns(counts))
            for hour in hours
            for name, counts in hour.sources.items()
        ],
        key=["start_ms", "name"],
        columns=SOURCE_NUMBERS,
    )


def _take_over_clients(clients: Clients) -> None:
    """Keep the busiest; what Redis has lost of an hour since the last round stays."""
    for (hour_ms, server), told in clients.items():
        rows = ClientHour._default_manager.filter(start_ms=hour_ms, server=server)
        found = dict(told)
        for row in rows:
            counts = found.get(row.client)
            if counts is None or counts.messages < row.messages:
                found[row.client] = row.counts
        busiest = sorted(found.items(), key=lambda item: (-item[1].messages, item[0]))[:MOST_CLIENTS]
        rows.exclude(client__in=[client for client, _ in busiest]).delete()
        _put(
            ClientHour,
            [
                ClientHour(
                    start_ms=hour_ms,
                    server=server,
                    client=client,
                    family=counts.family.value,
                    is_named=counts.is_named,
                    messages=counts.messages,
                    limited=counts.limited,
                )
                for client, counts in busiest
            ],
            key=["start_ms", "server", "client"],
            columns=["family", "is_named", "messages", "limited"],
        )


def _put(table: type[Row], rows: list[Row], *, key: Iterable[str], columns: Iterable[str]) -> None:
    """Write rows, in the place of those that are there under the same key."""
    table._default_manager.bulk_create(
        rows, update_conflicts=True, unique_fields=list(key), update_fields=list(columns), batch_size=500
    )


def _columns(counts: MessageCounts) -> dict[str, Any]:
    numbers = {name: getattr(counts, name) for name in MESSAGE_NUMBERS}
    return numbers | {"durations": counts.duration_numbers()}


def _source_columns(counts: SourceCounts) -> dict[str, int]:
    return {name: getattr(counts, name) for name in SOURCE_NUMBERS}
