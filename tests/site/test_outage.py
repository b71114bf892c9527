"""A shared server that fails: what is done instead, how often it is tried, and what is logged."""

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

from papertrade_site.outage import Outage, process_failures
from tests.clocks import ManualClock

UNREACHABLE = [
    RedisConnectionError("refused"),
    RedisTimeoutError("slow"),
    BusyLoadingError("loading"),
    ConnectionResetError("reset"),
]
REFUSED = [OutOfMemoryError("OOM"), ReadOnlyError("replica"), ResponseError("WRONGTYPE of papertrade:key")]


class Shared:
    """A server that fails on demand, and counts how often it is asked."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return "shared"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def shared() -> Shared:
    return Shared()


@pytest.fixture
def outage(clock: ManualClock) -> Outage:
    return Outage(clock, "It failed (%s).")


def _attempt(outage: Outage, shared: Shared) -> str:
    return outage.attempt(shared, otherwise=lambda: "alone")


def _name(error: Exception) -> str:
    return type(error).__name__


def test_a_sound_server_is_asked_every_time(outage: Outage, shared: Shared) -> None:
    assert [_attempt(outage, shared) for _ in range(3)] == ["shared"] * 3
    assert shared.asked == 3


@pytest.mark.parametrize("error", [*UNREACHABLE, *REFUSED], ids=_name)
class TestAnyFailure:
    def test_the_other_is_done_instead(self, outage: Outage, shared: Shared, error: Exception) -> None:
        shared.error = error
        assert [_attempt(outage, shared) for _ in range(3)] == ["alone"] * 3

    def test_the_server_is_used_again_within_a_second_of_its_recovery(
        self, outage: Outage, shared: Shared, error: Exception, clock: ManualClock
    ) -> None:
        shared.error = error
        _attempt(outage, shared)
        shared.error = None
        clock.advance(1)
        assert [_attempt(outage, shared) for _ in range(2)] == ["shared"] * 2

    def test_it_is_logged_once_a_minute_by_its_name_alone(
        self,
        outage: Outage,
        shared: Shared,
        error: Exception,
        clock: ManualClock,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        shared.error = error
        with caplog.at_level(logging.WARNING):
            for _ in range(120):
                _attempt(outage, shared)
                clock.advance(1)
        messages = [record.getMessage() for record in caplog.records]
        assert messages == [f"It failed ({_name(error)})."] * 2


@pytest.mark.parametrize("error", UNREACHABLE, ids=_name)
def test_a_server_out_of_reach_is_tried_once_a_second(
    outage: Outage, shared: Shared, error: Exception, clock: ManualClock
) -> None:
    shared.error = error
    for second in range(1, 4):
        for _ in range(100):
            _attempt(outage, shared)
        assert shared.asked == second
        clock.advance(1)


@pytest.mark.parametrize("error", REFUSED, ids=_name)
def test_a_server_that_refuses_at_once_is_tried_every_time(
    outage: Outage, shared: Shared, error: Exception
) -> None:
    shared.error = error
    _attempt(outage, shared)
    shared.error = None
    assert _attempt(outage, shared) == "shared"


def test_a_mistake_of_our_own_is_not_taken_for_an_outage(outage: Outage, shared: Shared) -> None:
    shared.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        _attempt(outage, shared)
    shared.error = None
    assert _attempt(outage, shared) == "shared"


def test_one_thread_tries_a_slow_server_while_the_others_go_on(
    outage: Outage, shared: Shared, clock: ManualClock
) -> None:
    shared.error = RedisTimeoutError("slow")
    _attempt(outage, shared)
    clock.advance(1)
    trying, over = Event(), Event()

    def slow() -> str:
        trying.set()
        over.wait(10)
        raise RedisTimeoutError("slow")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(outage.attempt, slow, otherwise=lambda: "alone after waiting")
        assert trying.wait(10)
        assert [_attempt(outage, shared) for _ in range(20)] == ["alone"] * 20
        over.set()
        assert waiting.result() == "alone after waiting"
    assert shared.asked == 1


def test_failures_of_redis_are_counted_for_whoever_asks(outage: Outage, shared: Shared) -> None:
    process_failures.drain()
    shared.error = OutOfMemoryError("OOM")
    for _ in range(3):
        _attempt(outage, shared)
    assert (process_failures.drain(), process_failures.drain()) == (3, 0)


def test_failures_of_another_server_are_not_counted(clock: ManualClock, shared: Shared) -> None:
    process_failures.drain()
    shared.error = LookupError("gone")
    _attempt(Outage(clock, "It failed (%s).", failures=(LookupError,)), shared)
    assert process_failures.drain() == 0
