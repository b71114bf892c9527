"""The recorded points in the database: what is kept, for how long, and what the venue's later word does.

Hourly points are kept for two years, counted back from the venue's newest answer, and daily ones for ever.
A figure that the venue tells differently later is replaced. One that it has no figure for later stays: that
says nothing about what was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, QuerySet

from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.recorded.buckets import Buckets
from papertrade_site.recorded.key import Record, RecordKey
from papertrade_site.recorded.models import HousePoint, ProtocolPoint, RecordedPoint

KEPT_MS: Final = {Interval.HOUR: 2 * 365 * DAY_MS}
"""How long points are kept; those of other intervals for ever."""

Figures = tuple[float | None, ...]
"""One bucket's figures, in the order of the record's columns."""

_TABLES: Final[Mapping[Record, type[RecordedPoint]]] = {
    Record.PROTOCOL: ProtocolPoint,
    Record.HOUSE: HousePoint,
}


@dataclass(frozen=True, slots=True)
class Correction:
    """A figure that the venue tells differently now than when it was recorded."""

    start_ms: int
    column: str
    recorded: float
    told: float


@dataclass(frozen=True, slots=True)
class News:
    """What an answer of the venue adds to a record.

    Attributes:
        points: the buckets that are new or have new figures, by their start.
        known: how many buckets of the answer had been recorded before.
        corrections: the figures that contradict recorded ones, oldest first.
    """

    points: Mapping[int, Figures]
    known: int
    corrections: tuple[Correction, ...]

    @property
    def is_of_another_past(self) -> bool:
        """Whether most of the buckets that had been recorded are contradicted."""
        return 2 * len({correction.start_ms for correction in self.corrections}) > self.known


def news_in(key: RecordKey, told: Buckets) -> News:
    """Compare closed buckets that the venue tells of with the recorded ones."""
    recorded = _recorded_since(key, told.starts_ms[0]) if told.starts_ms else {}
    points: dict[int, Figures] = {}
    corrections: list[Correction] = []
    for start_ms, figures in _points_of(key, told):
        known = recorded.get(start_ms, (None,) * len(figures))
        kept = tuple(old if new is None else new for new, old in zip(figures, known, strict=True))
        if start_ms not in recorded or kept != known:
            points[start_ms] = kept
        corrections += (
            Correction(start_ms, column, recorded=old, told=new)
            for column, old, new in zip(key.record.columns, known, kept, strict=True)
            if old is not None and new is not None and old != new
        )
    return News(points, known=len(recorded.keys() & set(told.starts_ms)), corrections=tuple(corrections))


def record(key: RecordKey, news: News) -> None:
    """Keep what is new."""
    table, columns = _TABLES[key.record], key.record.columns
    table._default_manager.bulk_create(
        [
            table(
                origin=key.origin,
                interval=key.interval.value,
                start_ms=start_ms,
                **dict(zip(columns, figures, strict=True)),
            )
            for start_ms, figures in news.points.items()
        ],
        update_conflicts=True,
        unique_fields=["origin", "interval", "start_ms"],
        update_fields=columns,
    )


def prune(key: RecordKey, *, as_of_ms: int) -> None:
    """Remove the points that are too old to be kept at a time."""
    if key.interval in KEPT_MS:
        _rows(key).filter(start_ms__lt=as_of_ms - KEPT_MS[key.interval]).delete()


def forget(key: RecordKey) -> None:
    """Remove all points of a record."""
    _rows(key).delete()


def newest(key: RecordKey, count: int) -> Buckets:
    """The newest recorded buckets, oldest first."""
    rows = list(_rows(key).order_by("-start_ms").values_list("start_ms", *key.record.columns)[:count])[::-1]
    figures = [row[1:] for row in rows]
    return Buckets(
        key.interval.width_ms,
        tuple(row[0] for row in rows),
        {name: tuple(row[place] for row in figures) for place, name in enumerate(key.record.columns)},
    )


def count_before(key: RecordKey, start_ms: int) -> dict[str, int]:
    """How many figures of each column are recorded of buckets that start before a time."""
    columns = key.record.columns
    return _rows(key).filter(start_ms__lt=start_ms).aggregate(**{name: Count(name) for name in columns})


def _rows(key: RecordKey) -> QuerySet[RecordedPoint]:
    return _TABLES[key.record]._default_manager.filter(origin=key.origin, interval=key.interval.value)


def _recorded_since(key: RecordKey, start_ms: int) -> dict[int, Figures]:
    rows = _rows(key).filter(start_ms__gte=start_ms).values_list("start_ms", *key.record.columns)
    return {row[0]: row[1:] for row in rows}


def _points_of(key: RecordKey, told: Buckets) -> Iterator[tuple[int, Figures]]:
    return zip(
        told.starts_ms,
        zip(*(told.columns[name] for name in key.record.columns), strict=True),
        strict=True,
    )
