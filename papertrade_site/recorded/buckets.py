"""A stretch of the past, whichever of the venue's two forms it came in: buckets of time and their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from papertrade_site.upstream.models.history import History, HouseHistory

Columns = Mapping[str, tuple[float | None, ...]]
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

    def at(self, places: Sequence[int]) -> Buckets:
        """Those at some places, which are given in order."""
        return Buckets(
            self.width_ms,
            tuple(self.starts_ms[place] for place in places),
            {name: tuple(column[place] for place in places) for name, column in self.columns.items()},
        )


def buckets_of(told: History | HouseHistory) -> Buckets:
    """The buckets that the venue told of, the open one included."""
    return Buckets(told.interval_ms, _starts_ms(told), dict(told.columns))


def _starts_ms(told: History | HouseHistory) -> tuple[int, ...]:
    if isinstance(told, HouseHistory):
        return tuple(told.base_time_ms + offset for offset in told.time_offsets_ms)
    return tuple(told.start_ms + place * told.interval_ms for place in range(len(told.columns.tvl)))
