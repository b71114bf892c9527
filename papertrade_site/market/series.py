"""A figure over time: its known points, what each bucket added, and how it changed since a moment.

Amounts are at 10^18, counts too, so that one arithmetic serves dollars, PAPER and numbers of things.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise

from papertrade_site.market.scale import wad_of


@dataclass(frozen=True, slots=True)
class Point:
    """A figure, and the time in ms at which it was true."""

    at_ms: int
    value: int


@dataclass(frozen=True, slots=True)
class Added:
    """What a running total gained by a time since the known point before; negative where it fell.

    ``across_gap`` when that point is more than one bucket older, so that the gain is that of several.
    """

    at_ms: int
    value: int
    across_gap: bool


@dataclass(frozen=True, slots=True)
class Move:
    """How a figure moved since an earlier point; ``share`` is of the earlier figure's size.

    The share has the sign of the move, whatever the sign of the earlier figure; None when that was 0.
    """

    since_ms: int
    absolute: int
    share: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One figure over time, oldest first, in plain units as a source sends it.

    Attributes:
        closes_ms: when each value was true, strictly increasing.
        values: as many; None where there is none.
        width_ms: how long a bucket is.
        latest: the exact figure at 10^18 that stands in place of the last value, where that is known.
    """

    closes_ms: Sequence[int]
    values: Sequence[float | None]
    width_ms: int
    latest: int | None = None

    def newest(self, count: int) -> list[Point]:
        """The newest known points, oldest first; fewer than ``count`` where there are no more."""
        return list(islice(self._known(reversed(range(len(self.values)))), count))[::-1]

    def added(self, count: int) -> list[Added]:
        """What each of the newest buckets added, oldest first; none for the oldest known point of all."""
        return [
            Added(
                later.at_ms,
                later.value - earlier.value,
                across_gap=later.at_ms - earlier.at_ms > self.width_ms,
            )
            for earlier, later in pairwise(self.newest(count + 1))
        ]

    def near(self, at_ms: int, *, within_ms: int) -> Point | None:
        """The known point nearest to a time and no further away; of two as near, the earlier one."""
        place = bisect_left(self.closes_ms, at_ms)
        before = next(self._known(reversed(range(place))), None)
        after = next(self._known(range(place, len(self.values))), None)
        near = [point for point in (before, after) if point and abs(point.at_ms - at_ms) <= within_ms]
        return min(near, key=lambda point: abs(point.at_ms - at_ms), default=None)

    def _known(self, places: Iterable[int]) -> Iterator[Point]:
        for place in places:
            value = self.values[place]
            if value is not None:
                yield self._point(place, value)

    def _point(self, place: int, value: float) -> Point:
        is_last = place == len(self.values) - 1
        exact = self.latest if is_last and self.latest is not None else wad_of(value)
        return Point(self.closes_ms[place], exact)


def change(now: Point, then: Point) -> Move:
    """How a figure moved from an earlier point to a later one."""
    absolute = now.value - then.value
    return Move(then.at_ms, absolute, Fraction(absolute, abs(then.value)) if then.value else None)
