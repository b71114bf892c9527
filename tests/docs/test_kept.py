"""Keeping what takes a while to make."""

from __future__ import annotations

from itertools import count

import pytest

from papertrade_site.docs import kept
from papertrade_site.docs.kept import Kept
from tests.policies import InForce


class Now:
    """A clock that a test moves."""

    seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Now:
    now = Now()
    monkeypatch.setattr(kept, "time", now)
    return now


def test_a_value_is_made_once_and_anew_when_it_has_aged(now: Now) -> None:
    numbers, values = count(), Kept[int](seconds=10, capacity=4)
    assert [values.get("a", lambda: next(numbers)) for _ in range(2)] == [0, 0]
    now.seconds += 9.9
    assert values.get("a", lambda: next(numbers)) == 0
    now.seconds += 0.1
    assert values.get("a", lambda: next(numbers)) == 1


@pytest.mark.usefixtures("now")
def test_each_key_has_its_own_value_and_the_least_used_goes() -> None:
    numbers, values = count(), Kept[int](seconds=10, capacity=2)
    assert [values.get(key, lambda: next(numbers)) for key in "abab"] == [0, 1, 0, 1]
    assert [values.get(key, lambda: next(numbers)) for key in "ca"] == [2, 3]


@pytest.mark.usefixtures("now")
def test_what_cannot_be_made_is_not_kept() -> None:
    values = Kept[int](seconds=10, capacity=2)
    with pytest.raises(ZeroDivisionError):
        values.get("a", lambda: 1 // 0)
    assert values.get("a", lambda: 1) == 1


@pytest.mark.usefixtures("now")
def test_a_value_is_made_anew_when_the_limits_have_changed(in_force: InForce) -> None:
    numbers, values = count(), Kept[int](seconds=10, capacity=4)
    assert [values.get("a", lambda: next(numbers)) for _ in range(2)] == [0, 0]
    in_force.server("analytics", requests_per_minute=7)
    assert [values.get("a", lambda: next(numbers)) for _ in range(2)] == [1, 1]
