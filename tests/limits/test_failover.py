"""When the shared counters fail: how often they are tried, what is logged, and who is still limited."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from redis.exceptions import (
    BusyLoadingError,
    ConnectionError as RedisConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TimeoutError as RedisTimeoutError,
)

from papertrade_site.limits.charge import Charge
from papertrade_site.limits.failover import Failover
from tests.clocks import ManualClock

ONE = Charge(1, 30)
UNREACHABLE = [
    RedisConnectionError("refused"),
    RedisTimeoutError("slow"),
    BusyLoadingError("loading"),
    ConnectionResetError("reset"),
]
REFUSED = [OutOfMemoryError("OOM"), ReadOnlyError("replica"), ResponseError("WRONGTYPE")]


class Shared:
    """Shared counters that fail on demand, and count how often they are asked."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked = 0

    def __call__(self) -> int:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return 1000 + self.asked


@pytest.fixture
def shared() -> Shared:
    return Shared()


def _count(failover: Failover, shared: Shared) -> int:
    return failover.count("key", ONE, seconds=65, shared=shared)


def _name(error: Exception) -> str:
    return type(error).__name__


@pytest.mark.parametrize("error", [*UNREACHABLE, *REFUSED], ids=_name)
class TestAnyFailure:
    def test_clients_are_counted_in_the_process(
        self, failover: Failover, shared: Shared, error: Exception
    ) -> None:
        shared.error = error
        assert [_count(failover, shared) for _ in range(40)] == list(range(1, 41))

    def test_the_shared_counters_are_used_again_within_a_second_of_their_recovery(
        self, failover: Failover, shared: Shared, error: Exception, clock: ManualClock
    ) -> None:
        shared.error = error
        _count(failover, shared)
        shared.error = None
        clock.advance(1)
        assert [_count(failover, shared) for _ in range(2)] == [1002, 1003]

    def test_it_is_logged_once_a_minute_without_anything_of_the_client(
        self,
        failover: Failover,
        shared: Shared,
        error: Exception,
        clock: ManualClock,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        shared.error = error
        with caplog.at_level(logging.WARNING):
            for _ in range(120):
                _count(failover, shared)
                clock.advance(1)
        name = type(error).__name__
        assert [record.getMessage() for record in caplog.records] == [
            f"The shared counters failed ({name}); each process limits clients on its own."
        ] * 2


@pytest.mark.parametrize("error", UNREACHABLE, ids=_name)
def test_counters_out_of_reach_are_tried_once_a_second(
    failover: Failover, shared: Shared, error: Exception, clock: ManualClock
) -> None:
    shared.error = error
    for second in range(1, 4):
        for _ in range(100):
            _count(failover, shared)
        assert shared.asked == second
        clock.advance(1)


@pytest.mark.parametrize("error", REFUSED, ids=_name)
def test_counters_that_refuse_at_once_are_tried_every_time(
    failover: Failover, shared: Shared, error: Exception
) -> None:
    shared.error = error
    _count(failover, shared)
    shared.error = None
    assert _count(failover, shared) == 1002


def test_one_thread_tries_slow_counters_while_the_others_go_on(
    failover: Failover, shared: Shared, clock: ManualClock
) -> None:
    shared.error = RedisTimeoutError("slow")
    _count(failover, shared)
    clock.advance(1)
    trying, over = Event(), Event()

    def slow() -> int:
        trying.set()
        over.wait(10)
        raise RedisTimeoutError("slow")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(failover.count, "key", ONE, seconds=65, shared=slow)
        assert trying.wait(10)
        assert [_count(failover, shared) for _ in range(20)] == list(range(2, 22))
        over.set()
        assert waiting.result() == 22
    assert shared.asked == 1
