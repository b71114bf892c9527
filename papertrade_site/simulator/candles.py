"""Candles of one market at three base widths, and every wider interval put together from them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS

RETENTION = {MINUTE_MS: 1_500, HOUR_MS: 31 * 24, DAY_MS: 440}
"""Candles kept per base width: a day of minutes, a month of hours, a year of days, each with some slack."""

INTERVALS = {
    "1m": MINUTE_MS,
    "3m": 3 * MINUTE_MS,
    "5m": 5 * MINUTE_MS,
    "15m": 15 * MINUTE_MS,
    "30m": 30 * MINUTE_MS,
    "1h": HOUR_MS,
    "2h": 2 * HOUR_MS,
    "4h": 4 * HOUR_MS,
    "8h": 8 * HOUR_MS,
    "12h": 12 * HOUR_MS,
    "1d": DAY_MS,
    "3d": 3 * DAY_MS,
    "1w": WEEK_MS,
    "1M": 31 * DAY_MS,
}
"""Interval names and their widths; a month is labelled by the calendar instead."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Raw prices over a span of time, with the coins and the number of trades of the outside venue."""

    start_ms: int
    end_ms: int
    open: int
    high: int
    low: int
    close: int
    coins: float
    trades: int


@dataclass(slots=True)
class Candle:
    """A bar that still grows; ``start_ms`` is its label and ``end_ms`` its last millisecond."""

    start_ms: int
    end_ms: int
    open: int
    high: int
    low: int
    close: int
    coins: float
    trades: int

    def absorb(self, other: Bar | Candle) -> None:
        """Take a later piece of the same span into this candle."""
        self.high = max(self.high, other.high)
        self.low = min(self.low, other.low)
        self.close = other.close
        self.coins += other.coins
        self.trades += other.trades


class Candles:
    """All candles of one market."""

    def __init__(self) -> None:
        self._series: dict[int, deque[Candle]] = {
            width: deque(maxlen=kept) for width, kept in RETENTION.items()
        }

    def add(self, bar: Bar, *, finest_ms: int = MINUTE_MS) -> None:
        """Add the next piece of the price's path to every base width from ``finest_ms`` up.

        A piece belongs to the candle in which it starts; candles it skips are filled with its open.
        """
        for width, series in self._series.items():
            if width >= finest_ms:
                _extend(series, bar, width=width)

    def select(self, interval: str, *, start_ms: int, end_ms: int) -> list[Candle]:
        """Candles of an interval named in ``INTERVALS`` that start in the span, oldest first."""
        width = INTERVALS[interval]
        base = max(base for base in RETENTION if base <= width)
        found: list[Candle] = []
        for candle in self._series[base]:
            label, last = _label(candle.start_ms, interval=interval)
            if not start_ms <= label <= end_ms:
                continue
            if found and found[-1].start_ms == label:
                found[-1].absorb(candle)
            else:
                found.append(_copy(candle, start_ms=label, end_ms=last))
        return found

    def close_before(self, at_ms: int) -> int:
        """The raw price at a past time, to the hour; the oldest one known when it is further back."""
        hours = self._series[HOUR_MS]
        earlier = [candle.close for candle in hours if candle.end_ms < at_ms]
        return earlier[-1] if earlier else hours[0].open

    def coins_since(self, at_ms: int) -> float:
        """Coins that the outside venue traded in the hours that start from ``at_ms`` on."""
        return sum(candle.coins for candle in self._series[HOUR_MS] if candle.start_ms >= at_ms)


def _extend(series: deque[Candle], bar: Bar, *, width: int) -> None:
    label = bar.start_ms // width * width
    if series and series[-1].start_ms >= label:
        series[-1].absorb(bar)
        return
    for skipped in _skipped(series, label=label, width=width):
        price = bar.open
        series.append(Candle(skipped, skipped + width - 1, price, price, price, price, 0.0, 0))
    series.append(_copy(bar, start_ms=label, end_ms=label + width - 1))


def _skipped(series: deque[Candle], *, label: int, width: int) -> Iterator[int]:
    if series:
        kept = series.maxlen or 0
        first = max(series[-1].start_ms + width, label - kept * width)
        yield from range(first, label, width)


def _copy(source: Bar | Candle, *, start_ms: int, end_ms: int) -> Candle:
    return Candle(
        start_ms, end_ms, source.open, source.high, source.low, source.close, source.coins, source.trades
    )


def _label(at_ms: int, *, interval: str) -> tuple[int, int]:
    """The first and the last millisecond of the interval that holds a time."""
    if interval != "1M":
        width = INTERVALS[interval]
        first = at_ms // width * width
        return first, first + width - 1
    month = datetime.fromtimestamp(at_ms / 1000, UTC).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    following = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
    return int(month.timestamp()) * 1000, int(following.timestamp()) * 1000 - 1
