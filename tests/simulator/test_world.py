"""The invariants of the little market over simulated time, and how it lives on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import pytest

from papertrade_site.market.bust import bust_price, is_crossed
from papertrade_site.market.instrument import Side, usd_to_coins
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Interval, SortKey, TradeKind, Window
from papertrade_site.simulator.history import Point
from papertrade_site.simulator.house import CAP
from papertrade_site.simulator.leaderboard import Leaderboard
from papertrade_site.simulator.world import MOST_STEPS, STEP_MS, World

NOON_MS = 1_796_040_000_000
HOUR_SECONDS = 3_600
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


def live(world: World, seconds: int) -> Iterator[None]:
    """Advance second by second; gives every minute."""
    start = world.now_ms
    for second in range(1, seconds + 1):
        world.advance_to(start + second * 1000)
        if second % 60 == 0:
            yield


def figures(point: Point) -> list[int]:
    """The figures that never fall."""
    return [getattr(point, name) for name in NEVER_FALL]


def assert_consistent(world: World) -> None:
    """Sum everything up again from the accounts and positions, and compare with the running totals."""
    exchange = world.exchange
    ledger, house, paper = exchange.ledger, exchange.house, exchange.paper
    accounts = list(ledger.accounts.values())
    positions = [position for market in exchange.open_positions for position in market.by_id.values()]

    assert sum(position.margin for position in positions) == ledger.locked
    assert sum(account.locked for account in accounts) == ledger.locked
    assert sum(account.free for account in accounts) == ledger.free
    assert min(account.free for account in accounts) >= 0
    assert sum(account.realized for account in accounts) == house.traders_result
    assert sum(account.volume for account in accounts) == exchange.volume
    assert exchange.tvl == (ledger.free + ledger.locked + house.lp + house.waiting_fees + house.waiting_sweep)
    assert exchange.counters.legs == 2 * (exchange.counters.next_position_id - 1) - len(positions)

    assert sum(account.paper for account in accounts) == paper.supply
    assert sum(account.paper_staked for account in accounts) == paper.staked
    assert abs(sum(paper.pending_of(account) for account in accounts) - paper.pending) <= len(accounts)
    assert 0 <= paper.unallocated <= paper.reserve

    assert sum(payout.owed for payout in house.queue) == house.queued
    assert sum(account.queued for account in accounts) == house.queued
    assert sum(account.queue_nodes for account in accounts) == len(house.queue)
    assert 0 <= house.lp <= CAP
    assert house.lp == 0 or not house.queue

    for account in accounts:
        held = account.free + account.locked + account.queued
        assert account.deposited + account.realized == account.withdrawn + held
        assert account.open_notional == sum(position.notional for position in account.positions.values())


def assert_sides_agree(world: World) -> None:
    """Compare both sides with their positions, the house history's last point and the leaderboard."""
    last = world.history.stretch(Interval.MINUTE, current=world.point).points[-1]
    sides = [[last.btc_long, last.btc_short], [last.eth_long, last.eth_short]]
    for market, mid, expected in zip(world.exchange.open_positions, world.prices.mids, sides, strict=True):
        notional: dict[Side, int] = defaultdict(int)
        coins: dict[Side, int] = defaultdict(int)
        scale = market.traits.instrument.price_scale
        for position in market.by_id.values():
            assert not is_crossed(position.side, mark=mid, bust=position.bust)
            assert position.bust == bust_price(
                position.entry,
                leverage=position.leverage,
                side=position.side,
                bust_buffer=market.traits.instrument.bust_buffer,
            )
            assert world.exchange.owners[position.id].positions[position.id] is position
            notional[position.side] += position.notional
            coins[position.side] += usd_to_coins(position.notional, price=position.entry, price_scale=scale)
        assert [notional[Side.LONG], notional[Side.SHORT]] == expected
        assert market.instrument.long_oi == coins[Side.LONG]
        assert market.instrument.short_oi == coins[Side.SHORT]
    leaderboard = Leaderboard(world)
    rows = [leaderboard.figures(account, Window.ALL) for account in world.exchange.ledger.accounts.values()]
    assert sum(row[SortKey.OPEN_NOTIONAL] for row in rows) == sum(sides[0]) + sum(sides[1])
    assert sum(row[SortKey.OPEN_POSITIONS] for row in rows) == len(world.exchange.owners)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_an_hour_second_by_second_keeps_every_sum_exact(seed: int) -> None:
    world = World.create(seed=seed, now_ms=NOON_MS, traders=250)
    before = world.point
    for _ in live(world, HOUR_SECONDS):
        assert_consistent(world)
        assert_sides_agree(world)
        assert all(new >= old for new, old in zip(figures(world.point), figures(before), strict=True))
        before = world.point


