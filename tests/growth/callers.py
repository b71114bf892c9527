"""Callers that ask again and again while something happens."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException
from threading import Event, Lock
from typing import Final

from tests.faults.proxy import post

CALLERS: Final = 8
PAUSE_S: Final = 0.05
"""Of each caller between two calls: it leaves time on this machine for those that are to start."""

LOST: Final = 0
"""Stands for an answer that never came."""

_numbers = itertools.count(1)


def tool_call(tool: str, **arguments: object) -> bytes:
    """A call of a tool, as it is sent."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def new_client() -> str:
    """An address of this machine that nobody has asked from."""
    number = next(_numbers)
    return f"127.{64 + (number >> 16 & 63)}.{number >> 8 & 255}.{number & 255}"


class Calls:
    """What became of the callers' calls, by status."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._statuses: Counter[int] = Counter()

    def note(self, status: int) -> None:
        """Count one."""
        with self._lock:
            self._statuses[status] += 1

    @property
    def answered(self) -> int:
        """Calls that went well."""
        return self._statuses[200]

    @property
    def failed(self) -> dict[int, int]:
        """All others."""
        return {status: count for status, count in self._statuses.items() if status != 200}


@contextmanager
def calling(port: int, server: str, body: bytes) -> Iterator[Calls]:
    """Have callers send it during the block, each time from another address and over another connection."""
    calls, over = Calls(), Event()
    with ThreadPoolExecutor(CALLERS) as pool:
        running = [pool.submit(_call, port, server, body, calls, over) for _ in range(CALLERS)]
        try:
            yield calls
        finally:
            over.set()
        for each in running:
            each.result()


def _call(port: int, server: str, body: bytes, calls: Calls, over: Event) -> None:
    while not over.wait(PAUSE_S):
        try:
            calls.note(post(port, body, client=new_client(), path=f"/{server}/mcp").status)
        except (OSError, HTTPException):
            calls.note(LOST)
