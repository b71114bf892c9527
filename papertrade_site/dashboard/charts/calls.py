"""Calls, errors and limited messages of a server, slot by slot, as bars on one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from papertrade_site.dashboard.charts.axes import (
    Chart,
    Tick,
    column,
    slot_words,
    times,
    value_ticks,
    values,
)
from papertrade_site.docs.pictures.scale import PLACES, Axis
from papertrade_site.docs.words import counted, duration
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import Series, Slot

FILLED: Final = 0.78
"""The part of a slot's width that its bar takes."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar, in pixels from the top; ``kind`` is what it counts."""

    kind: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One slot: its parts, the column that shows its words, and whether it is still open."""

    x: float
    width: float
    column_x: float
    column_width: float
    parts: tuple[Part, ...]
    words: str
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsChart(Chart):
    """All that the template draws."""

    bars: tuple[Bar, ...]


def calls_chart(series: Series, period: Period) -> CallsChart:
    """Place a period's slots."""
    highest = max(slot.calls + slot.limited for slot in series.slots)
    axis = values(highest)
    return CallsChart(
        bars=tuple(_bars(series, axis)),
        values=_count_ticks(axis) if highest else (),
        times=times(series, period),
        words=f"At most {counted(highest, 'message')} called a tool or were limited within one slot.",
        is_empty=not highest,
    )


def _count_ticks(axis: Axis) -> tuple[Tick, ...]:
    """Whole values alone: there is no half a call."""
    return tuple(tick for tick in value_ticks(axis, "{:,g}".format) if "." not in tick.label)


def _bars(series: Series, axis: Axis) -> Iterator[Bar]:
    slots = len(series.slots)
    for place, slot in enumerate(series.slots):
        yield Bar(
            x=column(place + (1 - FILLED) / 2, slots),
            width=column(FILLED, slots),
            column_x=column(place, slots),
            column_width=column(1, slots),
            parts=tuple(_parts(slot, axis)),
            words=f"{slot_words(series, slot.start_ms)}: {_words(slot)}",
            is_open=place == slots - 1,
        )


def _parts(slot: Slot, axis: Axis) -> Iterator[Part]:
    """Good answers at the bottom, errors on them, limited messages on top."""
    below = 0
    for kind, count in (
        ("good", slot.calls - slot.errors),
        ("errors", slot.errors),
        ("limited", slot.limited),
    ):
        if count:
            top = axis.place(below + count)
            yield Part(kind, top, round(axis.place(below) - top, PLACES))
        below += count


def _words(slot: Slot) -> str:
    figures = f"{counted(slot.calls, 'call')}, {counted(slot.errors, 'error')}, {slot.limited:,} limited"
    if slot.p50_ms is None:
        return figures
    return f"{figures}, p50 {duration(slot.p50_ms)}, p95 {duration(slot.p95_ms)}"
