"""Where values stand on a picture: in pixels from the top, or in percent of whatever width there is.

A picture has no width of its own: in a page it is as wide as its column and its text stays as large as the
page's, as a file it is ``FILE_WIDTH`` wide. So everything that runs across is placed in percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, log10
from typing import Final

FILE_WIDTH: Final = 600
"""Width of the view box of a picture that is a file, in pixels."""

PLACES: Final = 2
"""Decimals of a place: a hundredth of a percent or of a pixel."""

LEAST: Final = 1e-9
"""Figures are rounded to millionths, so those that differ by less are the same."""

STEPS: Final = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Axis:
    """A line from the value ``low`` at the place ``start`` to the value ``high`` at the place ``end``."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Where a value stands: one off the line at its nearer end, any on a point at its start."""
        if self.high == self.low:
            return self.start
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return round(self.start + share * (self.end - self.start), PLACES)

    def holds(self, value: float) -> bool:
        """Whether a value is on the line."""
        return self.low <= value <= self.high


def ticks(low: float, high: float, *, most: int) -> list[float]:
    """Round values from ``low`` to ``high``, evenly spaced, at most so many (at least 2)."""
    if high - low < LEAST:
        return []
    rough = (high - low) / (most - 1)
    unit = 10.0 ** floor(log10(rough))
    step = next(times * unit for times in STEPS if times * unit >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    exact = Decimal(repr(step))
    return [float(exact * place) for place in range(first, last + 1)]


def spread(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Places moved apart until each is ``gap`` from the next, within these bounds while there is room.

    They come in rising order and stay in it.
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap if moved else low))
    ceiling = high
    for index in reversed(range(len(moved))):
        moved[index] = round(min(moved[index], ceiling), PLACES)
        ceiling = moved[index] - gap
    return moved
