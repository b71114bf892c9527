"""Who may ask a host, and what is learnt from how it went."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, Event

import pytest

from papertrade_site.upstream.breaker import FAILURES_TO_OPEN, OPEN_SECONDS
from papertrade_site.upstream.budget import CALL_REQUESTS, CallBudget
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.gate import PATIENT_SECONDS, SLOTS, Gate
from tests.clocks import ManualClock

SOURCE = "exchange.trading"


@pytest.fixture
def gate(clock: ManualClock) -> Gate:
    return Gate(clock)


def _fail(gate: Gate, budget: CallBudget, error: UpstreamError) -> None:
    with pytest.raises(type(error)), gate.turn(SOURCE, budget):
        raise error


def test_a_turn_spends_one_request_of_the_call(gate: Gate, budget: CallBudget) -> None:
    before = budget.requests_left
    with gate.turn(SOURCE, budget):
        assert budget.requests_left == before - 1
    assert budget.requests_left == before - 1


def test_a_call_without_requests_left_gets_no_turn_and_is_not_held_against_the_host(
    gate: Gate, clock: ManualClock
) -> None:
    for _ in range(FAILURES_TO_OPEN + 1):
        with pytest.raises(BudgetSpentError), gate.turn(SOURCE, CallBudget(clock, requests=0)):
            raise AssertionError
    with gate.turn(SOURCE, CallBudget(clock)):
        pass


def test_at_most_six_requests_wait_on_a_host_at_once(gate: Gate, clock: ManualClock) -> None:
    all_inside = Barrier(SLOTS + 1)
    leave = Event()

    def hold() -> None:
        with gate.turn(SOURCE, CallBudget(clock)):
            all_inside.wait()
            leave.wait()

    with ThreadPoolExecutor(SLOTS) as pool:
        held = [pool.submit(hold) for _ in range(SLOTS)]
        all_inside.wait()
        impatient = CallBudget(clock, seconds=0.01)
        with pytest.raises(BusyError) as refused, gate.turn(SOURCE, impatient):
            raise AssertionError
        leave.set()
        for one in held:
            one.result()
    assert refused.value.retry_after_s == 1
    with gate.turn(SOURCE, CallBudget(clock)):
        pass


def test_a_place_is_given_back_after_an_error(gate: Gate, budget: CallBudget, clock: ManualClock) -> None:
    for _ in range(SLOTS):
        _fail(gate, CallBudget(clock), UnexpectedError("odd", source=SOURCE))
    with ExitStack() as stack:
        for _ in range(SLOTS):
            stack.enter_context(gate.turn(SOURCE, budget))


@pytest.mark.parametrize("kind", [UnreachableError, SlowError])
def test_failures_in_a_row_open_the_breaker(
    gate: Gate, clock: ManualClock, kind: type[UpstreamError]
) -> None:
    for _ in range(FAILURES_TO_OPEN):
        _fail(gate, CallBudget(clock), kind("gone", source=SOURCE))
    with pytest.raises(UnreachableError) as refused, gate.turn(SOURCE, CallBudget(clock)):
        raise AssertionError
    assert refused.value.retry_after_s == OPEN_SECONDS
    clock.advance(OPEN_SECONDS)
    with gate.turn(SOURCE, CallBudget(clock)):
        pass
    with gate.turn(SOURCE, CallBudget(clock)):
        pass


def test_a_second_caller_is_refused_while_the_probe_is_under_way(gate: Gate, clock: ManualClock) -> None:
    for _ in range(FAILURES_TO_OPEN):
        _fail(gate, CallBudget(clock), UnreachableError("gone", source=SOURCE))
    clock.advance(OPEN_SECONDS)
    second = CallBudget(clock)
    with (
        gate.turn(SOURCE, CallBudget(clock)),
        pytest.raises(UnreachableError, match="being left alone"),
        gate.turn(SOURCE, second),
    ):
        raise AssertionError
    assert second.requests_left == CALL_REQUESTS


@pytest.mark.parametrize("kind", [MissingError, UnexpectedError])
def test_an_answer_that_cannot_be_used_shows_that_the_host_is_there(
    gate: Gate, clock: ManualClock, kind: type[UpstreamError]
) -> None:
    for _ in range(FAILURES_TO_OPEN - 1):
        _fail(gate, CallBudget(clock), UnreachableError("gone", source=SOURCE))
    _fail(gate, CallBudget(clock), kind("odd", source=SOURCE))
    _fail(gate, CallBudget(clock), UnreachableError("gone", source=SOURCE))
    with gate.turn(SOURCE, CallBudget(clock)):
        pass


def test_callers_in_a_hurry_cannot_open_the_breaker(gate: Gate, clock: ManualClock) -> None:
    for _ in range(FAILURES_TO_OPEN + 1):
        hurried = CallBudget(clock, seconds=PATIENT_SECONDS - 0.1)
        _fail(gate, hurried, SlowError("slow", source=SOURCE))
    with gate.turn(SOURCE, CallBudget(clock)):
        pass


def test_a_host_that_asks_for_a_pause_is_left_alone_until_it_is_over(gate: Gate, clock: ManualClock) -> None:
    _fail(gate, CallBudget(clock), BusyError("busy", source=SOURCE, retry_after_s=7))
    clock.advance(6.5)
    with pytest.raises(BusyError) as refused, gate.turn(SOURCE, CallBudget(clock)):
        raise AssertionError
    assert refused.value.retry_after_s == 1
    clock.advance(0.5)
    with gate.turn(SOURCE, CallBudget(clock)):
        pass


def test_a_shorter_pause_does_not_cut_a_longer_one(gate: Gate, clock: ManualClock) -> None:
    def ask_twice_at_once() -> None:
        with gate.turn(SOURCE, CallBudget(clock)):
            _fail(gate, CallBudget(clock), BusyError("busy", source=SOURCE, retry_after_s=60))
            raise BusyError("busy", source=SOURCE, retry_after_s=2)

    with pytest.raises(BusyError):
        ask_twice_at_once()
    clock.advance(3)
    with pytest.raises(BusyError), gate.turn(SOURCE, CallBudget(clock)):
        raise AssertionError


class _Queueing(CallBudget):
    """A budget that tells when its call asks how long it may stand in line."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.in_line = Event()

    @property
    def seconds_left(self) -> float:
        self.in_line.set()
        return super().seconds_left


