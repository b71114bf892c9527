"""How old the figures of a result are, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic

from papertrade_site.clock import iso
from papertrade_site.upstream.resource import Value


class State(StrEnum):
    """Whether a copy is within the time that it counts as fresh."""

    FRESH = "fresh"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[Value]):
    """A value read from a source.

    Attributes:
        name: the resource's name, such as ``exchange.trading``.
        fetched_at_ms: when the answer came in; never later than the time of the read.
        observed_at_ms: the source's own time of the answer, or None when it states none.
        fresh_until_s: when, by the monotonic clock, it ceases to be fresh; a call may well go on past it.
        is_new: the source was asked for it just now.
        degraded: the copy is old because a refresh failed, or the source itself stands still.
        note: a sentence of ours about what is wrong with the copy, or None.
    """

    name: str
    value: Value
    fetched_at_ms: int
    observed_at_ms: int | None
    state: State
    fresh_until_s: float = field(default=float("inf"), compare=False)
    is_new: bool = field(default=False, compare=False)
    degraded: bool = False
    note: str | None = None

    @property
    def as_of_ms(self) -> int:
        """What time the value speaks of: the source's own time when that is older than the fetch."""
        if self.observed_at_ms is None:
            return self.fetched_at_ms
        return min(self.fetched_at_ms, self.observed_at_ms)

    def state_at(self, now_s: float) -> State:
        """Its state at a time by the monotonic clock, which may be later than that of the read."""
        return State.STALE if now_s > self.fresh_until_s else self.state


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a result that is missing: the source that failed and a sentence of ours about it."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What a result used of one source: its oldest copy. ``fetched_at_ms`` is None when there is none."""

    name: str
    fetched_at_ms: int | None
    state: State
    note: str | None

    def json(self) -> dict[str, Any]:
        """The row as results carry it; a row without a note has no such key."""
        fetched_at = None if self.fetched_at_ms is None else iso(self.fetched_at_ms)
        row = {"name": self.name, "fetchedAt": fetched_at, "state": self.state.value}
        return row if self.note is None else {**row, "note": self.note}


@dataclass(frozen=True, slots=True)
class Freshness:
    """The age of a result: that of its oldest input, in ms, and one row for each source, oldest first."""

    as_of_ms: int
    degraded: bool
    sources: tuple[SourceRow, ...]

    def json(self) -> dict[str, Any]:
        """The block as every result carries it."""
        return {
            "asOf": iso(self.as_of_ms),
            "degraded": self.degraded,
            "sources": [row.json() for row in self.sources],
        }


def freshness_of(
    readings: Iterable[Reading[Any]], gaps: Iterable[Gap], *, now_ms: int, now_s: float
) -> Freshness:
    """Sum up what a result is made of, at a time by the wall clock and by the monotonic one.

    Readings of one name become one row: the oldest fetch, ``stale`` when any is, and the first note.
    A result that used no source is as of now. A missing part degrades it, and so does a copy that is
    old because its refresh failed.
    """
    used, missing = list(readings), list(gaps)
    by_name: dict[str, list[Reading[Any]]] = {}
    for reading in used:
        by_name.setdefault(reading.name, []).append(reading)
    notes = {gap.name: gap.note for gap in reversed(missing)}
    rows = [
        _row(name, readings=same, gap=notes.pop(name, None), now_s=now_s) for name, same in by_name.items()
    ]
    rows += [SourceRow(name, None, State.STALE, note) for name, note in notes.items()]
    return Freshness(
        as_of_ms=min((reading.as_of_ms for reading in used), default=now_ms),
        degraded=bool(missing) or any(reading.degraded for reading in used),
        sources=tuple(sorted(rows, key=lambda row: (row.fetched_at_ms or 0, row.name))),
    )


def _row(name: str, *, readings: list[Reading[Any]], gap: str | None, now_s: float) -> SourceRow:
    notes = [gap, *(reading.note for reading in readings)]
    return SourceRow(
        name=name,
        fetched_at_ms=min(reading.fetched_at_ms for reading in readings),
        state=max(reading.state_at(now_s) for reading in readings),
        note=next((note for note in notes if note is not None), None),
    )
