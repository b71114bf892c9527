"""Runs of neighbouring buckets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from hypothesis import given, strategies as st
from hypothesis.strategies import SearchStrategy

from papertrade_site.market.clusters import largest_clusters
from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import Ladder, build_ladder
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD

MARK = 830655
SIZES = st.fractions(min_value=Fraction(1, 50), max_value=200_000, max_denominator=50)


def ladder_of(positions: list[Position]) -> Ladder:
    """Group positions into buckets of 100 dollars."""
    return build_ladder(positions, mark=MARK, size=Fraction(1000))


def test_a_side_without_positions_has_no_cluster(make_position: Callable[..., Position]) -> None:
    assert largest_clusters(ladder_of([make_position()]), Side.SHORT, most=3) == ()


def test_one_empty_bucket_is_bridged_and_two_are_not(make_position: Callable[..., Position]) -> None:
    busts = (800_500, 802_500, 805_500)
    clusters = largest_clusters(ladder_of([make_position(bust=bust) for bust in busts]), Side.LONG, most=3)
    assert [(cluster.low, cluster.high, cluster.positions) for cluster in clusters] == [
        (Fraction(800_000), Fraction(803_000), 2),
        (Fraction(805_000), Fraction(806_000), 1),
    ]


def test_the_largest_comes_first_and_the_nearest_in_a_tie(make_position: Callable[..., Position]) -> None:
    positions = [
        make_position(bust=800_000),
        make_position(bust=820_000),
        make_position(bust=810_000, margin=300 * WAD),
    ]
    clusters = largest_clusters(ladder_of(positions), Side.LONG, most=3)
    assert [cluster.low for cluster in clusters] == [810_000, 820_000, 800_000]
    assert [cluster.share_of_side for cluster in clusters] == [Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)]


def test_no_more_clusters_are_returned_than_asked_for(make_position: Callable[..., Position]) -> None:
    ladder = ladder_of([make_position(bust=bust) for bust in (780_000, 800_000, 820_000)])
    assert [cluster.low for cluster in largest_clusters(ladder, Side.LONG, most=1)] == [820_000]


def test_the_peak_is_the_bust_price_weighted_by_notional(make_position: Callable[..., Position]) -> None:
    positions = [make_position(bust=800_100), make_position(bust=800_500, margin=300 * WAD)]
    (cluster,) = largest_clusters(ladder_of(positions), Side.LONG, most=3)
    assert cluster.peak == 800_400
    assert cluster.notional == 40_000 * WAD


def test_distance_is_counted_to_the_edge_nearest_to_the_mark(make_position: Callable[..., Position]) -> None:
    longs = [make_position(bust=bust) for bust in (800_500, 801_500)]
    shorts = [make_position(side=Side.SHORT, bust=bust) for bust in (850_500, 851_500)]
    ladder = ladder_of(longs + shorts)
    assert largest_clusters(ladder, Side.LONG, most=1)[0].distance == MARK - 802_000
    assert largest_clusters(ladder, Side.SHORT, most=1)[0].distance == 850_000 - MARK


def test_crossed_positions_are_left_out(make_position: Callable[..., Position]) -> None:
    positions = [make_position(bust=bust) for bust in (829_000, 831_000)]
    (cluster,) = largest_clusters(ladder_of(positions), Side.LONG, most=3)
    assert (cluster.low, cluster.high) == (Fraction(829_000), Fraction(830_000))
    assert cluster.share_of_side == 1


@given(data=st.data(), size=SIZES, most=st.integers(1, 10), side=st.sampled_from(Side))
def test_clusters_are_apart_and_their_shares_add_up_to_at_most_one(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction, most: int, side: Side
) -> None:
    ladder = build_ladder(data.draw(books), mark=MARK, size=size)
    clusters = largest_clusters(ladder, side, most=most)
    by_price = sorted(clusters, key=lambda cluster: cluster.low)
    assert all(upper.low - lower.high >= 2 * size for lower, upper in pairwise(by_price))
    assert all(cluster.low <= cluster.peak < cluster.high for cluster in clusters)
    assert sum(cluster.share_of_side for cluster in clusters) <= 1
    assert len(clusters) <= most
    assert [cluster.notional for cluster in clusters] == sorted(
        (cluster.notional for cluster in clusters), reverse=True
    )


@given(data=st.data(), size=SIZES, side=st.sampled_from(Side))
def test_all_clusters_together_hold_every_live_position_of_the_side(
    books: SearchStrategy[list[Position]], data: st.DataObject, size: Fraction, side: Side
) -> None:
    ladder = build_ladder(data.draw(books), mark=MARK, size=size)
    clusters = largest_clusters(ladder, side, most=1000)
    live = [bucket for bucket in ladder.side(side) if bucket.live_positions]
    assert sum(cluster.notional for cluster in clusters) == sum(bucket.live_notional for bucket in live)
    assert sum(cluster.positions for cluster in clusters) == sum(bucket.live_positions for bucket in live)
    assert sum(cluster.share_of_side for cluster in clusters) == (1 if live else 0)
