"""The embedded exchange as a whole: created with a past, and moved forward in time step by step."""

from __future__ import annotations

from heapq import heappop, heappush

from papertrade_site.market.position import Position
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.candles import Bar
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.exchange import OrderRefusedError
from papertrade_site.simulator.founding import (
    FULL_CROWD,
    Beginnings,
    begin,
    genesis_for,
    opens_per_second,
    point_of,
)
from papertrade_site.simulator.history import Point
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.population import draw_newcomer
from papertrade_site.simulator.traders import MICRO_DOLLAR, mean_hold_seconds

STEP_MS = 1_000
MOST_STEPS = 300
"""A longer gap is caught up in fewer, longer steps."""

MOST_OPENS_PER_STEP = 60
"""So that catching up after days takes seconds; the gap is quieter than life."""

WARM_UP_MS = 120_000
"""Lived through step by step at creation, so that the newest trades are real."""

JOINS_PER_TRADER_DAY = 0.16
CLAIMS_PER_TRADER_DAY = 0.5
UNSTAKE_SHARE = 0.1
WITHDRAW_CHANCE = 0.4


class World:
    """The whole exchange at one moment; the same seed and the same times give the same world."""

    def __init__(self, dice: Dice, beginnings: Beginnings, *, now_ms: int) -> None:
        self._dice = dice
        self._crowd = beginnings.crowd
        self._opens_per_second = opens_per_second(len(beginnings.crowd.traders))
        self._founders = len(beginnings.crowd.traders)
        self._closings: list[tuple[int, str, int]] = []
        self.genesis_ms = beginnings.genesis_ms
        self.prices = beginnings.prices
        self.candles = beginnings.candles
        self.exchange = beginnings.exchange
        self.history = beginnings.history
        self.now_ms = now_ms
        self.revision = self.exchange.counters.legs
        """Counts up with every step."""
        for positions in self.exchange.open_positions:
            for position in positions.by_id.values():
                mean = mean_hold_seconds(position.leverage, positions.traits)
                self._plan_close(position, hold_seconds=dice.expovariate(1 / mean))

    @classmethod
    def create(cls, *, seed: int, now_ms: int, traders: int = FULL_CROWD) -> World:
        """A world with a past that ends at ``now_ms``, to the second, traded in by that many wallets."""
        start_ms = now_ms // STEP_MS * STEP_MS - WARM_UP_MS
        dice = Dice(seed)
        beginnings = begin(dice, genesis_ms=genesis_for(now_ms), now_ms=start_ms, traders=traders)
        world = cls(dice, beginnings, now_ms=start_ms)
        world.advance_to(now_ms)
        return world

    @property
    def point(self) -> Point:
        """The present figures as the histories keep them."""
        return point_of(self.exchange)

    def advance_to(self, now_ms: int) -> None:
        """Live on until a time, in whole seconds; a time in the past changes nothing."""
        until = now_ms // STEP_MS * STEP_MS
        step = max(STEP_MS, -(-(until - self.now_ms) // (MOST_STEPS * STEP_MS)) * STEP_MS)
        while self.now_ms < until:
            self._step(min(step, until - self.now_ms))

    def _step(self, step_ms: int) -> None:
        before = self.now_ms
        self.now_ms += step_ms
        self.revision += 1
        self._move_prices(before, step_ms)
        self._bust_crossed()
        self._close_due()
        self._open_new(step_ms / 1000)
        self._others(step_ms)
        if self.now_ms // HOUR_MS > before // HOUR_MS:
            self._keeper_batch()
        if self.history.due(self.now_ms):
            self.exchange.flows.forget(self.now_ms)
            self.history.close_until(self.now_ms, self.point)

    def _move_prices(self, before_ms: int, step_ms: int) -> None:
        mids = list(self.prices.mids)
        self.prices.step(step_ms / 1000)
        for market, candles, old, new in zip(MARKETS, self.candles, mids, self.prices.mids, strict=True):
            coins = market.candle_coins_per_minute * step_ms / MINUTE_MS * 2 * self._dice.random()
            bar = Bar(before_ms, self.now_ms, old, max(old, new), min(old, new), new, coins, step_ms // 1000)
            candles.add(bar)
            candles.add(Bar(self.now_ms, self.now_ms, new, new, new, new, 0.0, 0))

    def _bust_crossed(self) -> None:
        for positions, mid in zip(self.exchange.open_positions, self.prices.mids, strict=True):
            for position in positions.crossed(mid):
                self._end(position)

    def _close_due(self) -> None:
        while self._closings and self._closings[0][0] <= self.now_ms:
            _, position_id, market = heappop(self._closings)
            position = self.exchange.open_positions[market].by_id.get(position_id)
            if position is not None:
                self._end(position)

    def _end(self, position: Position) -> None:
        account = self.exchange.owners[position.id]
        self.exchange.end(position, mid=self.prices.mids[position.instrument_id], now_ms=self.now_ms)
        if account.paper_held and account.address in self._crowd.stakers:
            self.exchange.paper.stake_all(account)
        if account.free > 0 and self._dice.chance(WITHDRAW_CHANCE):
            self.exchange.ledger.withdraw(account, account.free * 9 // 10 // MICRO_DOLLAR * MICRO_DOLLAR)

    def _open_new(self, seconds: float) -> None:
        for _ in range(min(self._dice.poisson(self._opens_per_second * seconds), MOST_OPENS_PER_STEP)):
            trader = self._crowd.pick()
            order = self._crowd.order(trader, self.exchange.open_positions)
            self._fund(trader.account, order.margin)
            try:
                position = self.exchange.open(
                    trader.account,
                    market=order.market,
                    side=order.side,
                    leverage=order.leverage,
                    margin=order.margin,
                    mid=self.prices.mids[order.market],
                    now_ms=self.now_ms,
                )
            except OrderRefusedError:
                continue
            self._plan_close(position, hold_seconds=order.hold_seconds)

    def _fund(self, account: Account, margin: int) -> None:
        missing = margin - account.free
        if missing > 0:
            self.exchange.ledger.deposit(
                account,
                int(missing * self._dice.uniform(1.0, 1.2)) // MICRO_DOLLAR * MICRO_DOLLAR + MICRO_DOLLAR,
            )

    def _others(self, step_ms: int) -> None:
        """Newcomers join, and some stakers claim what they earned or take their stake back."""
        share_of_day = self._founders * step_ms / DAY_MS
        for _ in range(self._dice.poisson(JOINS_PER_TRADER_DAY * share_of_day)):
            trader = draw_newcomer(self._dice)
            self.exchange.ledger.enrol(trader.account)
            self._crowd.join(trader, weight=self._dice.random() / self._founders)
        for _ in range(self._dice.poisson(CLAIMS_PER_TRADER_DAY * share_of_day)):
            account = self._crowd.pick().account
            self.exchange.paper.claim(account)
            if self._dice.chance(UNSTAKE_SHARE):
                self.exchange.paper.unstake_all(account)

    def _keeper_batch(self) -> None:
        self.exchange.paper.distribute(self.exchange.house.send_out())

    def _plan_close(self, position: Position, *, hold_seconds: float) -> None:
        at_ms = self.now_ms + int(hold_seconds * 1000) + STEP_MS
        heappush(self._closings, (at_ms, position.id, position.instrument_id))
