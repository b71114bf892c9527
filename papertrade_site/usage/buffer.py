"""What one process has counted since it last told the others: the only part that a request waits for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final, NamedTuple

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.mcp.admission import Exchange, Outcome
from papertrade_site.upstream.tally import SourceRows
from papertrade_site.usage.counts import ClientCounts, MessageCounts, Subject
from papertrade_site.usage.families import Family

MOST_SUBJECTS: Final = 2_000
MOST_CLIENTS: Final = 10_000
"""Rows that a buffer holds: far more than come together in a second, in case that nobody empties it."""


class ClientKey(NamedTuple):
    """A client of a server within an hour, by the hour's start and the client's hash."""

    hour_ms: int
    server: str
    client: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What came together in a process since the batch before.

    Attributes:
        messages: by what they were about.
        clients: what each client sent.
        sources: reads and requests of each source, by the start of their minute and the source's name.
        redis_failures: how often Redis failed this process.
        lost: messages that were not counted for want of room.
    """

    messages: Mapping[Subject, MessageCounts]
    clients: Mapping[ClientKey, ClientCounts]
    sources: SourceRows
    redis_failures: int
    lost: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What a buffer held."""

    messages: dict[Subject, MessageCounts]
    clients: dict[ClientKey, ClientCounts]
    lost: int


class Buffer:
    """The counts of one process; used by all of its threads.

    Plain tuples are its keys, which a request makes in half the time; their parts get names as it is emptied.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._messages: dict[tuple[int, str, str, str], MessageCounts] = {}
        self._clients: dict[tuple[int, str, str], ClientCounts] = {}
        self._lost = MessageCounts()

    def count(self, server: str, exchange: Exchange, *, client: str, family: Family, is_named: bool) -> None:
        """Count one POST.

        Args:
            server: the server's short name.
            exchange: what became of the request.
            client: the hash that stands for the client.
            family: what kind of program it is.
            is_named: whether that comes from the client's own name.
        """
        now_ms = self._clock.now_ms()
        minute_ms, hour_ms = now_ms - now_ms % MINUTE_MS, now_ms - now_ms % HOUR_MS
        handled = exchange.handled
        with self._lock:
            if not handled:
                row = self._row((minute_ms, server, "", ""))
                row.count(exchange.outcome, seconds=0.0, reused=False)
            for each in handled:
                row = self._row((minute_ms, server, each.method, each.tool or ""))
                row.count(each.outcome, seconds=each.seconds, reused=each.reused)
            key = (hour_ms, server, client)
            counts = self._clients.get(key)
            if counts is None:
                if len(self._clients) >= MOST_CLIENTS:
                    return
                counts = self._clients[key] = ClientCounts(family, is_named)
            elif is_named:
                counts.family, counts.is_named = family, True
            counts.messages += len(handled) or 1
            if exchange.outcome is Outcome.LIMITED:
                counts.limited += len(handled) or 1
                counts.last_limited_ms = now_ms

    def drain(self) -> Counted:
        """Give what was counted since the last time, and begin anew."""
        with self._lock:
            messages, clients, lost = self._messages, self._clients, self._lost.messages
            self._messages, self._clients, self._lost = {}, {}, MessageCounts()
        return Counted(
            {Subject(*about): counts for about, counts in messages.items()},
            {ClientKey(*of): counts for of, counts in clients.items()},
            lost,
        )

    def forget(self) -> None:
        """Begin anew, as in a process that was just forked."""
        self._lock = Lock()
        self.drain()

    def _row(self, subject: tuple[int, str, str, str]) -> MessageCounts:
        row = self._messages.get(subject)
        if row is None:
            if len(self._messages) >= MOST_SUBJECTS:
                return self._lost
            row = self._messages[subject] = MessageCounts()
        return row


process_buffer = Buffer(SystemClock())
"""This process's own."""

os.register_at_fork(after_in_child=process_buffer.forget)
