"""Positions from before the exchange came to life, on the path that prices took: open ones, and the best."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from papertrade_site.market.bust import bust_price, is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.settlement import settle_position
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import TRADING_STARTS_AFTER_MS, WIN_FEE_RATE
from papertrade_site.simulator.open_positions import OpenPositions
from papertrade_site.simulator.price_past import PastPrices
from papertrade_site.simulator.tape import BEST_KEPT, Result
from papertrade_site.simulator.timeline import Timeline
from papertrade_site.simulator.traders import Crowd, Order, Trader, mean_hold_seconds

LONGEST_HOLD_OF_BEST_MS = 20 * HOUR_MS
BEST_TRIES_PER_WINDOW = 4 * BEST_KEPT
WINDOWS_DAYS = (1, 7, 30, 365)


class PastPositions:
    """Draws positions that were opened in the past and gives each the number that was next at that time."""

    def __init__(
        self,
        dice: Dice,
        crowd: Crowd,
        *,
        markets: Sequence[OpenPositions],
        past: Sequence[PastPrices],
        timeline: Timeline,
        opened_ever: int,
    ) -> None:
        self._dice = dice
        self._crowd = crowd
        self._markets = markets
        self._past = past
        self._starts = [bar.start_ms for bar in past[0].bars]
        self._timeline = timeline
        self._opened_ever = opened_ever
        self._numbers: set[int] = set()

    @property
    def highest_number(self) -> int:
        """The highest position number given so far, and not less than the number ever opened."""
        return max(self._opened_ever, max(self._numbers, default=0))

    def still_open(self, count: int) -> Iterator[Position]:
        """Draw ``count`` positions and give, oldest first, those that no price since has busted.

        Sides are drawn one by one against what is open, so add each position to its market at once.
        """
        drawn = []
        for _ in range(count):
            trader = self._crowd.pick()
            order = self._crowd.order(trader, self._markets, standing=True)
            mean = mean_hold_seconds(order.leverage, self._markets[order.market].traits)
            opened_ms = self._timeline.now_ms - int(self._dice.expovariate(1 / mean) * 1000)
            drawn.append((opened_ms, trader, order))
        for opened_ms, trader, order in sorted(drawn, key=lambda row: row[0]):
            sided = replace(order, side=self._crowd.side(self._markets[order.market]))
            position = self._survivor(opened_ms, trader=trader, order=sided)
            if position is not None:
                yield position

    def best(self) -> list[Result]:
        """Draw positions of all leaderboard windows that closed with a win."""
        results = []
        for days in WINDOWS_DAYS:
            earliest = max(self._timeline.now_ms - days * DAY_MS, self._trading_ms + HOUR_MS)
            for _ in range(BEST_TRIES_PER_WINDOW):
                closed_ms = self._dice.randrange(earliest, self._timeline.now_ms)
                result = self._win(closed_ms)
                if result is not None:
                    results.append(result)
        return results

    @property
    def _trading_ms(self) -> int:
        return self._timeline.genesis_ms + TRADING_STARTS_AFTER_MS

    def _survivor(self, opened_ms: int, *, trader: Trader, order: Order) -> Position | None:
        if opened_ms < self._trading_ms:
            return None
        past, index = self._past[order.market], self._bar_at(opened_ms)
        worst = past.lowest_from(index) if order.side is Side.LONG else past.highest_from(index)
        return self._position(opened_ms, trader=trader, order=order, worst=worst)

    def _win(self, closed_ms: int) -> Result | None:
        trader = self._crowd.pick()
        order = self._crowd.order(trader, self._markets)
        held_ms = int(self._dice.random() * LONGEST_HOLD_OF_BEST_MS)
        opened_ms = max(closed_ms - held_ms, self._trading_ms)
        bars = self._past[order.market].bars
        last = self._bar_at(closed_ms)
        between = bars[self._bar_at(opened_ms) : last + 1]
        worst = (
            min(bar.low for bar in between) if order.side is Side.LONG else max(bar.high for bar in between)
        )
        position = self._position(opened_ms, trader=trader, order=order, worst=worst)
        if position is None:
            return None
        exit_price = bars[last].open
        settlement = settle_position(
            self._markets[order.market].traits.instrument,
            position,
            mark=exit_price,
            win_fee_rate=WIN_FEE_RATE,
        )
        if settlement.net <= 0:
            return None
        return Result(settlement.net, closed_ms, position.id, exit_price, position)

    def _bar_at(self, at_ms: int) -> int:
        return bisect_right(self._starts, at_ms) - 1

    def _position(self, opened_ms: int, *, trader: Trader, order: Order, worst: int) -> Position | None:
        """What an order opened at the path's price, unless the worst raw price since has busted it."""
        entry = self._past[order.market].bars[self._bar_at(opened_ms)].open
        bust = bust_price(
            entry,
            leverage=order.leverage,
            side=order.side,
            bust_buffer=self._markets[order.market].traits.instrument.bust_buffer,
        )
        if is_crossed(order.side, mark=worst, bust=bust):
            return None
        return Position(
            id=str(self._number(opened_ms)),
            wallet=trader.account.address,
            instrument_id=order.market,
            side=order.side,
            margin=order.margin,
            leverage=order.leverage,
            entry=entry,
            bust=bust,
            opened_at_ms=opened_ms,
        )

    def _number(self, opened_ms: int) -> int:
        number = int(self._opened_ever * self._timeline.activity_until(opened_ms)) + 1
        while number in self._numbers:
            number += 1
        self._numbers.add(number)
        return number
