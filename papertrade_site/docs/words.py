"""Figures of usage, and times, as the status pages and the dashboard write them."""

from __future__ import annotations

from typing import Final

from papertrade_site.clock import iso
from papertrade_site.docs.pictures import moments

NONE: Final = "none"
"""Stands where there is no figure."""

_LEAST_SHARE: Final = 0.001


def counted(count: int, noun: str) -> str:
    """So many things, such as ``1 call`` or ``1,234 calls``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def duration(ms: float | None) -> str:
    """A duration in the unit that fits: ``2.4 ms``, ``180 ms``, ``1.25 s``."""
    if ms is None:
        return NONE
    if ms < 9.95:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 999.5 else f"{ms / 1000:.2f} s"


def percent(share: float | None) -> str:
    """A share of one in percent, to a decimal; only all is 100 % and only nothing is 0 %."""
    if share is None:
        return NONE
    if 0 < share < _LEAST_SHARE:
        return "<0.1 %"
    if 1 - _LEAST_SHARE < share < 1:
        return ">99.9 %"
    return f"{share * 100:.1f}".removesuffix(".0") + " %"


def ago(at_ms: int | None, now_ms: int) -> str:
    """How long ago an instant was, such as ``4 s ago``."""
    return "not known" if at_ms is None else f"{moments.age(iso(at_ms), now_s=now_ms // 1000)} ago"


def clock_time(at_ms: int) -> str:
    """The time of day of an instant, such as ``12:00:03``."""
    return moments.clock_time(iso(at_ms))


def day_and_time(at_ms: int) -> str:
    """The day and the time of an instant, such as ``30 Nov 12:00``."""
    return moments.day_and_hour(at_ms // 1000)
