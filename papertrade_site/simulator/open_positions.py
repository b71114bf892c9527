"""The open positions of one market, ordered so that those a price has crossed are found at once."""

from __future__ import annotations

from dataclasses import replace
from heapq import heapify, heappop, heappush

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Instrument, Side, usd_to_coins
from papertrade_site.market.position import Position
from papertrade_site.simulator.markets import MarketTraits

HEAP_SLACK = 1_000


class _OneSide:
    """One side: a heap of bust prices, nearest to the mark first, and the sums over open positions."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.notional = 0
        self.coins = 0
        self.count = 0
        self.heap: list[tuple[int, str]] = []

    def push(self, position: Position) -> None:
        near_first = -position.bust if self.side is Side.LONG else position.bust
        heappush(self.heap, (near_first, position.id))


class OpenPositions:
    """A market's open positions; per side the entry notional (dollars) and open interest (coins) at 10^18."""

    def __init__(self, traits: MarketTraits) -> None:
        self.traits = traits
        self.by_id: dict[str, Position] = {}
        """Every open position by its number, in the order of opening."""
        self._sides = {side: _OneSide(side) for side in Side}

    @property
    def instrument(self) -> Instrument:
        """The market with its present open interest."""
        return replace(
            self.traits.instrument,
            long_oi=self._sides[Side.LONG].coins,
            short_oi=self._sides[Side.SHORT].coins,
        )

    def entry_notional(self, side: Side) -> int:
        """Dollars at 10^18 open on a side, each position at its entry."""
        return self._sides[side].notional

    def long_share(self) -> float:
        """Longs as a share of all entry notional; the market's usual share when nothing is open."""
        longs, shorts = self._sides[Side.LONG].notional, self._sides[Side.SHORT].notional
        return longs / (longs + shorts) if longs + shorts else self.traits.long_share

    def add(self, position: Position) -> None:
        """Take in a position that has opened."""
        self.by_id[position.id] = position
        side = self._sides[position.side]
        side.push(position)
        self._count(position, sign=1)
        if len(side.heap) > 2 * side.count + HEAP_SLACK:
            self._rebuild(side)

    def remove(self, position: Position) -> None:
        """Drop a position that has ended; its place in the heap is passed over later."""
        del self.by_id[position.id]
        self._count(position, sign=-1)

    def crossed(self, mid: int) -> list[Position]:
        """The open positions whose bust price a mid has reached, which the caller must remove."""
        return [position for side in self._sides.values() for position in self._pop_crossed(side, mid)]

    def _pop_crossed(self, side: _OneSide, mid: int) -> list[Position]:
        found = []
        while side.heap:
            position = self.by_id.get(side.heap[0][1])
            if position is not None:
                if not is_crossed(side.side, mark=mid, bust=position.bust):
                    break
                found.append(position)
            heappop(side.heap)
        return found

    def _count(self, position: Position, *, sign: int) -> None:
        side = self._sides[position.side]
        side.notional += sign * position.notional
        side.coins += sign * usd_to_coins(
            position.notional, price=position.entry, price_scale=self.traits.instrument.price_scale
        )
        side.count += sign

    def _rebuild(self, side: _OneSide) -> None:
        side.heap = [entry for entry in side.heap if entry[1] in self.by_id]
        heapify(side.heap)
