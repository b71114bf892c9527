"""What a price move would bust, summed from a ladder.

Liquidations leave the price alone, since it is read from another exchange. So nothing is fed back: the
result adds up whole buckets, and is as exact as the buckets are fine.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import Ladder


@dataclass(frozen=True, slots=True)
class Sweep:
    """One direction of a move: the raw price it ends at, and what it busts (dollars at 10^18)."""

    target: Fraction
    notional: int
    positions: int
    buckets: int


@dataclass(frozen=True, slots=True)
class Cascade:
    """What falls when the price drops by the percent, and when it rises by it."""

    down: Sweep
    up: Sweep


def cascade(ladder: Ladder, *, move: Fraction) -> Cascade:
    """Sum the buckets between the mark and the mark moved by a share of itself, both ways.

    As soon as the move touches a bucket's near edge, all that is live in it is taken to fall. The mark
    stands inside its own bucket, so even the smallest move takes that one; no move takes nothing.
    """
    return Cascade(
        down=_sweep(ladder, Side.LONG, target=ladder.mark * (1 - move)),
        up=_sweep(ladder, Side.SHORT, target=ladder.mark * (1 + move)),
    )


def _sweep(ladder: Ladder, side: Side, *, target: Fraction) -> Sweep:
    if target == ladder.mark:
        return Sweep(target, 0, 0, 0)
    is_long = side is Side.LONG
    furthest = ceil(target / ladder.size) - 1 if is_long else floor(target / ladder.size)
    reached = [
        bucket
        for bucket in ladder.side(side)
        if bucket.live_positions and (bucket.index >= furthest if is_long else bucket.index <= furthest)
    ]
    return Sweep(
        target,
        notional=sum(bucket.live_notional for bucket in reached),
        positions=sum(bucket.live_positions for bucket in reached),
        buckets=len(reached),
    )
