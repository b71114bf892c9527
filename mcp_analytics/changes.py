"""How figures changed over the last 24 hours and 7 days, for every tool in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from pydantic import Field

from mcp_analytics.metrics import Figure, Metric, ProtocolHistory, protocol_history
from papertrade_site.clock import iso
from papertrade_site.figures.wire import WireModel
from papertrade_site.market.scale import percent
from papertrade_site.market.series import Point, change
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Interval
from papertrade_site.upstream.sources import Sources


@dataclass(frozen=True, slots=True)
class Span:
    """How far a change looks back, and how far from there the point compared with may lie."""

    length_ms: int
    within_ms: int


LAST_DAY: Final = Span(DAY_MS, HOUR_MS)
LAST_WEEK: Final = Span(7 * DAY_MS, DAY_MS // 2)


class Change(WireModel):
    """A move since an earlier point; null where no known point is near enough."""

    absolute: Figure = Field(description="In the figure's own unit.")
    percent: float | None = Field(description="Of the earlier figure's size, signed; null if that was 0.")
    since: str = Field(description="Time of that point, at most 1 h off for 24h and 12 h for 7d.")


class Changes:
    """The changes of one call, against hourly points, and against daily ones where those do not reach."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.history = cache(self._history)
        """The past in buckets of one size, read once; None, with a note, when it cannot be had."""

    def current(self, history: ProtocolHistory, metric: Metric) -> Point | None:
        """The figure of now: the newest known point; None, with a note, where that is of another time."""
        newest = history.newest(metric)
        if newest is None or history.past.is_current(newest.at_ms):
            return newest
        self._sources.note(
            "exchange.history",
            f"Its newest {metric.words} is of {iso(newest.at_ms)}, too old for a change or a figure of now.",
        )
        return None

    def over(self, span: Span, metric: Metric, now: Point | None) -> Change | None:
        """The change up to a point; None without one, or when no known point is near enough."""
        then = None if now is None else self._near(metric, now.at_ms - span.length_ms, span.within_ms)
        if now is None or then is None:
            return None
        moved = change(now, then)
        return Change(
            absolute=metric.shown(moved.absolute),
            percent=None if moved.share is None else percent(moved.share),
            since=iso(moved.since_ms),
        )

    def _near(self, metric: Metric, at_ms: int, within_ms: int) -> Point | None:
        for interval in (Interval.HOUR, Interval.DAY):
            history = self.history(interval)
            point = history and history.series(metric).near(at_ms, within_ms=within_ms)
            if point:
                return point
        return None

    def _history(self, interval: Interval) -> ProtocolHistory | None:
        kind = "hourly" if interval is Interval.HOUR else "daily"
        return self._sources.optional(
            lambda: protocol_history(self._sources, interval),
            missing=f"What only the {kind} history tells is null.",
        )
