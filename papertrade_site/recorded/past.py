"""The past of the protocol and of the house, as far back as it is known.

It is what the venue tells, with recorded buckets put in where the venue has none or no longer: its own word
always wins, and a record of another past is left out (``seam.py``). Without recorded ones (nothing is
recorded yet, or the cache was emptied) the past is shorter and nothing else, so that is no fault. Recorded
buckets alone are never shown: what cannot be said about today is an error, however much is known about last
year.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.core.cache import cache

from papertrade_site.clock import SystemClock
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.buckets import Buckets, Columns, Told, buckets_of
from papertrade_site.recorded.key import INTERVALS, Record, RecordKey, origin
from papertrade_site.recorded.published import Published, Recorded
from papertrade_site.recorded.seam import fitting
from papertrade_site.upstream.sources import Sources

CURRENT_MS: Final = 600_000
"""How old a figure may be and still be called that of now: as old as a copy of the history may get."""


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
        earlier: how many figures of each column are recorded that are too old to be here.
    """

    interval_ms: int
    as_of_ms: int
    closes_ms: tuple[int, ...]
    columns: Columns
    last_is_open: bool
    earlier: Mapping[str, int]

    def is_current(self, time_ms: int) -> bool:
        """Whether what was true at a time may stand for what is, by the venue's own time of its answer."""
        return self.as_of_ms - time_ms <= CURRENT_MS

    def total_points(self, column: str) -> int:
        """How many figures there are of a column in all, ``earlier`` ones included."""
        figures = self.columns[column]
        return self.earlier[column] + len(figures) - figures.count(None)


def protocol_past(sources: Sources, interval: Interval) -> Past:
    """The protocol's past, with the columns of ``HistoryColumns``.

    Raises:
        UpstreamError: when the venue's own history cannot be had within its stale limit.
    """
    return process_pasts.past(Record.PROTOCOL, interval, sources.history(interval))


def house_past(sources: Sources, interval: Interval) -> Past:
    """The house's past, with the columns of ``HouseColumns``.

    Raises:
        UpstreamError: when the venue's own history cannot be had within its stale limit.
    """
    return process_pasts.past(Record.HOUSE, interval, sources.house_history(interval))


class Pasts:
    """Joins what the venue tells to what is published; threads share one, which joins the same two once."""

    def __init__(self, published: Published) -> None:
        self._published = published
        self._joined: dict[tuple[Record, Interval], tuple[Told, Recorded, Past]] = {}

    def past(self, record: Record, interval: Interval, told: Told) -> Past:
        """The past that an answer of the venue and the record make together."""
        recorded = self._recorded(record, interval)
        joined = self._joined.get((record, interval))
        if joined is not None and joined[0] is told and joined[1] is recorded:
            return joined[2]
        past = _past(told, recorded)
        self._joined[record, interval] = (told, recorded, past)
        return past

    def _recorded(self, record: Record, interval: Interval) -> Recorded:
        key = RecordKey(origin(), record, interval)
        published = self._published.get(key) if interval in INTERVALS else None
        return published or _NOTHING[record]


process_pasts = Pasts(Published(cache, SystemClock()))
"""This process's own."""


def _nothing(record: Record) -> Recorded:
    columns = record.columns
    return Recorded(Buckets(0, (), dict.fromkeys(columns, ())), dict.fromkeys(columns, 0))


_NOTHING: Final = {record: _nothing(record) for record in Record}


def _past(told: Told, recorded: Recorded) -> Past:
    """Every closed bucket, and the newest, open one unless it has not begun by the venue's own time.

    Buckets between them, which only a venue at odds with its own clock tells of, are left out, and so are
    recorded ones that closed later than the venue's answer was made.
    """
    buckets, as_of_ms = buckets_of(told), told.source.as_of_ms
    recorded = fitting(recorded, buckets)
    closed = buckets.closed_by(as_of_ms).over(recorded.buckets.closed_by(as_of_ms))
    closes_ms, columns = closed.closes_ms, closed.columns
    last_is_open = buckets.closes_ms[-1:] > (as_of_ms,) and as_of_ms not in closes_ms[-1:]
    if last_is_open:
        closes_ms += (as_of_ms,)
        columns = {name: column + buckets.columns[name][-1:] for name, column in columns.items()}
    return Past(
        interval_ms=buckets.width_ms,
        as_of_ms=as_of_ms,
        closes_ms=closes_ms,
        columns=columns,
        last_is_open=last_is_open,
        earlier=recorded.earlier,
    )
