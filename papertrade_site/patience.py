"""How long one HTTP request may take in all, whatever number of calls stand in it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

REQUEST_S: Final = 12.0
"""Seconds that all calls of one request may take over their reads together, as long as a single one may."""

_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)


@contextmanager
def one_request(seconds: float = REQUEST_S) -> Iterator[None]:
    """What is done within the block shares so many seconds."""
    token = _ends_at.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left(most: float) -> float:
    """What is left of the request being answered, at most so many seconds; all of them outside of one."""
    ends_at = _ends_at.get()
    return most if ends_at is None else min(most, ends_at - time.monotonic())
