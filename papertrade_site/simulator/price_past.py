"""The path that prices took before the embedded exchange came to life, ending at its first mids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import exp, log, sqrt

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS
from papertrade_site.simulator.candles import Bar, Candles
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MarketTraits
from papertrade_site.simulator.prices import DAY_SECONDS, PULL_PER_DAY, Shocks

DAYS_BEFORE_GENESIS = 30
HOURS_FROM_DAYS = 30
MINUTES_FROM_HOURS = 24
WICK = 0.35
"""How far a bar's high and low reach past its open and close, as a share of its expected move."""


class PastPrices:
    """One market's past as bars: days, then hours of the last month, then minutes of the last day."""

    def __init__(self, bars: Sequence[Bar]) -> None:
        self.bars = bars
        """Oldest first, without gaps; the last one may be a part of a minute."""
        self._highest_after = list(accumulate((bar.high for bar in reversed(bars)), max))[::-1]
        self._lowest_after = list(accumulate((bar.low for bar in reversed(bars)), min))[::-1]

    def highest_from(self, index: int) -> int:
        """The highest raw price since the start of a bar."""
        return self._highest_after[index]

    def lowest_from(self, index: int) -> int:
        """The lowest raw price since the start of a bar."""
        return self._lowest_after[index]

    def candles(self) -> Candles:
        """The same path as candles."""
        candles = Candles()
        for bar in self.bars:
            candles.add(bar, finest_ms=bar.end_ms - bar.start_ms)
        return candles


def draw_past(
    dice: Dice, markets: Sequence[MarketTraits], *, shocks: Shocks, genesis_ms: int, now_ms: int
) -> tuple[PastPrices, ...]:
    """Draw the past of every market from a month before ``genesis_ms`` to ``now_ms``."""
    times = list(_bar_edges(genesis_ms, now_ms))
    paths: list[list[float]] = [[0.0] for _ in markets]
    for start, end in pairwise(times):
        seconds = (end - start) / 1000
        pull = 1 - exp(-PULL_PER_DAY * seconds / DAY_SECONDS)
        for path, shock in zip(paths, shocks.draw(seconds), strict=True):
            path.append(path[-1] * (1 - pull) + shock)
    return tuple(
        PastPrices(_bars(dice, market, times=times, path=path))
        for market, path in zip(markets, paths, strict=True)
    )


def _bar_edges(genesis_ms: int, now_ms: int) -> Iterator[int]:
    minutes_from = now_ms // HOUR_MS * HOUR_MS - MINUTES_FROM_HOURS * HOUR_MS
    hours_from = minutes_from // DAY_MS * DAY_MS - HOURS_FROM_DAYS * DAY_MS
    days_from = min(genesis_ms // DAY_MS - DAYS_BEFORE_GENESIS, hours_from // DAY_MS - 1) * DAY_MS
    yield from range(days_from, hours_from, DAY_MS)
    yield from range(hours_from, minutes_from, HOUR_MS)
    yield from range(minutes_from, now_ms, MINUTE_MS)
    yield now_ms


def _bars(dice: Dice, market: MarketTraits, *, times: Sequence[int], path: Sequence[float]) -> list[Bar]:
    """Shift a path of log prices so that it ends near the market's anchor, and give every bar its wicks."""
    end = log(market.anchor_usd) + dice.uniform(-market.start_spread, market.start_spread)
    shift = end - path[-1]
    scale = market.instrument.price_scale
    closes = [round(exp(level + shift) * scale) for level in path]
    bars = []
    for index in range(1, len(times)):
        opening, close = closes[index - 1], closes[index]
        minutes = (times[index] - times[index - 1]) / MINUTE_MS
        reach = WICK * market.daily_volatility * sqrt(minutes / 1440) * opening
        bars.append(
            Bar(
                start_ms=times[index - 1],
                end_ms=times[index],
                open=opening,
                high=max(opening, close) + int(abs(dice.gauss(0.0, reach))),
                low=min(opening, close) - int(abs(dice.gauss(0.0, reach))),
                close=close,
                coins=minutes * dice.heavy_tailed(market.candle_coins_per_minute, spread=0.3),
                trades=int(minutes * dice.uniform(20, 80)) + 1,
            )
        )
    return bars
