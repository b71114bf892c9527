"""How far a ratio is known that was measured several times on a machine that others use too.

What stands here assumes that the logarithms of the ratios lie about their middle as much on one side as on
the other, and nothing else: by Hodges and Lehmann, with the signed ranks of Wilcoxon. A single disturbed
measurement moves neither the middle nor the ends far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from statistics import median
from typing import Final

CONFIDENCE: Final = 0.95
FEWEST: Final = 6
"""Measurements from which an interval of this confidence can be told at all."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio, and the ends between which the true one lies with ``CONFIDENCE``."""

    low: float
    middle: float
    high: float

    def __str__(self) -> str:
        return f"x{self.middle:.3f} ({self.low:.3f} to {self.high:.3f})"


def interval(ratios: Sequence[float]) -> Interval:
    """What is known of a ratio after so many measurements of it, each above 0.

    Raises:
        ValueError: when there are fewer than ``FEWEST``.
    """
    if len(ratios) < FEWEST:
        raise ValueError(f"{len(ratios)} measurements are too few for an interval; it takes {FEWEST}.")
    logarithms = [math.log(ratio) for ratio in ratios]
    averages = sorted((a + b) / 2 for a, b in combinations_with_replacement(logarithms, 2))
    outside = _ranks_outside(len(ratios))
    ends = averages[outside], median(averages), averages[-1 - outside]
    return Interval(*(math.exp(end) for end in ends))


def _ranks_outside(count: int) -> int:
    """The largest sum of positive ranks that is as rare, with all smaller ones, as one end may be."""
    ways = [1]  # to reach each sum, with the ranks so far
    for rank in range(1, count + 1):
        padding = [0] * rank
        ways = [without + with_it for without, with_it in zip(ways + padding, padding + ways, strict=True)]
    allowed = (1 - CONFIDENCE) / 2 * 2**count
    total, outside = 0, -1
    while total + ways[outside + 1] <= allowed:
        outside += 1
        total += ways[outside]
    return outside
