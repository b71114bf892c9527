"""The mid price of every market: correlated returns with volatility that clusters, and jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MarketTraits

DAY_SECONDS = 86_400.0
CORRELATION = 0.8
DIFFUSIVE_SHARE = 0.94
"""The part of a day's volatility that comes without jumps."""

JUMPS_PER_DAY = 4.0
JUMP_SIZE = 0.0034
MOOD_SPREAD = 0.35
MOOD_SECONDS = 6 * 3_600.0
"""How long a calm or a wild spell lasts."""

PULL_PER_DAY = log(2) / 10
"""The share of the distance to the anchor that a price loses in a day (half of it in ten)."""

TICKS_BESIDE_MID = (0, 0, 0, 0, 1, 1, 2)
"""How far the best bid lies below the mid, each as likely as it is listed."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Best bid and best ask as raw prices; their midpoint, truncated to the tick, is the mark."""

    bid: int
    ask: int


class Shocks:
    """Draws joint log returns of all markets over any span of time."""

    def __init__(self, dice: Dice, markets: Sequence[MarketTraits]) -> None:
        self._dice = dice
        self._markets = markets
        self._mood = 0.0

    def draw(self, seconds: float) -> tuple[float, ...]:
        """One log return per market over ``seconds``, above 0."""
        gauss = self._dice.gauss
        kept = exp(-seconds / MOOD_SECONDS)
        self._mood = self._mood * kept + MOOD_SPREAD * sqrt(1 - kept * kept) * gauss(0.0, 1.0)
        scale = DIFFUSIVE_SHARE * exp(self._mood - MOOD_SPREAD**2) * sqrt(seconds / DAY_SECONDS)
        common = sqrt(CORRELATION) * gauss(0.0, 1.0)
        own = sqrt(1 - CORRELATION)
        jump = self._jump(seconds)
        return tuple(
            market.daily_volatility * scale * (common + own * gauss(0.0, 1.0)) + market.jump_factor * jump
            for market in self._markets
        )

    def _jump(self, seconds: float) -> float:
        count = self._dice.poisson(JUMPS_PER_DAY * seconds / DAY_SECONDS)
        return JUMP_SIZE * sqrt(count) * self._dice.gauss(0.0, 1.0) if count else 0.0


class Prices:
    """The current mid and quote of every market, moved forward step by step."""

    def __init__(
        self, dice: Dice, markets: Sequence[MarketTraits], *, shocks: Shocks, mids: Sequence[int]
    ) -> None:
        self._dice = dice
        self._markets = markets
        self._shocks = shocks
        self._logs = [
            log(mid / market.instrument.price_scale) for mid, market in zip(mids, markets, strict=True)
        ]
        self._anchors = [log(market.anchor_usd) for market in markets]
        self.mids = list(mids)
        """Raw mid per market, by instrument id."""
        self.quotes = [self._quote(mid) for mid in mids]
        """Best bid and ask per market, by instrument id."""

    def step(self, seconds: float) -> None:
        """Move every market by ``seconds``, above 0."""
        pull = 1 - exp(-PULL_PER_DAY * seconds / DAY_SECONDS)
        for index, shock in enumerate(self._shocks.draw(seconds)):
            market = self._markets[index]
            self._logs[index] += shock + pull * (self._anchors[index] - self._logs[index])
            self.mids[index] = max(round(exp(self._logs[index]) * market.instrument.price_scale), 1)
            self.quotes[index] = self._quote(self.mids[index])

    def _quote(self, mid: int) -> Quote:
        beside = TICKS_BESIDE_MID[int(self._dice.random() * len(TICKS_BESIDE_MID))]
        odd = 1 if beside == 0 or self._dice.random() < 0.5 else 0
        return Quote(bid=mid - beside, ask=mid + beside + odd)
