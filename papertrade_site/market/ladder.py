"""The bust ladder: open positions grouped by bust price into buckets of one size.

Bucket number k takes the bust prices from ``k * size`` up to, and without, ``(k + 1) * size``. Sizes are
exact fractions of raw price units: a bucket may be finer than the market's tick and edges stay in line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Positions of one side whose bust prices share the bucket at ``index`` of the ladder's ``size``.

    ``notional`` is dollars at 10^18. The ``crossed_`` part belongs to positions whose bust price the
    mark has already reached. ``weighted_bust`` sums bust price times notional of the others.
    """

    side: Side
    index: int
    size: Fraction
    notional: int
    positions: int
    crossed_notional: int
    crossed_positions: int
    weighted_bust: int

    @property
    def low(self) -> Fraction:
        """The lower edge as a raw price, which belongs to the bucket."""
        return self.index * self.size

    @property
    def high(self) -> Fraction:
        """The upper edge as a raw price, which belongs to the next bucket."""
        return (self.index + 1) * self.size

    @property
    def live_notional(self) -> int:
        """Notional of the positions that the mark has not reached yet."""
        return self.notional - self.crossed_notional

    @property
    def live_positions(self) -> int:
        """Count of the positions that the mark has not reached yet."""
        return self.positions - self.crossed_positions

    def distance(self, mark: int) -> Fraction:
        """How far the price has to go from the mark to touch the bucket, in raw price units.

        0 for the bucket that the mark stands in; below 0 for one that the mark has already passed.
        """
        if self.low <= mark < self.high:
            return Fraction(0)
        above = mark < self.low
        gap = self.low - mark if above else mark - self.high
        outward = above == (self.side is Side.SHORT)
        return gap if outward else -gap


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
    size_numerator, size_denominator = size.as_integer_ratio()
    tallies: dict[tuple[int, Side], _Tally] = {}
    for position in positions:
        index = position.bust * size_denominator // size_numerator
        tally = tallies.setdefault((index, position.side), _Tally())
        notional = position.notional
        tally.notional += notional
        tally.positions += 1
        if is_crossed(position.side, mark=mark, bust=position.bust):
            tally.crossed_notional += notional
            tally.crossed_positions += 1
        else:
            tally.weighted_bust += position.bust * notional
    buckets = tuple(
        Bucket(
            side=side,
            index=index,
            size=size,
            notional=tally.notional,
            positions=tally.positions,
            crossed_notional=tally.crossed_notional,
            crossed_positions=tally.crossed_positions,
            weighted_bust=tally.weighted_bust,
        )
        for (index, side), tally in sorted(tallies.items())
    )
    return Ladder(mark=mark, size=size, buckets=buckets)
