"""The name of each request, which its answer and all lines of the log about it have in common."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from random import getrandbits
from typing import Final

HEADER: Final = "X-Request-Id"
"""Carries the name on every answer; what a client sends under it is not looked at."""

LINE: Final = "{asctime} {levelname} {name}{request_id}: {message:.1800}"
"""The form of a line of the log, of which ``RequestIdFilter`` makes a part."""

_present: ContextVar[str | None] = ContextVar("request id", default=None)

begin, end = _present.set, _present.reset
"""Name the request that this thread answers now; ``end`` takes what ``begin`` gave."""


def new_request_id() -> str:
    """A name that no other request has, and that tells nothing: 16 hexadecimal digits.

    It is no secret, so it need not cost a call of the system; each process begins with a seed of its own.
    """
    return f"{getrandbits(64):016x}"


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
