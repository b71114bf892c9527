"""The counts of one process alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from papertrade_site.limits.charge import Charge
from papertrade_site.limits.local import LocalCounts
from tests.clocks import ManualClock

ONE = Charge(1, 30)


def test_charges_add_up_and_a_refused_batch_costs_1(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    assert [counts.add("a", charge, seconds=65) for charge in (ONE, Charge(5, 30), Charge(25, 30), ONE)] == [
        1,
        6,
        31,
        8,
    ]


def test_a_counter_is_forgotten_when_its_time_is_over(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    counts.add("a", ONE, seconds=65)
    clock.advance(64)
    assert counts.add("a", ONE, seconds=65) == 2
    clock.advance(1)
    assert counts.add("b", ONE, seconds=65) == 1
    assert len(counts) == 1
    assert counts.add("a", ONE, seconds=65) == 1


def test_the_oldest_counters_make_room_for_new_ones(clock: ManualClock) -> None:
    counts = LocalCounts(clock, most_keys=3)
    for key in "abcd":
        counts.add(key, ONE, seconds=65)
    assert len(counts) == 3
    assert counts.add("d", ONE, seconds=65) == 2
    assert counts.add("a", ONE, seconds=65) == 1


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_no_charge_is_lost_between_threads(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda _: counts.add("a", ONE, seconds=65), range(5000)))
    assert sorted(seen) == list(range(1, 5001))
