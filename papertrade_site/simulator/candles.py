"""Candles of one market at the widths of the venue's histories."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from papertrade_site.market.vocabulary import MINUTE_MS, Interval

RETENTION = {Interval.MINUTE: 1_500, Interval.HOUR: 31 * 24, Interval.DAY: 440}
"""Candles kept per width: a day of minutes, a month of hours, a year of days, each with some slack."""


class Bar(NamedTuple):
    """Raw prices from ``start_ms`` until just before ``end_ms``: a piece of the path they take, or a candle.

    ``coins`` and ``trades`` are what the outside venue traded in that time.
    """

    start_ms: int
    end_ms: int
    open: int
    high: int
    low: int
    close: int
    coins: float
    trades: int

    def with_piece(self, later: Bar) -> Bar:
        """The same span with a later piece of it taken in."""
        return Bar(
            self.start_ms,
            self.end_ms,
            self.open,
            max(self.high, later.high),
            min(self.low, later.low),
            later.close,
            self.coins + later.coins,
            self.trades + later.trades,
        )


class Candles:
    """All candles of one market."""

    def __init__(self) -> None:
        self._series: dict[int, deque[Bar]] = {
            interval.width_ms: deque(maxlen=kept) for interval, kept in RETENTION.items()
        }

    def add(self, piece: Bar, *, finest_ms: int = MINUTE_MS) -> None:
        """Add the next piece of the price's path to every width from ``finest_ms`` up.

        A piece belongs to the candle in which it starts; candles it skips are filled with its open.
        """
        for width_ms, series in self._series.items():
            if width_ms >= finest_ms:
                _extend(series, piece, width_ms=width_ms)

    def select(self, interval: Interval, *, start_ms: int, end_ms: int) -> list[Bar]:
        """The candles of an interval that start in the span, both ends included, oldest first."""
        series = self._series[interval.width_ms]
        return [candle for candle in series if start_ms <= candle.start_ms <= end_ms]


def _extend(series: deque[Bar], piece: Bar, *, width_ms: int) -> None:
    start = piece.start_ms // width_ms * width_ms
    if series and series[-1].start_ms >= start:
        series[-1] = series[-1].with_piece(piece)
        return
    for skipped in _skipped(series, start_ms=start, width_ms=width_ms):
        price = piece.open
        series.append(Bar(skipped, skipped + width_ms, price, price, price, price, 0.0, 0))
    series.append(piece._replace(start_ms=start, end_ms=start + width_ms))


def _skipped(series: deque[Bar], *, start_ms: int, width_ms: int) -> Iterator[int]:
    if series:
        kept = series.maxlen or 0
        first = max(series[-1].start_ms + width_ms, start_ms - kept * width_ms)
        yield from range(first, start_ms, width_ms)
