"""How long a server's calls took, slot by slot, as two lines that break where there was no call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from papertrade_site.dashboard.charts.axes import Chart, column, times, value_ticks, values
from papertrade_site.docs.pictures.scale import Axis
from papertrade_site.docs.words import duration
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import Series

HEADROOM: Final = 1.1
"""How much higher than the highest figure the chart ends: figures are told in steps, so the highest often
stands in several slots, and a line along the very edge would look cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyChart(Chart):
    """All that the template draws; points are in thousandths of the width and pixels from the top."""

    p50: tuple[str, ...]
    p95: tuple[str, ...]


def latency_chart(series: Series, period: Period) -> LatencyChart:
    """Place a period's slots."""
    highest = max((slot.p95_ms for slot in series.slots if slot.p95_ms is not None), default=None)
    axis = values((highest or 0) * HEADROOM)
    return LatencyChart(
        p50=tuple(_lines([slot.p50_ms for slot in series.slots], axis)),
        p95=tuple(_lines([slot.p95_ms for slot in series.slots], axis)),
        values=value_ticks(axis, _label) if highest else (),
        times=times(series, period),
        words=f"The highest p95 of a slot is {duration(highest)}.",
        is_empty=highest is None,
    )


def _label(ms: float) -> str:
    return f"{ms:g} ms" if ms < 1000 else f"{ms / 1000:g} s"


def _lines(figures: Sequence[float | None], axis: Axis) -> Iterator[str]:
    """Each run of known figures as a line; one that stands alone as a line of no length, which is a dot."""
    places = [
        None if figure is None else f"{column(place + 0.5, len(figures)) * 10:.1f},{axis.place(figure):g}"
        for place, figure in enumerate(figures)
    ]
    for is_known, run in groupby(places, key=lambda point: point is not None):
        if is_known:
            points = [point for point in run if point is not None]
            yield " ".join(points if len(points) > 1 else points * 2)
