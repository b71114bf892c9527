"""One figure of the protocol over time: a line of what it was, or a bar for what each bucket added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.pictures import moments
from papertrade_site.docs.pictures.amounts import short, short_percent, short_usd, trimmed
from papertrade_site.docs.pictures.scale import PLACES, Axis, ticks
from papertrade_site.docs.pictures.shapes import Note, Shapes
from papertrade_site.figures.text import amount, money, number

TOP: Final = 64
BOTTOM: Final = 268
"""The plot's part of the picture, in pixels from its top."""

BELOW: Final = 36
"""Pixels below it that the times take."""

RIGHT: Final = 87.0
"""Where the plot ends, in percent; the values' labels stand beyond."""

AIR: Final = 0.25
"""The part of a bucket's width that its bar leaves free."""

ZERO_BELOW: Final = 0.5
"""The share of the highest value below which the lowest has to lie for a line to stand on zero."""

ROOM: Final = 0.06
"""The part of the values' range that a line leaves free above and below it."""

NAMES: Final = {
    "tvl": "total value locked",
    "volume_btc": "BTC volume",
    "volume_eth": "ETH volume",
    "trader_pnl": "net trader PnL",
    "paper_supply": "PAPER supply",
    "paper_staked": "PAPER staked",
}
"""Of metrics whose own name is no word; the others stand for themselves."""

UNITS: Final = {"usd": short_usd, "paper": short, "count": short}
FULL: Final = {"usd": money, "paper": lambda value: f"{amount(value)} PAPER", "count": number}
BY: Final = {"1h": "by the hour", "1d": "by the day"}
WIDTH_S: Final = {"1h": moments.HOUR_S, "1d": moments.DAY_S}


@dataclass(frozen=True, slots=True)
class Bar:
    """What one bucket added; ``x`` and ``width`` in percent, ``y`` and ``height`` in pixels."""

    x: float
    width: float
    y: float
    height: float
    is_partial: bool
    words: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled line across or down the plot."""

    place: float
    label: str
    anchor: str = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Shapes):
    """All that the template draws: bars, or a line whose ``points`` are in thousandths of the width."""

    points: str
    bars: tuple[Bar, ...]
    values: tuple[Mark, ...]
    times: tuple[Mark, ...]
    base: float
    is_from_zero: bool
    bottom: int = BOTTOM
    end: int = int(RIGHT * 10)
    times_y: int = BOTTOM + 16


def history(result: Mapping[str, Any]) -> History:
    """Place the result of ``get_history``."""
    points, unit = result["points"], result["unit"]
    is_added = result["mode"] == "per_bucket"
    across = _time_axis(points, width_s=WIDTH_S[result["interval"]] if is_added else 0)
    is_from_zero = is_added or _stands_on_zero(points)
    values = _value_axis(points, is_from_zero=is_from_zero)
    return History(
        title=_title(result),
        detail=BY[result["interval"]],
        foot=BOTTOM + BELOW,
        headline=_headline(result),
        points="" if is_added else " ".join(_line(points, across, values)),
        bars=tuple(_bars(result, across, values)) if is_added else (),
        values=tuple(_value_marks(values, unit)) if points else (),
        times=tuple(_time_marks(points, across)) if points else (),
        base=values.place(0),
        is_from_zero=is_from_zero,
    )


def _time_axis(points: Sequence[Mapping[str, Any]], *, width_s: int) -> Axis:
    """From the first time, or the beginning of its bucket, to the last."""
    times = [moments.seconds(point["time"]) for point in points] or [0]
    return Axis(times[0] - width_s, times[-1], 0, RIGHT)


def _stands_on_zero(points: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a line moves so much that zero belongs on the picture."""
    figures = [point["value"] for point in points]
    return bool(figures) and 0 <= min(figures) < max(figures) * ZERO_BELOW


def _value_axis(points: Sequence[Mapping[str, Any]], *, is_from_zero: bool) -> Axis:
    figures = [point["value"] for point in points] or [0]
    if is_from_zero:
        low, high = min(0, *figures), max(0, *figures)
        return Axis(low, high if high > low else low + 1, BOTTOM, TOP)
    room = (max(figures) - min(figures)) * ROOM or 1
    return Axis(min(figures) - room, max(figures) + room, BOTTOM, TOP)


def _title(result: Mapping[str, Any]) -> str:
    name = NAMES.get(result["metric"], result["metric"].replace("_", " "))
    added = " added" if result["mode"] == "per_bucket" else ""
    return f"{name[:1].upper()}{name[1:]}{added}"


def _headline(result: Mapping[str, Any]) -> Note:
    points = result["points"]
    if not points:
        return Note("no points yet")
    newest, unit = points[-1], result["unit"]
    last, full = UNITS[unit](newest["value"]), f"{FULL[unit](newest['value'])} at {newest['time']}"
    if result["mode"] == "per_bucket":
        return Note(f"{last} in the last bucket{' so far' if newest.get('partial') else ''}", full)
    spans = (("24 h", result["change24h"]), ("7 d", result["change7d"]))
    moves = [
        f"{'+' if move['percent'] > 0 else ''}{short_percent(move['percent'])} in {span}"
        for span, move in spans
        if move is not None and move["percent"] is not None
    ]
    return Note(", ".join([last, *moves]), full)


def _line(points: Sequence[Mapping[str, Any]], across: Axis, values: Axis) -> Iterator[str]:
    for point in points:
        x, y = across.place(moments.seconds(point["time"])), values.place(point["value"])
        yield f"{x * 10:.1f},{y:g}"


def _bars(result: Mapping[str, Any], across: Axis, values: Axis) -> Iterator[Bar]:
    """Each bar ends where its bucket does; one that spans a gap says so."""
    full, width_s, base = FULL[result["unit"]], WIDTH_S[result["interval"]], values.place(0)
    for point in result["points"]:
        end_s, value = moments.seconds(point["time"]), point["value"]
        end, place = across.place(end_s), values.place(value)
        width = end - across.place(end_s - width_s)
        told = " so far" if point.get("partial") else ", of several buckets" if point.get("gap") else ""
        yield Bar(
            x=round(end - width * (1 - AIR / 2), PLACES),
            width=round(width * (1 - AIR), PLACES),
            y=min(place, base),
            height=round(abs(place - base), PLACES),
            is_partial=bool(point.get("partial")),
            words=f"To {point['time']}: {full(value)}{told}",
        )


def _value_marks(values: Axis, unit: str) -> Iterator[Mark]:
    for value in ticks(values.low, values.high, most=6):
        yield Mark(values.place(value), trimmed(UNITS[unit](value)))


def _time_marks(points: Sequence[Mapping[str, Any]], across: Axis) -> Iterator[Mark]:
    """The first and the last time, and the one halfway."""
    first, last = (moments.seconds(points[index]["time"]) for index in (0, -1))
    shown = moments.day if last - first > 3 * moments.DAY_S else moments.day_and_hour
    yield Mark(across.place(first), shown(first))
    if last > first:
        middle = (first + last) // 2
        yield Mark(across.place(middle), shown(middle), "middle")
        yield Mark(across.place(last), shown(last), "end")
