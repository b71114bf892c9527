"""The bust ladder: what busts, grouped by bust price into buckets of one size.

Bucket number k takes the bust prices from ``k * size`` up to, and without, ``(k + 1) * size``. Sizes are
exact fractions of raw price units: a bucket may be finer than the market's tick and edges stay in line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """What busts of one side in the bucket at ``index`` of a map of buckets of one ``size``.

    ``notional`` is dollars at 10^18; ``positions`` is None where whoever made the map does not count them.
    """

    side: Side
    index: int
    size: Fraction
    notional: int
    positions: int | None

    @property
    def low(self) -> Fraction:
        """The lower edge as a raw price, which belongs to the bucket."""
        return self.index * self.size

    @property
    def high(self) -> Fraction:
        """The upper edge as a raw price, which belongs to the next bucket."""
        return (self.index + 1) * self.size

    def distance(self, mark: int) -> Fraction:
        """How far the price has to go from the mark to touch the bucket, in raw price units.

        0 for the bucket that the mark stands in; below 0 for one that the mark has already passed.
        """
        step, units = self.size.as_integer_ratio()
        to_high = mark * units - (self.index + 1) * step
        if to_high >= 0:
            return Fraction(to_high if self.side is Side.LONG else -to_high, units)
        to_low = max(self.index * step - mark * units, 0)
        return Fraction(to_low if self.side is Side.SHORT else -to_low, units)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(Rung):
    """A rung whose positions are known one by one.

    The ``crossed_`` part belongs to positions whose bust price the mark has already reached.
    ``weighted_bust`` sums bust price times notional of the others.
    """

    positions: int
    crossed_notional: int
    crossed_positions: int
    weighted_bust: int

    @property
    def live_notional(self) -> int:
        """Notional of the positions that the mark has not reached yet."""
        return self.notional - self.crossed_notional

    @property
    def live_positions(self) -> int:
        """Count of the positions that the mark has not reached yet."""
        return self.positions - self.crossed_positions


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """All buckets of one market that hold a position, sorted by price, longs before shorts in a tie."""

    mark: int
    size: Fraction
    buckets: tuple[Bucket, ...]

    def side(self, side: Side) -> tuple[Bucket, ...]:
        """The buckets of one side, sorted by price."""
        return tuple(bucket for bucket in self.buckets if bucket.side is side)

    def notional(self, side: Side) -> int:
        """Dollars at 10^18 on one side."""
        return sum(bucket.notional for bucket in self.buckets if bucket.side is side)

    def positions(self, side: Side) -> int:
        """Positions on one side."""
        return sum(bucket.positions for bucket in self.buckets if bucket.side is side)

    def running_notional(self) -> Iterator[int]:
        """For each bucket what its side has lost when the price has gone all through it, at 10^18.

        Longs are summed downward and shorts upward. A side begins with its buckets that the mark has
        passed, the one furthest behind the mark first, and ends at the side's whole notional.
        """
        longs, shorts = self.notional(Side.LONG), 0
        for bucket in self.buckets:
            if bucket.side is Side.LONG:
                yield longs
                longs -= bucket.notional
            else:
                shorts += bucket.notional
                yield shorts


class _Tally:
    """The sums of one bucket while the ladder is built."""

    __slots__ = ("crossed_notional", "crossed_positions", "notional", "positions", "weighted_bust")

    def __init__(self) -> None:
        self.notional = self.positions = 0
        self.crossed_notional = self.crossed_positions = 0
        self.weighted_bust = 0


def build_ladder(positions: Iterable[Position], *, mark: int, size: Fraction) -> Ladder:
    """Group the positions of one market by bust price, in time linear in their number.

    Args:
        positions: open positions, all of the market that ``mark`` belongs to.
        mark: the raw mark price, which tells crossed positions from live ones.
        size: bucket size in raw price units, above 0.
    """
    step, units = size.as_integer_ratio()
    tallies: dict[tuple[int, bool], _Tally] = {}
    for position in positions:
        side, bust, notional = position.side, position.bust, position.notional
        key = (bust * units // step, side is Side.SHORT)
        tally = tallies.get(key)
        if tally is None:
            tally = tallies[key] = _Tally()
        tally.notional += notional
        tally.positions += 1
        if is_crossed(side, mark=mark, bust=bust):
            tally.crossed_notional += notional
            tally.crossed_positions += 1
        else:
            tally.weighted_bust += bust * notional
    buckets = tuple(
        Bucket(
            side=Side.SHORT if is_short else Side.LONG,
            index=index,
            size=size,
            notional=tally.notional,
            positions=tally.positions,
            crossed_notional=tally.crossed_notional,
            crossed_positions=tally.crossed_positions,
            weighted_bust=tally.weighted_bust,
        )
        for (index, is_short), tally in sorted(tallies.items())
    )
    return Ladder(mark=mark, size=size, buckets=buckets)


def regrouped(rungs: Iterable[Rung], *, multiple: int) -> tuple[Rung, ...]:
    """The same map in buckets of ``multiple`` times the size, sorted by price, longs first in a tie.

    A coarser bucket that holds one whose positions nobody counted has no count either.
    """
    groups: dict[tuple[int, Side], list[Rung]] = {}
    for rung in rungs:
        groups.setdefault((rung.index // multiple, rung.side), []).append(rung)
    return tuple(
        Rung(
            side=side,
            index=index,
            size=group[0].size * multiple,
            notional=sum(rung.notional for rung in group),
            positions=counted(group),
        )
        for (index, side), group in sorted(groups.items())
    )


def counted(rungs: Iterable[Rung]) -> int | None:
    """How many positions some buckets hold together, or None when one of them has no count."""
    total = 0
    for rung in rungs:
        if rung.positions is None:
            return None
        total += rung.positions
    return total


def nearest(rungs: Sequence[Rung], *, mark: int, most: int) -> slice:
    """Where the buckets nearest to the mark stand among those of one map, sorted by price; at most so many.

    Of two that are equally far from the mark the lower one stays.
    """
    first, end = 0, len(rungs)
    while end - first > most:
        if _centre_distance(rungs[first], mark) > _centre_distance(rungs[end - 1], mark):
            first += 1
        else:
            end -= 1
    return slice(first, end)


def _centre_distance(rung: Rung, mark: int) -> int:
    """Orders buckets of one size as the distance to their near edges does, in whole numbers."""
    step, units = rung.size.as_integer_ratio()
    return abs((2 * rung.index + 1) * step - 2 * mark * units)
