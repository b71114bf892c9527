"""What the exchange remembers of its own past: one point per minute, hour and day, each at bucket close."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from papertrade_site.market.vocabulary import Interval

MINUTES_PER_DAY = 1_440
SENT = {Interval.MINUTE: MINUTES_PER_DAY, Interval.HOUR: 168, Interval.DAY: None}
"""Most points that the venue sends per interval, the open bucket included; None for all since genesis."""


class Point(NamedTuple):
    """The figures of one moment: dollars and PAPER at 10^18, ``users`` and ``trades`` plain counts.

    ``btc_long`` to ``eth_short`` are entry notional of open positions; ``tvl``, ``paper_staked``,
    those four and ``lp`` are levels, ``trader_pnl`` a signed sum, all others sums that never fall.
    """

    tvl: int
    staking_rewards: int
    volume_btc: int
    volume_eth: int
    trader_pnl: int
    users: int
    liquidated: int
    trades: int
    paper_supply: int
    paper_staked: int
    staker_fees: int
    btc_long: int
    btc_short: int
    eth_long: int
    eth_short: int
    lp: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive points; the first bucket starts at ``start_ms``, the last one is still open."""

    start_ms: int
    width_ms: int
    points: list[Point]


class _Series:
    """Closed buckets of one width; ``open_ms`` is the start of the bucket that is still open."""

    def __init__(self, interval: Interval) -> None:
        self.width_ms = interval.width_ms
        self.sent = SENT[interval]
        kept = MINUTES_PER_DAY + 1 if interval is Interval.MINUTE else self.sent
        self.closed: deque[Point] = deque(maxlen=kept)
        self.open_ms = 0

    def close_until(self, now_ms: int, point: Point) -> None:
        while self.open_ms + self.width_ms <= now_ms:
            self.closed.append(point)
            self.open_ms += self.width_ms


class History:
    """The exchange's histories at all widths."""

    def __init__(self) -> None:
        self._series = {interval: _Series(interval) for interval in Interval}

    def load(self, interval: Interval, *, open_ms: int, closed: Iterable[Point]) -> None:
        """Start a width from its closed buckets, the last of which ends at ``open_ms``."""
        series = self._series[interval]
        series.open_ms = open_ms
        series.closed.extend(closed)

    def due(self, now_ms: int) -> bool:
        """Whether a bucket ends at or before a time and has not been closed."""
        series = self._series[Interval.MINUTE]
        return series.open_ms + series.width_ms <= now_ms

    def close_until(self, now_ms: int, point: Point) -> None:
        """Close every bucket that ends at or before a time with the figures of that moment."""
        for series in self._series.values():
            series.close_until(now_ms, point)

    def stretch(self, interval: Interval, *, current: Point) -> Stretch:
        """The points that the venue sends, oldest first; ``current`` fills the open bucket."""
        series = self._series[interval]
        closed = len(series.closed)
        sent = closed if series.sent is None else min(closed, series.sent - 1)
        points = [*islice(series.closed, closed - sent, None), current]
        return Stretch(series.open_ms - sent * series.width_ms, series.width_ms, points)

    def a_day_ago(self) -> Point:
        """The figures 24 hours before the last minute ended."""
        return self._series[Interval.MINUTE].closed[0]
