"""The past that a world starts with ends exactly at its present."""

from __future__ import annotations

from itertools import pairwise

import pytest

from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.founding import GENESIS_MS, Beginnings, begin, genesis_for, point_of
from papertrade_site.simulator.history import Point, Stretch
from papertrade_site.simulator.house import CAP
from papertrade_site.simulator.population import IDLE_PER_TRADER
from papertrade_site.simulator.world import World

NOW_MS = 1_796_040_000_000
NEVER_FALL = (
    "staking_rewards",
    "volume_btc",
    "volume_eth",
    "users",
    "liquidated",
    "trades",
    "paper_supply",
    "staker_fees",
)


@pytest.fixture(scope="module")
def beginnings() -> Beginnings:
    """What a small world starts with."""
    return begin(Dice(1), genesis_ms=GENESIS_MS, now_ms=NOW_MS, traders=60)


def stretch(beginnings: Beginnings, interval: Interval) -> Stretch:
    """A history up to the present."""
    return beginnings.history.stretch(interval, current=point_of(beginnings.exchange))


@pytest.mark.parametrize("age_days", [8, 55, 400])
def test_genesis_is_the_venues_own_while_the_clock_is_near(age_days: int) -> None:
    assert genesis_for(GENESIS_MS + age_days * DAY_MS) == GENESIS_MS


@pytest.mark.parametrize(
    "now_ms", [0, GENESIS_MS, GENESIS_MS + 8 * DAY_MS - 1, GENESIS_MS + 400 * DAY_MS + 1]
)
def test_genesis_moves_when_the_clock_is_far(now_ms: int) -> None:
    assert genesis_for(now_ms) == now_ms - 55 * DAY_MS


@pytest.mark.parametrize(
    "now_ms",
    [
        GENESIS_MS + 8 * DAY_MS,
        GENESIS_MS + 8 * DAY_MS + 1_234,
        GENESIS_MS + 400 * DAY_MS,
        1_700_000_000_000,
        2_000_000_000_000,
    ],
)
def test_a_world_can_begin_at_any_time(now_ms: int) -> None:
    world = World.create(seed=1, now_ms=now_ms, traders=40)
    assert world.genesis_ms == genesis_for(now_ms)
    assert world.now_ms == now_ms // 1_000 * 1_000
    days = world.history.stretch(Interval.DAY, current=world.point)
    assert days.start_ms == world.genesis_ms // DAY_MS * DAY_MS
    assert len(days.points) == now_ms // DAY_MS - world.genesis_ms // DAY_MS + 1
    assert all(
        position.opened_at_ms <= now_ms
        for market in world.exchange.open_positions
        for position in market.by_id.values()
    )


@pytest.mark.parametrize(
    ("interval", "points"), [(Interval.MINUTE, 1_440), (Interval.HOUR, 168), (Interval.DAY, 56)]
)
def test_histories_are_as_long_as_the_venue_keeps_them(
    beginnings: Beginnings, interval: Interval, points: int
) -> None:
    found = stretch(beginnings, interval)
    assert len(found.points) == points
    assert (
        found.start_ms == NOW_MS // interval.width_ms * interval.width_ms - (points - 1) * interval.width_ms
    )


@pytest.mark.parametrize("interval", list(Interval))
def test_sums_never_fall_up_to_the_present(beginnings: Beginnings, interval: Interval) -> None:
    for name in NEVER_FALL:
        column = [getattr(point, name) for point in stretch(beginnings, interval).points]
        assert column == sorted(column), name


@pytest.mark.parametrize("interval", list(Interval))
def test_levels_stay_within_reason(beginnings: Beginnings, interval: Interval) -> None:
    for point in stretch(beginnings, interval).points:
        assert 0 <= point.lp <= CAP
        assert 0 <= point.paper_staked <= point.paper_supply
        assert min(point) == min(point.trader_pnl, 0)


@pytest.mark.parametrize(
    ("fine", "coarse"), [(Interval.MINUTE, Interval.HOUR), (Interval.HOUR, Interval.DAY)]
)
def test_the_widths_agree_where_their_buckets_end_together(
    beginnings: Beginnings, fine: Interval, coarse: Interval
) -> None:
    def by_close(interval: Interval) -> dict[int, Point]:
        found = stretch(beginnings, interval)
        return {
            found.start_ms + (index + 1) * found.width_ms: point
            for index, point in enumerate(found.points[:-1])
        }

    common = by_close(fine).keys() & by_close(coarse).keys()
    assert len(common) >= 5
    assert all(by_close(fine)[close] == by_close(coarse)[close] for close in common)


def test_the_first_day_has_no_trading(beginnings: Beginnings) -> None:
    first = stretch(beginnings, Interval.DAY).points[0]
    assert (first.volume_btc, first.trades, first.paper_supply, first.btc_long, first.lp) == (0, 0, 0, 0, 0)
    assert first.users > 0


def test_every_day_of_trading_adds_volume(beginnings: Beginnings) -> None:
    points = stretch(beginnings, Interval.DAY).points[5:]
    assert all(later.volume_btc > earlier.volume_btc for earlier, later in pairwise(points))


def test_the_crowd_is_as_large_as_asked() -> None:
    world = World.create(seed=2, now_ms=NOW_MS, traders=100)
    assert world.point.users == pytest.approx(100 + 100 * IDLE_PER_TRADER, abs=3)
