"""What this process has counted in all, minute by minute, until everybody knows.

Redis is told totals, not additions: to tell the same twice changes nothing, and a Redis that has lost what it
held is told again. A total belongs to the process that counted it and to one minute, so nobody else's
changes it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Final, NamedTuple

from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.memory import LruCache
from papertrade_site.upstream.tally import SourceCounts
from papertrade_site.usage.buffer import Batch, ClientKey
from papertrade_site.usage.counts import ClientCounts, MessageCounts
from papertrade_site.usage.families import Family

TOLD_AGAIN_MS: Final = MINUTE_MS
"""How long after its end a minute is told again with the present one."""

REMEMBERED_MS: Final = 5 * MINUTE_MS
"""How long a minute is remembered that everybody knows of: what comes late has to be added to its total."""

MOST_MINUTES: Final = 30
"""Minutes that wait for a Redis that is away; the oldest is given up when there are more."""

MOST_CLIENTS: Final = 2_000
"""Clients of a server and an hour that are told apart; at that number the quieter half goes."""

TOLD_CLIENTS: Final = 300
"""The busiest clients of a server and an hour that Redis is told of."""

MOST_NAMED: Final = 10_000
"""Clients whose family is remembered from the name that they gave as they connected."""

MOST_LIMITED: Final = 1_000
LIMITED_SHOWN_MS: Final = 5 * MINUTE_MS
"""How many clients that were limited are told of, and for how long."""

_log = logging.getLogger(__name__)


class MessageField(NamedTuple):
    """A row of a minute: what messages were about."""

    server: str
    method: str
    tool: str


class LimitedClient(NamedTuple):
    """A client that a server has limited."""

    server: str
    client: str
    family: Family


@dataclass(slots=True)
class Minute:
    """One process's totals of one minute."""

    messages: dict[MessageField, MessageCounts] = field(default_factory=dict)
    sources: dict[str, SourceCounts] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many messages there are in it."""
        return sum(counts.messages for counts in self.messages.values())


class Ledger:
    """The totals of one process; for one thread at a time."""

    def __init__(self) -> None:
        self._minutes: dict[int, Minute] = {}
        self._untold: set[int] = set()
        self._hours: dict[tuple[int, str], dict[str, ClientCounts]] = {}
        self._untold_hours: set[tuple[int, str]] = set()
        self._named: LruCache[Family] = LruCache(MOST_NAMED)
        self._limited: dict[LimitedClient, int] = {}
        self._given_up = 0

    def add(self, batch: Batch) -> None:
        """Add what came together; its clients' counts are the ledger's from then on."""
        for subject, messages in batch.messages.items():
            minute = self._minute(subject.minute_ms)
            row = MessageField(subject.server, subject.method, subject.tool)
            minute.messages.setdefault(row, MessageCounts()).add(messages)
        for (minute_ms, name), counts in batch.sources.items():
            self._minute(minute_ms).sources.setdefault(name, SourceCounts()).add(counts)
        for key, client in batch.clients.items():
            self._add_client(key, client)

    def minutes(self, now_ms: int) -> dict[int, Minute]:
        """What is to be told of minutes now, by their start."""
        newest_ms = now_ms - now_ms % MINUTE_MS - TOLD_AGAIN_MS
        return {
            start_ms: minute
            for start_ms, minute in self._minutes.items()
            if start_ms >= newest_ms or start_ms in self._untold
        }

    def clients(self) -> dict[tuple[int, str], list[tuple[str, ClientCounts]]]:
        """The busiest clients of the hours and servers that are to be told of now, busiest first."""
        return {
            hour: nlargest(TOLD_CLIENTS, self._hours[hour].items(), key=lambda item: item[1].messages)
            for hour in self._untold_hours
        }

    def limited(self, now_ms: int) -> dict[LimitedClient, int]:
        """When clients that were limited since this was told, and not too long ago, last were."""
        recent = ((who, at_ms) for who, at_ms in self._limited.items() if at_ms > now_ms - LIMITED_SHOWN_MS)
        return dict(nlargest(MOST_LIMITED, recent, key=lambda item: item[1]))

    def told(self) -> None:
        """Note that everything that was to be told has been."""
        if self._given_up:
            _log.warning("Redis was away for too long: %d messages stay uncounted.", self._given_up)
        self._given_up = 0
        self._untold.clear()
        self._untold_hours.clear()
        self._limited.clear()

    def forget(self, now_ms: int) -> None:
        """Drop what is old: it has been told, or has waited too long to be."""
        while len(self._untold) > MOST_MINUTES:
            oldest = min(self._untold)
            self._untold.remove(oldest)
            self._given_up += self._minutes.pop(oldest).count
        for start_ms in list(self._minutes):
            if start_ms < now_ms - REMEMBERED_MS and start_ms not in self._untold:
                del self._minutes[start_ms]
        for hour in list(self._hours):
            if hour[0] < now_ms - 2 * HOUR_MS:
                del self._hours[hour]
                self._untold_hours.discard(hour)
        self._limited = self.limited(now_ms)

    def _minute(self, start_ms: int) -> Minute:
        self._untold.add(start_ms)
        return self._minutes.setdefault(start_ms, Minute())

    def _add_client(self, key: ClientKey, more: ClientCounts) -> None:
        named = more.family if more.is_named else self._named.get(key.client)
        if named is not None:
            self._named.put(key.client, named)
            more.family, more.is_named = named, True
        hour = (key.hour_ms, key.server)
        clients = self._hours.setdefault(hour, {})
        self._untold_hours.add(hour)
        counts = clients.get(key.client)
        if counts is not None:
            counts.add(more)
        else:
            clients[key.client] = more
            if len(clients) > MOST_CLIENTS:
                self._hours[hour] = dict(_busier_half(clients.items()))
        if more.last_limited_ms:
            who = LimitedClient(key.server, key.client, more.family)
            self._limited[who] = max(self._limited.get(who, 0), more.last_limited_ms)


def _busier_half(clients: Iterable[tuple[str, ClientCounts]]) -> list[tuple[str, ClientCounts]]:
    return nlargest(MOST_CLIENTS // 2, clients, key=lambda item: item[1].messages)
