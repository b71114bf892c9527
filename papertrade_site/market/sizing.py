"""How positions are sized: bands of equal kind with their counts, medians, and shares of a whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Band:
    """How many values lie from ``low`` up to ``high``, where the next band begins; None for no end."""

    low: int
    high: int | None
    count: int


def banded(values: Sequence[int], lows: Sequence[int], *, top: int | None = None) -> tuple[Band, ...]:
    """Count values by bands that begin at ever higher ``lows``; the last one ends with ``top`` itself.

    Raises:
        ValueError: when a value lies in no band.
    """
    counts = [0] * len(lows)
    for value in values:
        if value < lows[0] or (top is not None and value > top):
            raise ValueError(f"{value} lies in no band")
        counts[bisect_right(lows, value) - 1] += 1
    return tuple(
        Band(low, high, count) for low, high, count in zip(lows, (*lows[1:], top), counts, strict=True)
    )


def median(values: Sequence[int]) -> Fraction | None:
    """The middle value, or the mean of the two middle ones when there is an even number; None of none."""
    if not values:
        return None
    ordered = sorted(values)
    upper = len(ordered) // 2
    lower = upper if len(ordered) % 2 else upper - 1
    return Fraction(ordered[lower] + ordered[upper], 2)


def share(part: int, whole: int) -> Fraction | None:
    """A part as a share of the whole; None when the whole is 0."""
    return Fraction(part, whole) if whole else None
