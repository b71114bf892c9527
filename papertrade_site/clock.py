"""The one clock that is handed to everything that needs the time, so that tests can move it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

_EPOCH: Final = datetime.fromtimestamp(0, UTC)


class Clock(Protocol):
    """Wall time for labels and ages, monotonic time for deadlines."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        return time.monotonic()


def iso(ms: int) -> str:
    """A time in milliseconds as ISO 8601 UTC to the second, such as ``2026-11-30T12:00:03Z``."""
    return f"{datetime.fromtimestamp(ms // 1000, UTC).isoformat()[:19]}Z"


def ms_of(at: datetime) -> int:
    """The last whole millisecond at or before a time, since 1970-01-01 UTC."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def utc_text(at: datetime) -> str:
    """A time in UTC to the second as people read it, such as ``2026-11-30 12:00:03``."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