def test_a_world_of_full_size_stays_exact_through_an_hour() -> None:
    world = World.create(seed=5, now_ms=NOON_MS)
    assert_consistent(world)
    for _ in live(world, HOUR_SECONDS):
        pass
    assert_consistent(world)
    assert_sides_agree(world)


def test_a_world_of_full_size_has_the_venues_magnitudes() -> None:
    world = World.create(seed=6, now_ms=NOON_MS)
    point, day_ago = world.point, world.history.a_day_ago()
    leaders = sorted(world.exchange.ledger.accounts.values(), key=lambda account: -account.open_notional)
    open_notional = point.btc_long + point.btc_short + point.eth_long + point.eth_short
    assert 3_000 <= len(world.exchange.owners) <= 7_000
    assert 80_000_0 <= world.prices.mids[0] <= 90_000_0
    assert 2_400_00 <= world.prices.mids[1] <= 2_600_00
    assert 10**27 <= point.btc_long <= 3 * 10**27
    assert 10**27 <= point.eth_long <= 3 * 10**27
    volume = point.volume_btc + point.volume_eth - day_ago.volume_btc - day_ago.volume_eth
    assert 200 * 10**27 <= volume <= 400 * 10**27
    assert 20_000 <= point.users <= 40_000
    assert point.lp >= 3_000_000 * 10**18
    assert world.exchange.house.tail_progress > 120_000_000 * 10**18
    assert world.exchange.house.curve.mint_rate < 25 * 10**18
    assert 0.2 <= sum(account.open_notional for account in leaders[:44]) / open_notional <= 0.5


def test_the_same_seed_and_times_give_the_same_world() -> None:
    one, other = (World.create(seed=9, now_ms=NOON_MS, traders=60) for _ in range(2))
    one.advance_to(NOON_MS + 120_000)
    for _ in live(other, 120):
        pass
    assert one.point == other.point
    assert one.prices.mids == other.prices.mids
    assert list(one.exchange.tape.trades) == list(other.exchange.tape.trades)


def test_another_seed_gives_another_world() -> None:
    one, other = (World.create(seed=seed, now_ms=NOON_MS, traders=60) for seed in (9, 10))
    assert one.prices.mids != other.prices.mids
    assert one.exchange.ledger.accounts.keys().isdisjoint(other.exchange.ledger.accounts)


def test_a_time_in_the_past_changes_nothing(world: World) -> None:
    before = (world.now_ms, world.revision, world.point)
    world.advance_to(NOON_MS - 5_000)
    assert (world.now_ms, world.revision, world.point) == before


def test_time_moves_in_whole_seconds(world: World) -> None:
    world.advance_to(NOON_MS + 1_999)
    assert world.now_ms == NOON_MS + 1_000


def test_a_long_gap_is_caught_up_in_few_steps_without_a_hole_in_the_history(world: World) -> None:
    before = world.revision
    gap_ms = 3 * 86_400_000 + 7_000
    world.advance_to(NOON_MS + gap_ms)
    assert world.now_ms == NOON_MS + gap_ms
    assert world.revision - before <= MOST_STEPS
    assert_consistent(world)
    assert_sides_agree(world)
    for interval, points in ((Interval.MINUTE, 1_440), (Interval.HOUR, 168)):
        stretch = world.history.stretch(interval, current=world.point)
        assert len(stretch.points) == points
        assert stretch.start_ms + (points - 1) * interval.width_ms <= world.now_ms
        assert world.now_ms < stretch.start_ms + points * interval.width_ms
        assert all(
            later >= earlier
            for a, b in pairwise(stretch.points)
            for earlier, later in zip(figures(a), figures(b), strict=True)
        )
    minutes = world.candles[0].select(Interval.MINUTE, start_ms=world.now_ms - 3_600_000, end_ms=world.now_ms)
    assert [candle.start_ms for candle in minutes] == [
        start for start in range(NOON_MS, world.now_ms + 1, 60_000) if start >= world.now_ms - 3_600_000
    ]


