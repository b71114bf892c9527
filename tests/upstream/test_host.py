from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, Event

import pytest

from papertrade_site.clock import Clock
from papertrade_site.upstream.breaker import FAILURES_TO_OPEN, OPEN_SECONDS, BreakerState
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.host import PATIENT_SECONDS, SLOTS, Host

SOURCE = "exchange.trading"


@pytest.fixture
def host(clock: Clock) -> Host:
    return Host(clock)


def _fail(host: Host, budget: CallBudget, error: UpstreamError) -> None:
    with pytest.raises(type(error)), host.turn(SOURCE, budget):
        raise error


def test_a_turn_spends_one_request_of_the_call(host: Host, budget: CallBudget) -> None:
    before = budget.requests_left
    with host.turn(SOURCE, budget):
        assert budget.requests_left == before - 1
    assert host.health.requests == 1


def test_a_call_without_requests_left_gets_no_turn_and_is_not_held_against_the_host(
    host: Host, clock: Clock
) -> None:
    for _ in range(FAILURES_TO_OPEN + 1):
        with pytest.raises(BudgetSpentError), host.turn(SOURCE, CallBudget(clock, requests=0)):
            raise AssertionError
    health = host.health
    assert (health.requests, health.last_error, health.breaker) == (0, None, BreakerState.CLOSED)


def test_at_most_six_requests_wait_on_a_host_at_once(host: Host, clock: Clock) -> None:
    all_inside = Barrier(SLOTS + 1)
    leave = Event()

    def hold() -> None:
        with host.turn(SOURCE, CallBudget(clock)):
            all_inside.wait()
            leave.wait()

    with ThreadPoolExecutor(SLOTS) as pool:
        held = [pool.submit(hold) for _ in range(SLOTS)]
        all_inside.wait()
        impatient = CallBudget(clock, seconds=0.01)
        with pytest.raises(BusyError) as refused, host.turn(SOURCE, impatient):
            raise AssertionError
        leave.set()
        for one in held:
            one.result()
    assert refused.value.retry_after_s == 1
    with host.turn(SOURCE, CallBudget(clock)):
        assert host.health.requests == SLOTS + 1


def test_a_place_is_given_back_after_an_error(host: Host, budget: CallBudget, clock: Clock) -> None:
    for _ in range(SLOTS):
        _fail(host, CallBudget(clock), UnexpectedError("odd", source=SOURCE))
    with ExitStack() as stack:
        for _ in range(SLOTS):
            stack.enter_context(host.turn(SOURCE, budget))


@pytest.mark.parametrize("kind", [UnreachableError, SlowError])
def test_failures_in_a_row_open_the_breaker(
    host: Host, clock: Clock, kind: type[UpstreamError], move: Callable[[float], None]
) -> None:
    for _ in range(FAILURES_TO_OPEN):
        _fail(host, CallBudget(clock), kind("gone", source=SOURCE))
    with pytest.raises(UnreachableError) as refused, host.turn(SOURCE, CallBudget(clock)):
        raise AssertionError
    assert refused.value.retry_after_s == OPEN_SECONDS
    assert host.health.requests == FAILURES_TO_OPEN
    move(OPEN_SECONDS)
    with host.turn(SOURCE, CallBudget(clock)):
        pass
    assert host.health.breaker is BreakerState.CLOSED


def test_a_second_caller_is_refused_while_the_probe_is_under_way(
    host: Host, clock: Clock, move: Callable[[float], None]
) -> None:
    for _ in range(FAILURES_TO_OPEN):
        _fail(host, CallBudget(clock), UnreachableError("gone", source=SOURCE))
    move(OPEN_SECONDS)
    with host.turn(SOURCE, CallBudget(clock)):
        _fail(host, CallBudget(clock), UnreachableError("probing", source=SOURCE))
    assert host.health.requests == FAILURES_TO_OPEN + 1


@pytest.mark.parametrize("kind", [MissingError, UnexpectedError])
def test_an_answer_that_cannot_be_used_shows_that_the_host_is_there(
    host: Host, clock: Clock, kind: type[UpstreamError]
) -> None:
    for _ in range(FAILURES_TO_OPEN - 1):
        _fail(host, CallBudget(clock), UnreachableError("gone", source=SOURCE))
    _fail(host, CallBudget(clock), kind("odd", source=SOURCE))
    _fail(host, CallBudget(clock), UnreachableError("gone", source=SOURCE))
    assert host.health.breaker is BreakerState.CLOSED


def test_callers_in_a_hurry_cannot_open_the_breaker(host: Host, clock: Clock) -> None:
    for _ in range(FAILURES_TO_OPEN + 1):
        hurried = CallBudget(clock, seconds=PATIENT_SECONDS - 0.1)
        _fail(host, hurried, SlowError("slow", source=SOURCE))
    assert host.health.breaker is BreakerState.CLOSED


def test_a_host_that_asks_for_a_pause_is_left_alone_until_it_is_over(
    host: Host, clock: Clock, move: Callable[[float], None]
) -> None:
    _fail(host, CallBudget(clock), BusyError("busy", source=SOURCE, retry_after_s=7))
    move(6.5)
    with pytest.raises(BusyError) as refused, host.turn(SOURCE, CallBudget(clock)):
        raise AssertionError
    assert refused.value.retry_after_s == 1
    assert host.health.requests == 1
    move(0.5)
    with host.turn(SOURCE, CallBudget(clock)):
        assert host.health.requests == 2


def test_a_shorter_pause_does_not_cut_a_longer_one(
    host: Host, clock: Clock, move: Callable[[float], None]
) -> None:
    def ask_twice_at_once() -> None:
        with host.turn(SOURCE, CallBudget(clock)):
            _fail(host, CallBudget(clock), BusyError("busy", source=SOURCE, retry_after_s=60))
            raise BusyError("busy", source=SOURCE, retry_after_s=2)

    with pytest.raises(BusyError):
        ask_twice_at_once()
    move(3)
    with pytest.raises(BusyError), host.turn(SOURCE, CallBudget(clock)):
        raise AssertionError


def test_health_tells_the_last_error_and_the_last_success(
    host: Host, clock: Clock, move: Callable[[float], None]
) -> None:
    with host.turn(SOURCE, CallBudget(clock)):
        pass
    succeeded_ms = clock.now_ms()
    move(3)
    _fail(host, CallBudget(clock), SlowError("slow", source=SOURCE))
    health = host.health
    assert health.last_success_ms == succeeded_ms
    assert health.last_error == "SlowError"
