"""The name of each request, which its answer and all lines of the log about it have in common."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from secrets import token_hex
from typing import Final

HEADER: Final = "X-Request-Id"
"""Carries the name on every answer; what a client sends under it is not looked at."""

DIGITS: Final = 16

_present: ContextVar[str | None] = ContextVar("request id", default=None)

begin, end = _present.set, _present.reset
"""Name the request that this thread answers now; ``end`` takes what ``begin`` gave."""


def new_request_id() -> str:
    """A name that no other request has, and that tells nothing: 16 hexadecimal digits."""
    return token_hex(DIGITS // 2)


def request_id() -> str | None:
    """The name of the request that this thread answers; None where it answers none."""
    return _present.get()


class RequestIdFilter(logging.Filter):
    """Lets every line of the log say which request it belongs to, as ``{request_id}`` of the format."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the name, with a space before it, or nothing."""
        name = request_id()
        record.request_id = f" [{name}]" if name else ""
        return True
