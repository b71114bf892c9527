"""What may be logged of requests that anybody can send: a line now and then, which cannot fill a disk."""

from __future__ import annotations

import logging
from threading import Lock
from typing import Final

from papertrade_site.clock import Clock, SystemClock

LOG_EVERY_S: Final = 60.0
"""Seconds between two lines of one process."""


class SuspicionFilter(logging.Filter):
    """Lets through that Django found a request malformed, seldom, and without a word of the request.

    The name of the logger, which ends in the kind of the fault, says what was wrong.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__()
        self._clock = clock or SystemClock()
        self._lock = Lock()
        self._next_line_at = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is due; what the record says is made short."""
        with self._lock:
            now = self._clock.monotonic()
            if now < self._next_line_at:
                return False
            self._next_line_at = now + LOG_EVERY_S
        record.msg, record.args = (
            "A request was refused as malformed. The next such line comes in a minute.",
            (),
        )
        record.exc_info = record.exc_text = record.stack_info = None
        return True
