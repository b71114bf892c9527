"""Where bust prices crowd together: runs of neighbouring buckets, largest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import nsmallest

from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import Bucket, Ladder

BRIDGED_EMPTY_BUCKETS = 1
"""A gap of at most this many empty buckets does not end a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A run of neighbouring buckets of one side.

    ``peak`` is the notional-weighted bust price in raw units; ``distance`` is raw price units from
    the mark outward to the near edge; ``share_of_side`` is of all live notional on that side.
    """

    side: Side
    low: Fraction
    high: Fraction
    peak: Fraction
    notional: int
    positions: int
    distance: Fraction
    share_of_side: Fraction


def largest_clusters(ladder: Ladder, side: Side, *, most: int) -> tuple[Cluster, ...]:
    """The ``most`` largest clusters of a side by notional, nearest to the mark first in a tie.

    Positions that the mark has already crossed are left out.
    """
    live = [bucket for bucket in ladder.side(side) if bucket.live_positions]
    side_notional = sum(bucket.live_notional for bucket in live)
    largest = nsmallest(most, _runs(live), key=_rank)
    return tuple(_cluster(run, mark=ladder.mark, side_notional=side_notional) for run in largest)


def _runs(buckets: list[Bucket]) -> Iterator[list[Bucket]]:
    run: list[Bucket] = []
    for bucket in buckets:
        if run and bucket.index - run[-1].index > BRIDGED_EMPTY_BUCKETS + 1:
            yield run
            run = []
        run.append(bucket)
    if run:
        yield run


def _rank(run: list[Bucket]) -> tuple[int, int]:
    """Larger notional first, then nearer to the mark: longs lie below it, shorts above."""
    nearness = -run[-1].index if run[0].side is Side.LONG else run[0].index
    return -_notional(run), nearness


def _notional(run: list[Bucket]) -> int:
    return sum(bucket.live_notional for bucket in run)


def _cluster(run: list[Bucket], *, mark: int, side_notional: int) -> Cluster:
    near = run[-1] if run[0].side is Side.LONG else run[0]
    notional = _notional(run)
    return Cluster(
        side=near.side,
        low=run[0].low,
        high=run[-1].high,
        peak=Fraction(sum(bucket.weighted_bust for bucket in run), notional),
        notional=notional,
        positions=sum(bucket.live_positions for bucket in run),
        distance=near.distance(mark),
        share_of_side=Fraction(notional, side_notional),
    )
