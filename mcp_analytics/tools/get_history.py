"""``get_history``: one figure of the protocol over time."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from mcp_analytics.changes import LAST_DAY, LAST_WEEK, Change, Changes
from mcp_analytics.metrics import METRICS, Figure, Kind, Metric, MetricName, Unit, protocol_history
from papertrade_site.clock import iso
from papertrade_site.figures.text import amount, change, money, number
from papertrade_site.figures.tool import Found, reading_tool, refuse
from papertrade_site.figures.wire import WireModel
from papertrade_site.market.series import Added, Point
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.past import Past
from papertrade_site.upstream import exchange
from papertrade_site.upstream.sources import Sources

Mode = Literal["value", "per_bucket"]

RUNNING_TOTALS: Final = tuple(name for name, metric in METRICS.items() if metric.kind == "cumulative")
"""The metrics that have something to say per bucket."""

DESCRIPTION: Final = (
    "One figure of the whole protocol over time, to chart or compare: what it holds, its volume in all or "
    "in one market, how many traded and how often, what was liquidated, how traders fared, and how much "
    "PAPER there is or is staked. All but tvl, "
    "paper_supply and paper_staked are running totals since launch: mode per_bucket gives what each hour "
    "or day added (add up days for weeks). Oldest point first, each stamped at the close of its bucket; "
    "the last may be of a bucket under way: it has partial true and the time of the data. A bucket without "
    "a figure is left out, and the amount after it spans several buckets and has gap true. Days reach back "
    "to launch, hours only as far as they were kept. change24h and change7d are of the figure itself in "
    "either mode, say which point they compare with, and are null where the newest figure is over ten "
    "minutes older than asOf. For current figures alone call get_protocol_snapshot."
)


class HistoryArguments(WireModel):
    """Which figure, how finely, how many points."""

    metric: MetricName = Field(
        description="tvl: dollars the exchange holds. volume, volume_btc, volume_eth: notional opened and "
        "closed since launch, all or of one market. traders, trades: how many since launch. "
        "liquidated_volume: notional liquidated since launch. trader_pnl: what all traders made together, "
        "after fees; may fall and be negative. paper_supply, paper_staked: PAPER that exists, that is staked."
    )
    interval: Literal["1h", "1d"] = Field(default="1d", description="Bucket size: an hour or a UTC day.")
    limit: int = Field(default=48, ge=2, le=500, description="How many points at most, the newest.")
    mode: Mode = Field(
        default="value",
        description="value: the figure at each close. per_bucket: what each bucket added; only for "
        f"{', '.join(RUNNING_TOTALS)}.",
    )


class HistoryPoint(WireModel):
    """One bucket."""

    time: str = Field(description="Close of the bucket, ISO 8601 UTC.")
    value: Figure
    partial: bool = Field(
        default=False, exclude_if=lambda partial: not partial, description="The bucket is still under way."
    )
    gap: bool = Field(
        default=False,
        exclude_if=lambda gap: not gap,
        description="The amount is of several buckets, as those before this one have no figure.",
    )


class History(WireModel):
    """The points asked for."""

    metric: MetricName
    unit: Unit = Field(description="Of value and absolute: dollars, a number of things, or PAPER.")
    kind: Kind = Field(description="level: as it stands at a time; cumulative: all since launch.")
    mode: Mode
    interval: Literal["1h", "1d"]
    as_of: str = Field(
        description="When the newest data here is of, ISO 8601 UTC; freshness.asOf is the oldest input."
    )
    total_points: int = Field(description="How many points there are in all, of this interval and mode.")
    points: tuple[HistoryPoint, ...]
    change_24h: Change | None
    change_7d: Change | None


def find(arguments: HistoryArguments, sources: Sources) -> Found:
    """Read the history asked for, and the hourly one for the changes.

    Raises:
        BadArgumentsError: for amounts per bucket of a level.
        UpstreamError: when the history asked for cannot be read.
    """
    metric, interval = METRICS[arguments.metric], Interval(arguments.interval)
    if arguments.mode == "per_bucket" and metric.kind == "level":
        _refuse_level(arguments.metric)
    sources.prefetch(exchange.history(interval), exchange.history(Interval.HOUR))
    history = protocol_history(sources, interval)
    series = history.series(metric)
    total = history.past.total_points(metric.column)
    per_bucket = arguments.mode == "per_bucket"
    rows = series.added(arguments.limit) if per_bucket else series.newest(arguments.limit)
    changes = Changes(sources)
    now = changes.current(history, metric)
    figures = History(
        metric=arguments.metric,
        unit=metric.unit,
        kind=metric.kind,
        mode=arguments.mode,
        interval=arguments.interval,
        as_of=iso(history.past.as_of_ms),
        total_points=max(total - 1, 0) if per_bucket else total,
        points=tuple(_point(row, metric, history.past) for row in rows),
        change_24h=changes.over(LAST_DAY, metric, now),
        change_7d=changes.over(LAST_WEEK, metric, now),
    )
    return Found(figures, _summary(figures, metric, rows))


def _refuse_level(name: MetricName) -> None:
    refuse(
        "mode",
        "per_bucket",
        f"cannot be used with {name}, which is a level and not a running total; use mode value, or one of "
        f"the metrics {', '.join(RUNNING_TOTALS)}",
    )


def _point(row: Point | Added, metric: Metric, past: Past) -> HistoryPoint:
    return HistoryPoint(
        time=iso(row.at_ms),
        value=metric.shown(row.value),
        partial=past.last_is_open and row.at_ms == past.as_of_ms,
        gap=isinstance(row, Added) and row.across_gap,
    )


def _summary(found: History, metric: Metric, rows: list[Point] | list[Added]) -> str:
    name = metric.words[:1].upper() + metric.words[1:]
    if not rows:
        return f"{name}: the history has no {found.interval} points yet."
    first, last = found.points[0], found.points[-1]
    shown = f"{len(rows)} of {found.total_points} {found.interval} points from {first.time} to {last.time}"
    if found.mode == "value":
        return f"{name} {_amount(last.value, metric)} at {last.time}{_moves(found, metric)}; {shown}."
    top = max(found.points, key=lambda point: point.value)
    total = metric.shown(sum(row.value for row in rows))
    return (
        f"{name} per {found.interval} bucket: {_amount(total, metric)} in {shown}, most "
        f"{_amount(top.value, metric)} in the one to {top.time}, last {_amount(last.value, metric)}"
        f"{' so far' if last.partial else ''}."
    )


def _moves(found: History, metric: Metric) -> str:
    moves = (("24 h", found.change_24h), ("7 d", found.change_7d))
    return "".join(f", {_move(move, metric)} over {span}" for span, move in moves if move is not None)


def _move(move: Change, metric: Metric) -> str:
    if move.percent is not None:
        return change(move.percent)
    return f"{'' if move.absolute < 0 else '+'}{_amount(move.absolute, metric)}"


def _amount(value: float, metric: Metric) -> str:
    return {"usd": money(value), "paper": f"{amount(value)} PAPER", "count": number(value)}[metric.unit]


TOOL: Final = reading_tool(
    find,
    name="get_history",
    title="Protocol history series",
    description=DESCRIPTION,
    arguments=HistoryArguments,
    figures=History,
)
