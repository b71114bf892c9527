"""Where lines about requests, and all of the log, go: standard error, from threads that no request waits for.

A request leaves what its line is made of and goes on; lines are made many at once, which takes a third of the
time that each would take in its request. What reads standard error may be slow, stopped or gone, and the disk
behind it full: then lines are lost, and counted, and answers are given as ever.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator
from threading import Event, Lock, Thread
from typing import Final, NamedTuple, Protocol

WRITE_EVERY_S: Final = 0.1
"""Seconds that a line waits at most; a process that is killed takes so many with it."""

MOST_LINES: Final = 10_000
"""Lines that wait at most, a few megabytes, while standard error takes none."""

CHUNK_BYTES: Final = 4096
"""Bytes that every system writes to a pipe in one piece, so that processes never mix their lines."""

GRACE_S: Final = 1.0
"""Seconds that the last lines of a process have."""


_log = logging.getLogger(__name__)


class Line(NamedTuple):
    """A line about one request, or '', and what is counted of it: the server or '' and the HTTP status."""

    text: str
    server: str
    status: int


class Answered(Protocol):
    """A request that was answered, of which the line is made later."""

    def line(self) -> Line:
        """The line about it."""
        ...

    def counted(self) -> Line:
        """The same without its text."""
        ...


class Written(NamedTuple):
    """What was counted: requests by server and status, and lines that were lost."""

    requests: Counter[tuple[str, int]]
    lost: int


class RequestLines:
    """The lines of one process; used by all of its threads. Its own thread begins with the first line.

    Args:
        is_silent: whether requests are counted alone, and nothing is written.
        descriptor: where to write; standard error unless told otherwise.
    """

    def __init__(self, *, is_silent: bool = False, descriptor: int | None = None) -> None:
        self._is_silent = is_silent
        self._descriptor = descriptor
        self.forget()
        os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        """Begin anew, as in a process that was just forked."""
        self._waiting: deque[Answered] = deque()
        self._counting = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._lost = 0
        self._is_torn = False
        self._over = Event()
        self._starting = Lock()
        self._thread: Thread | None = None

    def put(self, answered: Answered) -> None:
        """Take a request; waits for nothing."""
        if self._thread is None:
            self._start()
        if len(self._waiting) < MOST_LINES:
            self._waiting.append(answered)
        else:
            self._lose(1)

    def drain(self) -> Written:
        """Give what was counted since the last time, and begin anew."""
        with self._counting:
            written = Written(self._requests.copy(), self._lost)
            self._requests.clear()
            self._lost = 0
            return written

    def stop(self) -> None:
        """Write what is left, unless that takes too long, and end the thread."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(GRACE_S)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                atexit.register(self.stop)
                self._thread = Thread(target=self._run, name="request lines", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        if self._descriptor is None:
            self._descriptor = standard_error()
        while not self._over.wait(WRITE_EVERY_S):
            self._take()
        self._take()

    def _take(self) -> None:
        lines = list(self._made(len(self._waiting)))
        if not lines:
            return
        with self._counting:
            self._requests.update((line.server, line.status) for line in lines)
        if not self._is_silent:
            for chunk in _chunks(lines):
                self._write(chunk)

    def _made(self, count: int) -> Iterator[Line]:
        for _ in range(count):
            try:
                answered = self._waiting.popleft()
                yield answered.counted() if self._is_silent else answered.line()
            except Exception:  # a bug that one request meets must not end the lines about all others
                self._lose(1)
                _log.exception("A line about a request cannot be made.")

    def _write(self, chunk: bytes) -> None:
        """Write whole lines; after a torn one, the next begins on a line of its own."""
        if self._descriptor is None:
            self._lose(chunk.count(b"\n"))
            return
        data = b"\n" + chunk if self._is_torn else chunk
        try:
            written = os.write(self._descriptor, data)
        except OSError:
            written = 0
        if written < len(data):
            self._is_torn |= written > 0
            self._lose(data[max(written, len(data) - len(chunk)) :].count(b"\n"))
        else:
            self._is_torn = False

    def _lose(self, lines: int) -> None:
        with self._counting:
            self._lost += lines


def standard_error() -> int | None:
    """Its descriptor, or None where it was closed: the number may then be that of anything else."""
    return None if sys.__stderr__ is None else sys.__stderr__.fileno()


def _chunks(lines: list[Line]) -> Iterator[bytes]:
    """Whole lines together, as many as are written in one piece; a longer line alone."""
    chunk: list[bytes] = []
    room = CHUNK_BYTES
    for line in lines:
        text = line.text.encode("ascii", "backslashreplace")
        if chunk and len(text) > room:
            yield b"".join(chunk)
            chunk, room = [], CHUNK_BYTES
        chunk.append(text)
        room -= len(text)
    yield b"".join(chunk)
