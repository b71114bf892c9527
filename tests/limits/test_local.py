"""The counts of one process alone."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

from papertrade_site.limits.charge import Charge, Counter
from papertrade_site.limits.local import LocalCounts
from tests.clocks import ManualClock

ONE = Charge(1, 30)
TIME_TO_OVERTAKE_S = 0.2


def test_charges_add_up_and_a_refused_batch_costs_1(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    charges = (ONE, Charge(5, 30), Charge(25, 30), ONE)
    assert [counts.add("a", charge, seconds=65) for charge in charges] == [[1], [6], [31], [8]]


def test_a_counter_is_forgotten_when_its_time_is_over(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    counts.add("a", ONE, seconds=65)
    clock.advance(64)
    assert counts.add("a", ONE, seconds=65) == [2]
    clock.advance(1)
    assert counts.add("b", ONE, seconds=65) == [1]
    assert len(counts) == 1
    assert counts.add("a", ONE, seconds=65) == [1]


def test_the_oldest_counters_make_room_for_new_ones(clock: ManualClock) -> None:
    counts = LocalCounts(clock, most_keys=3)
    for key in "abcd":
        counts.add(key, ONE, seconds=65)
    assert len(counts) == 3
    assert counts.add("d", ONE, seconds=65) == [2]
    assert counts.add("a", ONE, seconds=65) == [1]


def test_several_counters_take_a_charge_together_or_not_at_all(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    charge = Charge(5, 30, (Counter("burst", 8, 15), Counter("all", 12, 65)))
    assert [counts.add("a", charge, seconds=65) for _ in range(2)] == [[5, 5, 5], [10, 10, 10]]
    assert counts.add("a", charge, seconds=65) == [11, 10, 10]
    assert counts.add("b", charge, seconds=65) == [5, 10, 10]


def test_a_counter_that_lives_shortly_begins_anew_behind_one_that_lives_longer(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    charge = Charge(1, 30, (Counter("burst", 8, 15),))
    counts.add("a", charge, seconds=65)
    clock.advance(14)
    assert counts.add("a", charge, seconds=65) == [2, 2]
    clock.advance(1)
    assert counts.add("a", charge, seconds=65) == [3, 1]


class HeldCharge(Charge):
    """Stops in the middle of being counted until it is let go."""

    began = Event()
    may_go_on = Event()

    def counted(self, counts: Sequence[int]) -> Sequence[int]:
        self.began.set()
        assert self.may_go_on.wait(10)
        return super().counted(counts)


def test_a_charge_waits_for_another_thread_s_to_be_counted(clock: ManualClock) -> None:
    counts = LocalCounts(clock)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(counts.add, "a", HeldCharge(1, 30), seconds=65)
        assert HeldCharge.began.wait(10)
        second = pool.submit(counts.add, "a", ONE, seconds=65)
        wait([second], timeout=TIME_TO_OVERTAKE_S)
        HeldCharge.may_go_on.set()
        assert (first.result(), second.result()) == ([1], [2])
