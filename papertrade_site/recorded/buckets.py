"""A stretch of the past, whichever of the venue's two forms it came in: buckets of time and their figures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from papertrade_site.upstream.models.history import History, HouseHistory

Told: TypeAlias = History | HouseHistory
"""What the venue tells of the past, in either form."""

Columns: TypeAlias = Mapping[str, tuple[float | None, ...]]
"""One figure per bucket and column, in plain units; None where there is none."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """Buckets of one width, oldest first; there may be gaps between them.

    Attributes:
        width_ms: how long a bucket is.
        starts_ms: when each bucket starts, strictly increasing.
        columns: by the field names of ``HistoryColumns`` or ``HouseColumns``; each figure is the one at the
            close of its bucket.
    """

    width_ms: int
    starts_ms: tuple[int, ...]
    columns: Columns

    @property
    def closes_ms(self) -> tuple[int, ...]:
        """When each bucket ends."""
        return tuple(start_ms + self.width_ms for start_ms in self.starts_ms)

    def first(self, count: int) -> Buckets:
        """The oldest of them; a number below 0 says how many not."""
        columns = {name: column[:count] for name, column in self.columns.items()}
        return Buckets(self.width_ms, self.starts_ms[:count], columns)

    def closed_by(self, time_ms: int) -> Buckets:
        """Those that had closed at a time."""
        return self.first(bisect_right(self.closes_ms, time_ms))

    def after(self, start_ms: int) -> Buckets:
        """Those that start later than a time."""
        place = bisect_right(self.starts_ms, start_ms)
        columns = {name: column[place:] for name, column in self.columns.items()}
        return Buckets(self.width_ms, self.starts_ms[place:], columns)

    def known(self, column: str) -> dict[int, float]:
        """The figures that there are of a column, by the starts of their buckets."""
        figures = zip(self.starts_ms, self.columns[column], strict=True)
        return {start_ms: figure for start_ms, figure in figures if figure is not None}

    def over(self, older: Buckets) -> Buckets:
        """Both together; in a bucket that both have, these figures, and the older ones where these lack."""
        starts_ms = tuple(sorted({*older.starts_ms, *self.starts_ms}))
        columns = {}
        for name in self.columns:
            figures = older.known(name) | self.known(name)
            columns[name] = tuple(figures.get(start_ms) for start_ms in starts_ms)
        return Buckets(self.width_ms, starts_ms, columns)


def buckets_of(told: Told) -> Buckets:
    """The buckets that the venue told of, the open one included."""
    return Buckets(told.interval_ms, _starts_ms(told), dict(told.columns))


def final_buckets(told: Told) -> Buckets:
    """The buckets that have closed by the venue's own time, and never the newest: that one is open to it."""
    return buckets_of(told).first(-1).closed_by(told.source.as_of_ms)


def _starts_ms(told: Told) -> tuple[int, ...]:
    if isinstance(told, HouseHistory):
        return tuple(told.base_time_ms + offset for offset in told.time_offsets_ms)
    return tuple(told.start_ms + place * told.interval_ms for place in range(len(told.columns.tvl)))
