"""Made-up longs: the clusters that they make, and what a fall takes from them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from papertrade_site.docs.worked.figures import percent
from papertrade_site.figures.text import dollars, number
from papertrade_site.market.cascade import cascade
from papertrade_site.market.clusters import Cluster, largest_clusters
from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import Ladder, build_ladder
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD, to_float, usd

MARK_USD: Final = 100_040
BUCKET_USD: Final = 100
BUSTS_USD: Final = ((99_950, 20_000), (99_720, 30_000), (99_650, 10_000), (99_420, 50_000), (98_900, 40_000))
"""Made-up longs: the price at which each busts, and its notional."""

CASCADE_PERCENT: Final = Fraction(1, 4)


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """A cluster of the made-up ladder."""

    low: str
    high: str
    notional: str
    positions: int
    peak: str
    share_percent: str


@dataclass(frozen=True, slots=True)
class CascadeSteps:
    """What a fall takes from the made-up ladder."""

    mark: str
    percent: str
    target: str
    bucket: str
    longs: tuple[tuple[str, str, bool], ...]
    notional: str
    positions: int
    exact_notional: str


def cascade_steps() -> CascadeSteps:
    """What a fall of ``CASCADE_PERCENT`` takes from the made-up longs, counted by whole buckets."""
    move = CASCADE_PERCENT / 100
    fall = cascade(_ladder(), move=move).down
    exact = sum(notional for busts_at, notional in BUSTS_USD if busts_at >= fall.target)
    return CascadeSteps(
        mark=dollars(MARK_USD),
        percent=number(float(CASCADE_PERCENT)),
        target=dollars(to_float(fall.target, digits=1)),
        bucket=dollars(BUCKET_USD),
        longs=tuple(
            (dollars(busts_at), dollars(notional), _near_edge(busts_at) >= fall.target)
            for busts_at, notional in BUSTS_USD
        ),
        notional=dollars(usd(fall.notional)),
        positions=fall.positions,
        exact_notional=dollars(exact),
    )


def _near_edge(busts_at: int) -> int:
    """The edge of a made-up long's bucket that a fall touches first."""
    return (busts_at // BUCKET_USD + 1) * BUCKET_USD


def cluster_rows() -> tuple[ClusterRow, ...]:
    """The clusters of the made-up longs, largest first."""
    return tuple(map(_cluster_row, largest_clusters(_ladder(), Side.LONG, most=len(BUSTS_USD))))


def _cluster_row(cluster: Cluster) -> ClusterRow:
    return ClusterRow(
        low=dollars(to_float(cluster.low, digits=2)),
        high=dollars(to_float(cluster.high, digits=2)),
        notional=dollars(usd(cluster.notional)),
        positions=cluster.positions,
        peak=dollars(to_float(cluster.peak, digits=2)),
        share_percent=percent(cluster.share_of_side, digits=2),
    )


def _ladder() -> Ladder:
    """The made-up longs at ``MARK_USD``, priced in whole dollars."""
    positions = [
        Position(
            id=str(busts_at),
            wallet="",
            instrument_id=0,
            side=Side.LONG,
            margin=notional * WAD,
            leverage=1,
            entry=MARK_USD,
            bust=busts_at,
            opened_at_ms=0,
        )
        for busts_at, notional in BUSTS_USD
    ]
    return build_ladder(positions, mark=MARK_USD, size=Fraction(BUCKET_USD))
