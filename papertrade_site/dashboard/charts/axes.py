"""What charts of a period have in common: slots from left to right, times below, values at the side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Final

from papertrade_site.docs.pictures.scale import PLACES, Axis, ticks
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import Series

TOP: Final = 14
BOTTOM: Final = 134
"""The plot's edges, in pixels from the top."""

TIMES_Y: Final = 150
HEIGHT: Final = 156

MOST_TICKS: Final = 4
MINUTES_APART: Final = 15
HOURS_APART: Final = 6
EDGE: Final = 3.0
"""Percent of the width at either end within which a time's label is not centred."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A label at a place: percent from the left for times, pixels from the top for values."""

    place: float
    label: str
    anchor: str = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What the template of every chart draws.

    Attributes:
        words: for those who cannot see it.
        is_empty: whether there is nothing to show.
    """

    top: ClassVar[int] = TOP
    bottom: ClassVar[int] = BOTTOM
    plot_height: ClassVar[int] = BOTTOM - TOP
    times_y: ClassVar[int] = TIMES_Y
    height: ClassVar[int] = HEIGHT

    values: tuple[Tick, ...]
    times: tuple[Tick, ...]
    words: str
    is_empty: bool


def values(highest: float) -> Axis:
    """The axis of values from zero at the bottom to the highest at the top."""
    return Axis(0, highest or 1, BOTTOM, TOP)


def value_ticks(axis: Axis, label: Callable[[float], str]) -> tuple[Tick, ...]:
    """Round values above zero, each with its label."""
    return tuple(
        Tick(axis.place(value), label(value)) for value in ticks(0, axis.high, most=MOST_TICKS) if value
    )


def column(place: float, slots: int) -> float:
    """Where a slot begins, or any place between two, in percent."""
    return round(place * 100 / slots, PLACES)


def times(series: Series, period: Period) -> tuple[Tick, ...]:
    """Labels below the slots that begin at a round time."""
    return tuple(_times(series, period))


def slot_words(series: Series, start_ms: int) -> str:
    """A slot's span: ``12:30 to 12:31``, with the day before it where slots are hours."""
    start, end = moment(start_ms), moment(start_ms + series.slot_ms)
    day = "" if series.slot_ms < 3_600_000 else f"{start.day} {start:%b} "
    return f"{day}{start:%H:%M} to {end:%H:%M}"


def moment(at_ms: int) -> datetime:
    """An instant."""
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _times(series: Series, period: Period) -> Iterator[Tick]:
    for place, slot in enumerate(series.slots):
        start = moment(slot.start_ms)
        if not _is_round(start, period):
            continue
        x = column(place, len(series.slots))
        anchor = "start" if x < EDGE else "end" if x > 100 - EDGE else "middle"
        yield Tick(x, f"{start.day} {start:%b}" if period is Period.WEEK else f"{start:%H:%M}", anchor)


def _is_round(start: datetime, period: Period) -> bool:
    match period:
        case Period.HOUR:
            return start.minute % MINUTES_APART == 0
        case Period.DAY:
            return start.hour % HOURS_APART == 0
        case Period.WEEK:
            return start.hour == 0
