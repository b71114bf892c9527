"""Requests at a steady rate, however slowly they are answered, and what came of them."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Event, Lock
from typing import Final

from tests.soak.answers import Finding, finding
from tests.soak.asks import Ask

THREADS: Final = 192
"""Requests that may be under way: one in ten may take all the time of a call, at 100 a second."""

PATIENCE_S: Final = 30.0
IDLE_S: Final = 30.0
"""After so long a connection is not used again; gunicorn keeps its end longer."""

MOST_FAULTS_KEPT: Final = 20


Way = Callable[[Ask], tuple[int, bytes]]
"""Takes a request to the service and gives status and body; raises ``OSError`` or ``HTTPException``."""


class Connections:
    """Kept connections to one port, used in turn so that each worker gets its share; for many threads."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: deque[tuple[HTTPConnection, float]] = deque()

    def ask(self, ask: Ask) -> tuple[int, bytes]:
        """Status and body of the answer.

        Raises:
            OSError: when there is none in time, or the connection breaks.
            HTTPException: when what came is no HTTP.
        """
        connection = self._take()
        by_proxy = {} if ask.client is None else {"X-Forwarded-For": ask.client}
        try:
            connection.request(ask.method, ask.path, ask.body, {**by_proxy, **ask.headers})
            response = connection.getresponse()
            status, body = response.status, response.read()
        except (OSError, HTTPException):
            connection.close()
            raise
        self._idle.append((connection, time.monotonic()))
        return status, body

    def close(self) -> None:
        """Close those that nobody uses."""
        while self._idle:
            self._idle.pop()[0].close()

    def _take(self) -> HTTPConnection:
        now = time.monotonic()
        try:
            while True:
                connection, since = self._idle.popleft()
                if now - since <= IDLE_S:
                    return connection
                connection.close()
        except IndexError:
            return HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)


def from_its_own_address(port: int) -> Way:
    """A way on which each client has its address on this machine, and a connection for each request."""

    def ask_once(ask: Ask) -> tuple[int, bytes]:
        source = (ask.client or "127.0.0.1", 0)
        with closing(
            HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S, source_address=source)
        ) as connection:
            connection.request(ask.method, ask.path, ask.body, dict(ask.headers))
            response = connection.getresponse()
            return response.status, response.read()

    return ask_once


@dataclass(slots=True)
class Tally:
    """What came of the requests so far; ``took_s`` is counted from when each was due, by kind."""

    due: int = 0
    answered: int = 0
    calls: int = 0
    with_figures: int = 0
    degraded: int = 0
    faulty: int = 0
    took_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def percentile(values: list[float], percent: float) -> float:
    """The value that so many percent do not exceed; 0 when there are none."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)] if ordered else 0.0


class Load:
    """Asks at a rate. A request is due when it is due: none waits for the answers of others.

    Args:
        way: takes a request to the service and gives status and body; called by many threads.
        draw: the next request.
        rate: requests in a second.

    Attributes:
        tally: what came of it; under ``lock`` while the load runs.
    """

    def __init__(self, way: Way, draw: Callable[[], Ask], *, rate: float) -> None:
        self.tally = Tally()
        self.lock = Lock()
        self._way = way
        self._draw = draw
        self._rate = rate

    def run(self, seconds: float, stop: Event) -> None:
        """Ask for so many seconds, or until told to stop, and return once all is answered."""
        began = time.monotonic()
        with ThreadPoolExecutor(THREADS) as pool:
            for number in range(round(seconds * self._rate)):
                due = began + number / self._rate
                if stop.wait(max(due - time.monotonic(), 0)):
                    break
                with self.lock:
                    self.tally.due += 1
                pool.submit(self._one, self._draw(), due)

    def _one(self, ask: Ask, due: float) -> None:
        sent_at_ms = time.time_ns() // 1_000_000
        try:
            status, body = self._way(ask)
            found = finding(ask, status, body, sent_at_ms=sent_at_ms)
        except (OSError, HTTPException) as error:
            status, found = 0, Finding(f"{ask.kind}: {error!r}")
        self._count(ask, status, found, time.monotonic() - due)

    def _count(self, ask: Ask, status: int, found: Finding, took_s: float) -> None:
        with self.lock:
            tally = self.tally
            tally.answered += status != 0
            tally.statuses[status] += 1
            tally.calls += ask.is_call
            tally.with_figures += found.has_figures
            tally.degraded += found.is_degraded
            tally.took_s[ask.kind].append(took_s)
            if found.fault is not None:
                tally.faulty += 1
                if len(tally.faults) < MOST_FAULTS_KEPT:
                    tally.faults.append(found.fault)
