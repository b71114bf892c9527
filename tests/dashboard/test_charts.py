"""Where charts place what they show."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.dashboard.charts.calls import calls_chart
from papertrade_site.dashboard.charts.latency import latency_chart
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import Series, Slot

NOON_MS = 1_796_040_000_000


def series(period: Period, *, calls: int = 0, errors: int = 0, limited: int = 0) -> Series:
    """The same figures in each slot of a period."""
    p95_ms = 40.0 if calls else None
    slots = (
        Slot(start_ms, calls, errors, limited, p50_ms=p95_ms, p95_ms=p95_ms)
        for start_ms in period.starts_ms(NOON_MS)
    )
    return Series(period.slot_ms, tuple(slots), ())


@pytest.mark.parametrize("period", Period)
def test_bars_fill_the_width_and_never_overlap(period: Period) -> None:
    bars = calls_chart(series(period, calls=4, errors=1, limited=2), period).bars
    assert bars[0].column_x == 0
    assert bars[-1].column_x + bars[-1].column_width == pytest.approx(100, abs=0.5)
    for bar, after in pairwise(bars):
        assert bar.column_x <= bar.x < bar.x + bar.width <= after.column_x + 0.01
    assert [bar.is_open for bar in bars] == [False] * (len(bars) - 1) + [True]


def test_a_bar_has_good_answers_below_errors_below_what_was_limited() -> None:
    bar = calls_chart(series(Period.DAY, calls=4, errors=1, limited=2), Period.DAY).bars[0]
    assert [part.kind for part in bar.parts] == ["good", "errors", "limited"]
    assert [part.y + part.height for part in bar.parts[1:]] == pytest.approx(
        [part.y for part in bar.parts[:2]], abs=0.02
    )
    assert bar.parts[2].y == 14
    assert bar.parts[0].height == pytest.approx(3 * bar.parts[1].height, abs=0.05)


@pytest.mark.parametrize("calls", [1, 2, 3, 7, 1000])
def test_only_whole_counts_are_at_the_side(calls: int) -> None:
    labels = [tick.label for tick in calls_chart(series(Period.HOUR, calls=calls), Period.HOUR).values]
    assert labels
    assert all(int(label.replace(",", "")) <= calls for label in labels)


@pytest.mark.parametrize(
    ("period", "labels"),
    [
        (Period.HOUR, ["11:00", "11:15", "11:30", "11:45", "12:00"]),
        (Period.DAY, ["12:00", "18:00", "00:00", "06:00", "12:00"]),
        (Period.WEEK, ["24 Nov", "25 Nov", "26 Nov", "27 Nov", "28 Nov", "29 Nov", "30 Nov"]),
    ],
)
def test_round_times_are_below(period: Period, labels: list[str]) -> None:
    assert [tick.label for tick in calls_chart(series(period, calls=1), period).times] == labels


@pytest.mark.parametrize("period", Period)
def test_a_period_without_a_call_is_empty(period: Period) -> None:
    empty = series(period)
    assert calls_chart(empty, period).is_empty
    assert calls_chart(empty, period).values == ()
    assert not any(bar.parts for bar in calls_chart(empty, period).bars)
    chart = latency_chart(empty, period)
    assert (chart.is_empty, chart.p50, chart.p95, chart.values) == (True, (), (), ())


def test_lines_break_where_nothing_was_called_and_a_lone_slot_is_a_dot() -> None:
    figures = [1.0, 2.0, None, 4.0, None]
    slots = tuple(
        Slot(NOON_MS + place * 60_000, 0, 0, 0, p50_ms=figure, p95_ms=figure)
        for place, figure in enumerate(figures)
    )
    run, dot = latency_chart(Series(60_000, slots, ()), Period.HOUR).p95
    assert run == "100.0,106.73 300.0,79.45"
    assert dot == "700.0,24.91 700.0,24.91"


def test_the_highest_line_stands_below_the_edge_of_its_chart() -> None:
    chart = latency_chart(series(Period.HOUR, calls=1), Period.HOUR)
    (line,) = chart.p95
    heights = {float(point.partition(",")[2]) for point in line.split()}
    assert all(chart.top + 5 < height < chart.bottom for height in heights)
