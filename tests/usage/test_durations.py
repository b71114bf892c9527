"""Durations in buckets, and the percentiles that are told of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import ceil, inf

import pytest
from hypothesis import given, strategies as st

from papertrade_site.usage.durations import BOUNDS_S, BUCKETS, bucket_of, percentile_ms

seconds = st.floats(min_value=0, max_value=BOUNDS_S[-1])


def test_buckets_reach_from_a_tenth_of_a_millisecond_to_more_than_a_call_may_take() -> None:
    assert BOUNDS_S[0] == 0.0001
    assert 20 < BOUNDS_S[-1] < 22
    assert all(1.25 < upper / lower < 1.27 for lower, upper in pairwise(BOUNDS_S))


@pytest.mark.parametrize("place", [0, 1, 25, BUCKETS - 1])
def test_a_bound_belongs_to_its_bucket(place: int) -> None:
    assert bucket_of(BOUNDS_S[place]) == place
    assert bucket_of(BOUNDS_S[place] * 1.001) == place + 1


@given(st.lists(seconds, min_size=1), st.sampled_from([0.01, 0.5, 0.95, 1.0]))
def test_a_percentile_lies_in_the_bucket_of_the_exact_one(durations: list[float], share: float) -> None:
    exact = sorted(durations)[ceil(share * len(durations)) - 1]
    told_ms = percentile_ms(Counter(map(bucket_of, durations)), share)
    assert told_ms is not None
    bucket = bucket_of(exact)
    lower = BOUNDS_S[bucket - 1] if bucket else 0.0
    assert 1000 * lower * 0.999_999 <= told_ms <= 1000 * BOUNDS_S[bucket] * 1.000_001


def test_what_lasts_longer_than_all_bounds_counts_as_long_as_the_last() -> None:
    assert percentile_ms({bucket_of(inf): 1}, 0.5) == 1000 * BOUNDS_S[-1]


@pytest.mark.parametrize("durations", [{}, {3: 0}])
def test_nothing_has_no_percentile(durations: dict[int, int]) -> None:
    assert percentile_ms(durations, 0.5) is None


def test_percentiles_tell_the_usual_from_the_slow() -> None:
    durations = Counter([bucket_of(0.002)] * 94 + [bucket_of(1.0)] * 6)
    p50, p95 = percentile_ms(durations, 0.5), percentile_ms(durations, 0.95)
    assert p50 == pytest.approx(2, rel=0.26)
    assert p95 == pytest.approx(1000, rel=0.26)
