"""Times as pictures show them: the instant of a result's ``Z`` text, how old it is, and the day it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

MINUTE_S: Final = 60
HOUR_S: Final = 60 * MINUTE_S
DAY_S: Final = 24 * HOUR_S


def seconds(iso: str) -> int:
    """The instant of a text such as ``2026-11-30T12:00:03Z`` in seconds since 1970."""
    return int(datetime.fromisoformat(iso).timestamp())


def age(iso: str, *, now_s: int) -> str:
    """How long ago an instant was, in the unit that fits: ``4 s``, ``3 min``, ``2 h``, ``5 d``."""
    old_s = max(now_s - seconds(iso), 0)
    if old_s < 2 * MINUTE_S:
        return f"{old_s} s"
    if old_s < 2 * HOUR_S:
        return f"{old_s // MINUTE_S} min"
    return f"{old_s // HOUR_S} h" if old_s < 2 * DAY_S else f"{old_s // DAY_S} d"


def clock_time(iso: str) -> str:
    """The time of day of an instant, such as ``12:00:03``."""
    return iso[11:19]


def day(at_s: int) -> str:
    """The day of an instant, such as ``30 Nov``."""
    moment = datetime.fromtimestamp(at_s, UTC)
    return f"{moment.day} {moment:%b}"


def day_and_hour(at_s: int) -> str:
    """The day and the hour of an instant, such as ``30 Nov 12:00``."""
    return f"{day(at_s)} {datetime.fromtimestamp(at_s, UTC):%H:%M}"
