"""How long answers take, kept as counts in buckets that grow evenly by a factor."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from math import ceil
from typing import Final

FIRST_BOUND_S: Final = 0.0001
STEPS_A_DOUBLING: Final = 3
BUCKETS: Final = 54

BOUNDS_S: Final = tuple(FIRST_BOUND_S * 2 ** (step / STEPS_A_DOUBLING) for step in range(BUCKETS))
"""The upper bound of each bucket in seconds, itself included: 0.1 ms to 21 s, each 1.26 times the one before.

One more bucket, past the last, takes what lasts longer.
"""

Durations = Mapping[int, int]
"""How many answers fell into each bucket, by its place; those that none fell into are left out."""


def bucket_of(seconds: float) -> int:
    """The place of the bucket that a duration falls into."""
    return bisect_left(BOUNDS_S, seconds)


def percentile_ms(durations: Durations, share: float) -> float | None:
    """The duration in ms that a share (above 0, at most 1) of all answers did not exceed; None without any.

    It lies in the bucket of the exact figure, so it is at most a quarter off. What lasted longer than all
    bounds counts as long as the last one.
    """
    total = sum(durations.values())
    rank, below = ceil(share * total), 0
    for bucket in sorted(durations):
        count = durations[bucket]
        if count > 0 and below + count >= rank:
            return 1000 * _between(bucket, (rank - below) / count)
        below += count
    return None


def _between(bucket: int, part: float) -> float:
    """The duration a part of the way through a bucket."""
    if bucket >= BUCKETS:
        return BOUNDS_S[-1]
    lower = BOUNDS_S[bucket - 1] if bucket else 0.0
    return lower + (BOUNDS_S[bucket] - lower) * part
