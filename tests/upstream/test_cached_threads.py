"""Cached reads of many threads of one process, and how many of them may wait at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from papertrade_site.upstream import waiting_room
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
)
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.worker_pool import WORKERS_PER_CALLER
from tests.clocks import ManualClock
from tests.upstream.prices import PriceSource, unreachable

NOW_MS = ManualClock().now_ms()
LIVE = "live https://exchange.example"


class TestManyThreads:
    def test_64_readers_of_a_cold_resource_make_one_fetch(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, pool: ThreadPoolExecutor
    ) -> None:
        price.hold_up()
        together = Barrier(64)

        def read() -> Reading[int]:
            together.wait(10)
            return reader.read(price.want(), CallBudget(clock))

        readings = [pool.submit(read) for _ in range(64)]
        assert price.entered.wait(10)
        price.gate.set()
        assert [reading.result(10).value for reading in readings] == [1] * 64
        assert price.asked == 1

    def test_64_readers_of_a_dead_resource_make_one_fetch_and_all_learn_why(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, pool: ThreadPoolExecutor
    ) -> None:
        price.answer = unreachable()
        price.hold_up()
        readings = [pool.submit(reader.read, price.want(), CallBudget(clock)) for _ in range(64)]
        assert price.entered.wait(10)
        price.gate.set()
        assert [str(reading.exception(10)) for reading in readings] == ["It is down."] * 64
        assert price.asked == 1

    def test_while_one_thread_refreshes_the_others_get_the_previous_copy_with_its_age(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, pool: ThreadPoolExecutor
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(100)
        price.hold_up()
        refresh = pool.submit(reader.read, price.want(), CallBudget(clock))
        assert price.entered.wait(10)
        reading = reader.read(price.want(), CallBudget(clock))
        assert (reading.state, reading.degraded, reading.note) == (State.STALE, False, None)
        assert reading.fetched_at_ms == NOW_MS
        price.gate.set()
        assert refresh.result(10).state is State.FRESH

    def test_a_refresh_that_another_call_has_begun_meanwhile_is_not_waited_for(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, pool: ThreadPoolExecutor
    ) -> None:
        slow = PriceSource()
        first = [price.want(f"wallet {number}") for number in range(WORKERS_PER_CALLER)]
        wants = [*first, slow.want("the last wallet")]
        reader.read_many(wants, CallBudget(clock))
        clock.advance(100)
        slow.hold_up()

        def let_another_call_refresh_the_last() -> None:
            pool.submit(reader.read, wants[-1], CallBudget(clock))
            assert slow.entered.wait(10)

        price.meanwhile = let_another_call_refresh_the_last
        *_, last = reader.read_many(wants, CallBudget(clock))
        assert isinstance(last, Reading)
        assert (last.state, last.degraded) == (State.STALE, False)
        slow.gate.set()

    def test_a_leader_that_breaks_strands_nobody(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, pool: ThreadPoolExecutor
    ) -> None:
        price.answer = ZeroDivisionError()
        price.hold_up()
        leader = pool.submit(reader.read, price.want(), CallBudget(clock))
        assert price.entered.wait(10)
        price.answer = {"price": 2}
        followers = [pool.submit(reader.read, price.want(), CallBudget(clock)) for _ in range(8)]
        price.gate.set()
        assert isinstance(leader.exception(10), ZeroDivisionError)
        assert [follower.result(10).value for follower in followers] == [2] * 8
        assert price.asked == 2

    def test_a_follower_takes_over_from_a_leader_whose_budget_is_spent(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, pool: ThreadPoolExecutor
    ) -> None:
        price.answer = BudgetSpentError("Too many requests.", source="exchange.trading")
        price.hold_up()
        leader = pool.submit(reader.read, price.want(), CallBudget(clock))
        assert price.entered.wait(10)
        price.answer = {"price": 2}
        follower = pool.submit(reader.read, price.want(), CallBudget(clock))
        price.gate.set()
        assert isinstance(leader.exception(10), BudgetSpentError)
        assert follower.result(10).value == 2


class TestWaitingRoom:
    @pytest.fixture
    def crowded(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        pool: ThreadPoolExecutor,
    ) -> Iterator[tuple[CachedReader, Future[Reading[int]]]]:
        """A process whose two places are both taken by callers that wait."""
        reader = reader_of(waiters=2)
        reader.read(price.want("held"), CallBudget(clock))
        clock.advance(31)
        price.hold_up()
        leader = pool.submit(reader.read, price.want("cold"), CallBudget(clock))
        assert price.entered.wait(10)
        price.entered.clear()
        second = pool.submit(reader.read, price.want("second"), CallBudget(clock))
        assert price.entered.wait(10)
        yield reader, leader
        price.gate.set()
        second.result(10)

    def test_who_reads_something_else_stands_in_line_until_a_healthy_source_has_answered(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        price: PriceSource,
        clock: ManualClock,
        pool: ThreadPoolExecutor,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        reader, asked = crowded[0], Event()
        wait_for = reader._room._changed.wait_for

        def note_and_wait(has_room: Callable[[], bool], timeout: float) -> bool:
            asked.set()
            return wait_for(has_room, timeout)

        monkeypatch.setattr(reader._room._changed, "wait_for", note_and_wait)
        for bound in ("LINE_S", "OTHERS_LINE_S"):
            monkeypatch.setattr(waiting_room, bound, 10.0)  # however busy the machine is
        third = pool.submit(reader.read, price.want("third"), CallBudget(clock))
        assert asked.wait(10)
        price.gate.set()
        assert third.result(10).state is State.FRESH

    def test_one_caller_too_many_is_told_to_come_back(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        price: PriceSource,
        clock: ManualClock,
    ) -> None:
        with pytest.raises(BusyError, match="Too many readers") as raised:
            crowded[0].read(price.want("third"), CallBudget(clock))
        assert (raised.value.retry_after_s, raised.value.source) == (2, "exchange.trading")

    def test_one_caller_too_many_gets_the_previous_copy_which_is_not_degraded(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        price: PriceSource,
        clock: ManualClock,
    ) -> None:
        reading = crowded[0].read(price.want("held"), CallBudget(clock))
        assert (reading.value, reading.state, reading.degraded) == (1, State.STALE, False)
        assert reading.note is None

    def test_who_gets_the_previous_copy_during_a_refresh_needs_no_place(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        pool: ThreadPoolExecutor,
    ) -> None:
        reader = reader_of(waiters=1)
        reader.read(price.want(), CallBudget(clock))
        clock.advance(31)
        price.hold_up()
        pool.submit(reader.read, price.want(), CallBudget(clock))
        assert price.entered.wait(10)
        assert reader.read(price.want(), CallBudget(clock)).note is None
        price.gate.set()

    def test_a_place_is_free_again_once_its_caller_is_done(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        price: PriceSource,
        clock: ManualClock,
    ) -> None:
        reader, leader = crowded
        price.gate.set()
        leader.result(10)
        assert reader.read(price.want("third"), CallBudget(clock)).state is State.FRESH
