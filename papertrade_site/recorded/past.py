"""The past of the protocol and of the house, as far back as it is known."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.buckets import Columns, buckets_of
from papertrade_site.upstream.models.history import History, HouseHistory
from papertrade_site.upstream.sources import Sources


@dataclass(frozen=True, slots=True)
class Past:
    """Points in time and the figures that were true then, oldest first; there may be gaps between them.

    Attributes:
        interval_ms: how long a bucket is; neighbours that are further apart have a gap between them.
        as_of_ms: the venue's own time of its answer.
        closes_ms: when each point was true, strictly increasing: the close of its bucket, or ``as_of_ms``
            for a bucket that is still open.
        columns: by the field names of ``HistoryColumns`` or ``HouseColumns``, each as long as ``closes_ms``.
        last_is_open: whether the last point is that of a bucket which is still open.
    """

    interval_ms: int
    as_of_ms: int
    closes_ms: tuple[int, ...]
    columns: Columns
    last_is_open: bool

    def total_points(self, column: str) -> int:
        """How many figures there are of a column in all, those included that are too old to be here."""
        figures = self.columns[column]
        return len(figures) - figures.count(None)


def protocol_past(sources: Sources, interval: Interval) -> Past:
    """The protocol's past, with the columns of ``HistoryColumns``.

    Raises:
        UpstreamError: when the venue's own history cannot be had within its stale limit.
    """
    return _past(sources.history(interval))


def house_past(sources: Sources, interval: Interval) -> Past:
    """The house's past, with the columns of ``HouseColumns``.

    Raises:
        UpstreamError: when the venue's own history cannot be had within its stale limit.
    """
    return _past(sources.house_history(interval))


def _past(told: History | HouseHistory) -> Past:
    """Every closed bucket, and the newest, open one unless it has not begun by the venue's own time.

    Buckets between them, which only a venue at odds with its own clock tells of, are left out.
    """
    buckets, as_of_ms = buckets_of(told), told.source.as_of_ms
    closes_ms = buckets.closes_ms
    closed = bisect_right(closes_ms, as_of_ms)
    last_is_open = closed < len(closes_ms) and as_of_ms not in closes_ms[:closed][-1:]
    kept = [*range(closed), *([len(closes_ms) - 1] if last_is_open else [])]
    return Past(
        interval_ms=buckets.width_ms,
        as_of_ms=as_of_ms,
        closes_ms=tuple(min(closes_ms[place], as_of_ms) for place in kept),
        columns=buckets.at(kept).columns,
        last_is_open=last_is_open,
    )