def _with_all_places_taken(gate: Gate, clock: ManualClock, stack: ExitStack) -> None:
    for _ in range(SLOTS):
        stack.enter_context(gate.turn(SOURCE, CallBudget(clock)))


def test_a_resting_host_refuses_a_caller_without_making_him_stand_in_line(
    gate: Gate, clock: ManualClock
) -> None:
    _fail(gate, CallBudget(clock), BusyError("busy", source=SOURCE, retry_after_s=7))
    refused = _Queueing(clock)
    with pytest.raises(BusyError, match="asked for a pause"), gate.turn(SOURCE, refused):
        raise AssertionError
    assert not refused.in_line.is_set()


def test_a_pause_that_is_asked_for_while_a_caller_stands_in_line_holds_for_him_too(
    gate: Gate, clock: ManualClock
) -> None:
    waiting = _Queueing(clock)

    def stand_in_line() -> None:
        with pytest.raises(BusyError, match="asked for a pause"), gate.turn(SOURCE, waiting):
            raise AssertionError

    with ThreadPoolExecutor(1) as pool, ExitStack() as places:
        _with_all_places_taken(gate, clock, places)
        in_line = pool.submit(stand_in_line)
        assert waiting.in_line.wait(10)
        busy = BusyError("busy", source=SOURCE, retry_after_s=7)
        with pytest.raises(BusyError, match="busy"):
            _leave_with(places, busy)
        in_line.result(10)


def _leave_with(places: ExitStack, error: UpstreamError) -> None:
    """Give all places back, the last one taken with an error."""
    with places.pop_all():
        raise error
