"""The trades of the exchange: the newest legs, and the best results of single positions."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappush, heappushpop, nlargest

from papertrade_site.market.position import Position
from papertrade_site.market.vocabulary import HOUR_MS, TradeKind

NEWEST_KEPT = 50
BEST_KEPT = 50
HOURS_KEPT = 30 * 24 + 1


@dataclass(frozen=True, slots=True)
class Trade:
    """One leg; ``price`` is raw, ``net`` dollars at 10^18 and None for an open."""

    sequence: int
    at_ms: int
    kind: TradeKind
    position: Position
    price: int
    net: int | None


@dataclass(frozen=True, slots=True, order=True)
class Result:
    """What one position ended with, ordered by that; dollars at 10^18, raw exit price."""

    net: int
    closed_at_ms: int
    position_id: str
    exit_price: int
    position: Position


class Tape:
    """The newest trades, oldest first; ``sequence`` strictly rises and starts with the block number."""

    def __init__(self) -> None:
        self.trades: deque[Trade] = deque(maxlen=NEWEST_KEPT)
        self._last_sequence = 0

    def record(
        self, kind: TradeKind, position: Position, *, price: int, net: int | None, block: int, at_ms: int
    ) -> None:
        """Add the next trade."""
        self._last_sequence = max(self._last_sequence + 1, block * 1_000_000)
        self.trades.append(Trade(self._last_sequence, at_ms, kind, position, price, net))


class BestResults:
    """The best single positions of any window up to 30 days, and of all time.

    Keeps the best ``BEST_KEPT`` of every hour, which is exact but for the hour in which a window
    begins: results of that hour may be missing behind better ones from just before the window.
    """

    def __init__(self) -> None:
        self._all: list[Result] = []
        self._hours: dict[int, list[Result]] = {}

    def add(self, result: Result) -> None:
        """Take in a position that has ended; closings may come in any order."""
        _keep_best(self._all, result)
        hour = result.closed_at_ms // HOUR_MS
        _keep_best(self._hours.setdefault(hour, []), result)
        if len(self._hours) > HOURS_KEPT:
            del self._hours[min(self._hours)]

    def best(self, *, since_ms: int | None) -> list[Result]:
        """The best results, highest first, of positions closed from ``since_ms`` on; None for all time."""
        if since_ms is None:
            return sorted(self._all, reverse=True)
        return nlargest(
            BEST_KEPT,
            (
                result
                for hour, results in self._hours.items()
                if (hour + 1) * HOUR_MS > since_ms
                for result in results
                if result.closed_at_ms >= since_ms
            ),
        )


def _keep_best(heap: list[Result], result: Result) -> None:
    if len(heap) < BEST_KEPT:
        heappush(heap, result)
    else:
        heappushpop(heap, result)
