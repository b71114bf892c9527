"""The parts of reading that a process has once: connections, threads, memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from threading import Lock

from django.conf import settings
from django.core.cache import cache

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.patience import seconds_left
from papertrade_site.upstream.ahead import Ahead
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.budget import CALL_REQUESTS, CALL_SECONDS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients, open_clients
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.sources import Sources
from papertrade_site.upstream.tally import process_tally


@dataclass(frozen=True, slots=True)
class _Parts:
    clock: Clock
    clients: Clients
    reader: CachedReader


class ProcessSources:
    """Builds the process's parts at the first call, so that a forked worker has its own."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._parts: _Parts | None = None

    def for_call(self, *, requests: int = CALL_REQUESTS, seconds: float = CALL_SECONDS) -> Sources:
        """The sources for one call, which may make so many requests and take so many seconds.

        The time is less where calls before it have used up some of the HTTP request's own.
        """
        parts = self._build()
        return Sources(
            reader=parts.reader,
            clients=parts.clients,
            budget=CallBudget(parts.clock, requests=requests, seconds=seconds_left(seconds)),
            clock=parts.clock,
        )

    def ahead(self) -> Ahead:
        """What refreshes this process's copies, and with them everyone's, before they are due."""
        parts = self._build()
        return Ahead(reader=parts.reader, clients=parts.clients, clock=parts.clock)

    def breakers(self) -> dict[Host, BreakerState]:
        """How each host's breaker stands; empty while nothing has been asked for."""
        parts = self._parts
        if parts is None:
            return {}
        return {host: client.breaker for host, client in parts.clients.by_host.items()}

    def close(self) -> None:
        """Close connections and let threads go; the next call builds everything anew."""
        with self._lock:
            parts, self._parts = self._parts, None
        if parts is not None:
            parts.reader.close()
            parts.clients.close()

    def forget(self) -> None:
        """Drop what belongs to the parent of a forked process, without touching its connections."""
        self._lock = Lock()
        self._parts = None

    def _build(self) -> _Parts:
        with self._lock:
            if self._parts is None:
                clock = SystemClock()
                reader = CachedReader(cache, clock, waiters=settings.UPSTREAM_WAITERS)
                self._parts = _Parts(clock, open_clients(clock), reader)
            return self._parts


process_sources = ProcessSources()
"""This process's own."""

os.register_at_fork(after_in_child=process_sources.forget)
os.register_at_fork(after_in_child=process_tally.forget)
