"""Keeping what takes a while to make."""

from __future__ import annotations

from itertools import count

import pytest

from papertrade_site.docs.kept import Kept
from tests.clocks import ManualClock
from tests.policies import InForce


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(0)


def test_a_value_is_made_once_and_anew_when_it_has_aged(clock: ManualClock) -> None:
    numbers, values = count(), Kept[int](seconds=10, capacity=4, clock=clock)
    assert [values.get("a", lambda: next(numbers)) for _ in range(2)] == [0, 0]
    clock.advance(9.5)
    assert values.get("a", lambda: next(numbers)) == 0
    clock.advance(0.5)
    assert values.get("a", lambda: next(numbers)) == 1


def test_each_key_has_its_own_value_and_the_least_used_goes(clock: ManualClock) -> None:
    numbers, values = count(), Kept[int](seconds=10, capacity=2, clock=clock)
    assert [values.get(key, lambda: next(numbers)) for key in "abab"] == [0, 1, 0, 1]
    assert [values.get(key, lambda: next(numbers)) for key in "ca"] == [2, 3]


def test_what_cannot_be_made_is_not_kept(clock: ManualClock) -> None:
    values = Kept[int](seconds=10, capacity=2, clock=clock)
    with pytest.raises(ZeroDivisionError):
        values.get("a", lambda: 1 // 0)
    assert values.get("a", lambda: 1) == 1


def test_a_value_is_made_anew_when_the_limits_have_changed(clock: ManualClock, in_force: InForce) -> None:
    numbers, values = count(), Kept[int](seconds=10, capacity=4, clock=clock)
    assert [values.get("a", lambda: next(numbers)) for _ in range(2)] == [0, 0]
    in_force.server("analytics", requests_per_minute=7)
    assert [values.get("a", lambda: next(numbers)) for _ in range(2)] == [1, 1]
