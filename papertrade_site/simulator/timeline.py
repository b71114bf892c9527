"""Draws the exchange's past figures, one path per figure, each ending exactly at its present value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from math import exp, pi, sin, sqrt

from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS, Interval
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.history import MINUTES_PER_DAY
from papertrade_site.simulator.markets import TRADING_STARTS_AFTER_MS

HOURS_BACK = 168
DAY_SPREAD = 0.25
PIECE_SPREAD = 0.15
EVENING_SWING = 0.25


class Timeline:
    """The moments at which any history bucket ends, from genesis to ``now_ms``, which is the last one.

    Every figure is one path over these moments, so the three widths of history agree where they meet.
    """

    def __init__(self, dice: Dice, *, genesis_ms: int, now_ms: int) -> None:
        self._dice = dice
        self.genesis_ms = genesis_ms
        self.now_ms = now_ms
        self._trading_ms = genesis_ms + TRADING_STARTS_AFTER_MS
        self._first_day_ms = genesis_ms // DAY_MS * DAY_MS
        self.moments = self._moments()
        self._pieces = [end - start for start, end in pairwise([genesis_ms, *self.moments])]
        """The length of time before each moment."""
        self._ages = [at - genesis_ms for at in self.moments]
        """The time since genesis of each moment."""
        self._activity = self._draw_activity()
        self._activity_path = _scaled(self._activity, WAD)

    def closes(self, interval: Interval) -> list[int]:
        """Indexes into ``moments`` of the bucket ends of a width, as far back as they are known."""
        width = interval.width_ms
        first = self._first_close(interval)
        return [i for i, at in enumerate(self.moments) if at % width == 0 and at >= first]

    def activity_since(self, ms: int) -> float:
        """The share of all trading ever that happened after a time."""
        return 1.0 - self.activity_until(ms)

    def activity_until(self, ms: int) -> float:
        """The share of all trading ever that had happened by a time."""
        return self.value_at(self._activity_path, ms) / WAD

    def value_at(self, path: Sequence[int], ms: int) -> int:
        """What a path over the moments stood at: 0 before the first one, in between in a straight line."""
        after = bisect_right(self.moments, ms)
        if after == 0:
            return 0
        if after == len(path):
            return path[-1]
        start, end = self.moments[after - 1], self.moments[after]
        return path[after - 1] + (path[after] - path[after - 1]) * (ms - start) // (end - start)

    def trading_sum(self, total: int, *, early: float = 0.0, wobble: float = 0.0) -> list[int]:
        """A sum that grows with trading up to ``total``.

        ``early`` is how much faster it grew in the first days (0 for as fast as trading); ``wobble``
        lets it fall in between: the spread of an hour's growth, as a multiple of it.
        """
        weights = [
            activity * (1 + early * exp(-age / (3 * DAY_MS)))
            for activity, age in zip(self._activity, self._ages, strict=True)
        ]
        if wobble:
            weights = [
                weight * (1 + wobble * self._dice.gauss(0.0, 1.0) / sqrt(piece / HOUR_MS))
                for weight, piece in zip(weights, self._pieces, strict=True)
            ]
        return _scaled(weights, total)

    def joining_sum(self, total: int) -> list[int]:
        """A count that starts at genesis and grows ever more slowly."""
        weights = [
            piece * exp(-age / (25 * DAY_MS)) * self._dice.heavy_tailed(1.0, spread=PIECE_SPREAD)
            for piece, age in zip(self._pieces, self._ages, strict=True)
        ]
        return _scaled(weights, total)

    def level(
        self,
        current: int,
        *,
        spread: float,
        hours: float,
        from_genesis: bool = False,
        most: int | None = None,
    ) -> list[int]:
        """A figure that rises from 0 in the first days and then wanders around ``current``.

        ``spread`` is how far it wanders as a share; ``hours`` how long a deviation lasts.
        """
        start = self.genesis_ms if from_genesis else self._trading_ms
        deviations = self._deviations(spread=spread, hours=hours)
        values = [
            int(current * _ramp(at - start) * exp(deviation))
            for at, deviation in zip(self.moments, deviations, strict=True)
        ]
        values[-1] = current
        return values if most is None else [min(value, most) for value in values]

    def _deviations(self, *, spread: float, hours: float) -> list[float]:
        """A wandering path that ends at 0, drawn backwards."""
        value = 0.0
        path = [value]
        for piece in reversed(self._pieces[1:]):
            kept = exp(-piece / (hours * HOUR_MS))
            value = value * kept + spread * sqrt(1 - kept * kept) * self._dice.gauss(0.0, 1.0)
            path.append(value)
        return path[::-1]

    def _moments(self) -> list[int]:
        moments = {self.now_ms}
        for interval in Interval:
            first, width = self._first_close(interval), interval.width_ms
            moments.update(range(first, self.now_ms + 1, width))
        return sorted(moments)

    def _first_close(self, interval: Interval) -> int:
        if interval is Interval.DAY:
            return self._first_day_ms + DAY_MS
        if interval is Interval.HOUR:
            return (self.now_ms // HOUR_MS - HOURS_BACK) * HOUR_MS
        return (self.now_ms // MINUTE_MS - MINUTES_PER_DAY) * MINUTE_MS

    def _draw_activity(self) -> list[float]:
        """How much was traded in the time before each moment, in no particular unit."""
        of_day = cache(lambda _day: self._dice.heavy_tailed(1.0, spread=DAY_SPREAD))
        weights = []
        for at, piece in zip(self.moments, self._pieces, strict=True):
            open_for = min(max(at - self._trading_ms, 0), piece)
            middle = at - piece // 2
            swing = 1 + EVENING_SWING * sin(2 * pi * (middle % DAY_MS) / DAY_MS) * (piece < DAY_MS)
            noise = self._dice.heavy_tailed(1.0, spread=PIECE_SPREAD)
            weights.append(open_for * of_day(middle // DAY_MS) * swing * noise)
        return weights


def _ramp(age_ms: int) -> float:
    """0 before the start, rising to 1 within a few days."""
    return 1 - exp(-age_ms / DAY_MS) if age_ms > 0 else 0.0


def _scaled(weights: Sequence[float], total: int) -> list[int]:
    """The running sum of the weights, stretched so that it ends exactly at ``total``."""
    sums = list(accumulate(weights))
    values = [int(total * (value / sums[-1])) for value in sums]
    values[-1] = total
    return values