def test_the_newest_trades_are_there_from_the_start_and_every_kind_comes_up() -> None:
    world = World.create(seed=2, now_ms=NOON_MS)
    assert len(world.exchange.tape.trades) == 50
    seen: set[TradeKind] = set()
    for _ in live(world, 600):
        seen.update(trade.kind for trade in world.exchange.tape.trades)
    assert seen == set(TradeKind)


def test_the_current_minute_has_a_candle_on_its_first_stroke(world: World) -> None:
    world.advance_to(NOON_MS + 60_000)
    for market, mid in zip(world.candles, world.prices.mids, strict=True):
        newest = market.select(Interval.MINUTE, start_ms=NOON_MS + 60_000, end_ms=NOON_MS + 60_000)
        assert [(candle.start_ms, candle.close) for candle in newest] == [(NOON_MS + 60_000, mid)]


def test_the_keeper_sends_out_what_waits_once_an_hour(world: World) -> None:
    while not world.exchange.house.waiting_fees:
        world.advance_to(world.now_ms + STEP_MS)
    before = world.exchange.paper.accumulator
    world.advance_to(NOON_MS + 3_600_000 - 1_000)
    assert world.exchange.paper.accumulator == before
    world.advance_to(NOON_MS + 3_600_000)
    assert world.exchange.paper.accumulator > before
    assert world.exchange.house.waiting_fees == 0


def test_newcomers_join_and_trade() -> None:
    world = World.create(seed=3, now_ms=NOON_MS)
    known = set(world.exchange.ledger.accounts)
    for _ in live(world, HOUR_SECONDS):
        pass
    joined = set(world.exchange.ledger.accounts) - known
    assert joined
    assert world.point.users == len(known) + len(joined)


def test_traders_pay_in_take_out_stake_and_claim() -> None:
    world = World.create(seed=3, now_ms=NOON_MS)
    accounts = list(world.exchange.ledger.accounts.values())

    def sums() -> list[tuple[int, int, int, int]]:
        return [
            (
                account.deposited,
                account.withdrawn,
                account.paper_staked,
                -world.exchange.paper.pending_of(account),
            )
            for account in accounts
        ]

    before = sums()
    for _ in live(world, 1_200):
        pass
    grown = [
        any(new > old for new, old in zip(after, past, strict=True))
        for after, past in zip(zip(*sums(), strict=True), zip(*before, strict=True), strict=True)
    ]
    assert grown == [True] * 4


@pytest.mark.parametrize("hours_lived", [0, 11, 24])
def test_leaderboard_windows_follow_the_histories(hours_lived: int) -> None:
    midnight_ms = 1_795_996_800_000
    world = World.create(seed=7, now_ms=midnight_ms - hours_lived * HOUR_MS, traders=60)
    while world.now_ms < midnight_ms:
        world.advance_to(world.now_ms + HOUR_MS)
    days = world.history.stretch(Interval.DAY, current=world.point)
    assert days.start_ms + (len(days.points) - 1) * DAY_MS == midnight_ms
    for window, length in ((Window.DAY, 1), (Window.WEEK, 7), (Window.MONTH, 30)):
        before = days.points[-2 - length]
        traded = sum(flow.volume for flow in world.exchange.flows.of(window).values())
        whole = world.point.volume_btc + world.point.volume_eth - before.volume_btc - before.volume_eth
        assert traded == pytest.approx(whole, rel=0.02)
        realized = sum(flow.realized for flow in world.exchange.flows.of(window).values())
        assert realized == pytest.approx(world.point.trader_pnl - before.trader_pnl, rel=0.1)
