"""Who trades, how often, how big and at what leverage: the habits of the crowd."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, log, sqrt

from papertrade_site.market.instrument import Side
from papertrade_site.market.scale import WAD
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MINIMUM_MARGIN, MINIMUM_NOTIONAL, MarketTraits
from papertrade_site.simulator.open_positions import OpenPositions

MICRO_DOLLAR = WAD // 10**6
"""The smallest amount that is ever paid in: a millionth of a dollar."""

CENT = WAD // 100
LEVERAGES = (1, 2, 5, 10, 20, 25, 50, 75, 100, 150, 200, 250, 500, 750, 1_000)
LEVERAGE_WEIGHTS = (0.1, 0.1, 0.15, 1.5, 1.5, 4, 14, 5, 28, 6, 15, 12, 8, 1, 4)
ODD_LEVERAGE_SHARE = 0.06
"""How often a trader picks a leverage between the usual ones."""

HOLD_AT_10X_SECONDS = 1.9 * 3_600.0
HOLD_EXPONENT = 0.3
FULL_SIZE_FROM_LEVERAGE = 50
"""Below this leverage margin is what limits traders, so their orders are smaller."""

ORDER_SPREAD = 0.8
LARGEST_ORDER_USD = 10_000_000.0
ROUND_MARGIN_FROM = 200 * WAD
ROUND_MARGIN_TO = 100 * WAD
ROUND_MARGIN_CHANCE = 0.7
LEAN_AGAINST_SKEW = 2.0


@dataclass(frozen=True, slots=True)
class Trader:
    """A wallet that trades; ``size_usd`` is the notional of its usual order, at low leverage less."""

    account: Account
    size_usd: float
    stakes: bool


@dataclass(frozen=True, slots=True)
class Order:
    """What a trader wants to open, margin in dollars at 10^18, and how long it means to stay."""

    market: int
    side: Side
    leverage: int
    margin: int
    hold_seconds: float


class Crowd:
    """All traders, each picked as often as it is active."""

    def __init__(self, dice: Dice, traders: Sequence[Trader], *, weights: Sequence[float]) -> None:
        self._dice = dice
        self.traders = list(traders)
        self._bounds = list(accumulate(weights))
        self.stakers = {trader.account.address for trader in traders if trader.stakes}
        """Addresses of wallets that stake their PAPER as soon as it is minted."""

    def pick(self) -> Trader:
        """A trader, the active ones more often."""
        return self.traders[bisect_right(self._bounds, self._dice.random() * self._bounds[-1])]

    def join(self, trader: Trader, *, weight: float) -> None:
        """Add a newcomer."""
        self.traders.append(trader)
        self._bounds.append(self._bounds[-1] + weight)
        if trader.stakes:
            self.stakers.add(trader.account.address)

    def order(self, trader: Trader, markets: Sequence[OpenPositions], *, standing: bool = False) -> Order:
        """What a trader opens next.

        With ``standing``, an order as found open at a random moment: those that stay long are likelier.
        """
        dice = self._dice
        shares = [each.traits.open_share * (each.traits.hold_factor if standing else 1.0) for each in markets]
        market = dice.choices(range(len(markets)), shares)[0]
        traits = markets[market].traits
        leverage = self._leverage(standing=standing)
        return Order(
            market=market,
            side=self.side(markets[market]),
            leverage=leverage,
            margin=self._margin(trader.size_usd * traits.size_factor, leverage),
            hold_seconds=dice.expovariate(1 / mean_hold_seconds(leverage, traits)),
        )

    def side(self, market: OpenPositions) -> Side:
        """Which way an order goes: as the market's usually do, or against positions that are more skewed."""
        usual = market.traits.long_share
        lean = LEAN_AGAINST_SKEW * (usual - market.long_share())
        return Side.LONG if self._dice.chance(usual + lean) else Side.SHORT

    def _leverage(self, *, standing: bool) -> int:
        leverage = self._dice.choices(LEVERAGES, _STANDING_WEIGHTS if standing else LEVERAGE_WEIGHTS)[0]
        if self._dice.chance(ODD_LEVERAGE_SHARE):
            return self._dice.randint(leverage // 2 + 1, leverage)
        return leverage

    def _margin(self, size_usd: float, leverage: int) -> int:
        usual = size_usd * sqrt(min(leverage / FULL_SIZE_FROM_LEVERAGE, 1.0))
        notional = min(self._dice.heavy_tailed(usual, spread=ORDER_SPREAD), LARGEST_ORDER_USD)
        margin = int(notional / leverage * 100) * CENT
        if margin > ROUND_MARGIN_FROM and self._dice.chance(ROUND_MARGIN_CHANCE):
            margin -= margin % ROUND_MARGIN_TO
        smallest = -(-MINIMUM_NOTIONAL // (leverage * CENT)) * CENT
        return max(margin, smallest, MINIMUM_MARGIN)


def mean_hold_seconds(leverage: int, market: MarketTraits) -> float:
    """How long positions of a leverage are meant to stay open on average; many bust before."""
    return _hold_seconds(leverage) * market.hold_factor


def _hold_seconds(leverage: int) -> float:
    return HOLD_AT_10X_SECONDS * exp(HOLD_EXPONENT * log(10 / leverage))


_STANDING_WEIGHTS = tuple(
    weight * _hold_seconds(leverage) for leverage, weight in zip(LEVERAGES, LEVERAGE_WEIGHTS, strict=True)
)


def mean_standing(opens_per_second: float, markets: Sequence[MarketTraits]) -> float:
    """How many orders would be open at a random moment if none of them busted."""
    mean_hold = sum(_STANDING_WEIGHTS) / sum(LEVERAGE_WEIGHTS)
    stretch = sum(market.open_share * market.hold_factor for market in markets)
    return opens_per_second * mean_hold * stretch
