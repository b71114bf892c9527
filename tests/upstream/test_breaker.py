"""When a host is left alone, and when it is tried again."""

from __future__ import annotations

import pytest

from papertrade_site.clock import Clock
from papertrade_site.upstream.breaker import FAILURES_TO_OPEN, OPEN_SECONDS, PROBE_WAIT_SECONDS, Breaker
from tests.clocks import ManualClock


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def _pass(breaker: Breaker, *, healthy: bool | None) -> None:
    ticket = breaker.enter()
    assert ticket is not None
    breaker.leave(ticket, healthy=healthy)


def _open(breaker: Breaker) -> None:
    for _ in range(FAILURES_TO_OPEN):
        _pass(breaker, healthy=False)


def test_it_lets_requests_pass_while_failures_stay_below_the_limit(breaker: Breaker) -> None:
    for _ in range(FAILURES_TO_OPEN - 1):
        _pass(breaker, healthy=False)
    assert breaker.wait_s == 0
    assert breaker.enter() is not None


def test_it_opens_after_five_failures_in_a_row(breaker: Breaker) -> None:
    _open(breaker)
    assert breaker.enter() is None
    assert breaker.wait_s == OPEN_SECONDS


def test_a_success_starts_the_count_anew(breaker: Breaker) -> None:
    for _ in range(FAILURES_TO_OPEN - 1):
        _pass(breaker, healthy=False)
    _pass(breaker, healthy=True)
    _pass(breaker, healthy=False)
    assert breaker.wait_s == 0


def test_a_request_without_a_verdict_neither_counts_nor_clears(breaker: Breaker) -> None:
    for _ in range(FAILURES_TO_OPEN - 1):
        _pass(breaker, healthy=False)
    _pass(breaker, healthy=None)
    assert breaker.wait_s == 0
    _pass(breaker, healthy=False)
    assert breaker.wait_s == OPEN_SECONDS


def test_it_stays_open_until_its_time_is_over(breaker: Breaker, clock: ManualClock) -> None:
    _open(breaker)
    clock.advance(OPEN_SECONDS - 0.001)
    assert breaker.enter() is None
    clock.advance(0.001)
    assert breaker.wait_s == 0
    assert breaker.enter() is not None


def test_half_open_lets_exactly_one_probe_pass(breaker: Breaker, clock: ManualClock) -> None:
    _open(breaker)
    clock.advance(OPEN_SECONDS)
    assert breaker.enter() is not None
    assert breaker.enter() is None
    assert breaker.wait_s == PROBE_WAIT_SECONDS


def test_a_successful_probe_closes_it(breaker: Breaker, clock: ManualClock) -> None:
    _open(breaker)
    clock.advance(OPEN_SECONDS)
    _pass(breaker, healthy=True)
    for _ in range(FAILURES_TO_OPEN - 1):
        _pass(breaker, healthy=False)
    assert breaker.wait_s == 0


def test_a_failed_probe_opens_it_for_the_whole_time_again(breaker: Breaker, clock: ManualClock) -> None:
    _open(breaker)
    clock.advance(OPEN_SECONDS)
    _pass(breaker, healthy=False)
    assert breaker.wait_s == OPEN_SECONDS


def test_a_probe_without_a_verdict_makes_room_for_the_next(breaker: Breaker, clock: ManualClock) -> None:
    _open(breaker)
    clock.advance(OPEN_SECONDS)
    _pass(breaker, healthy=None)
    assert breaker.wait_s == 0
    _pass(breaker, healthy=True)
    _pass(breaker, healthy=False)
    assert breaker.wait_s == 0


@pytest.mark.parametrize("healthy", [True, False, None])
def test_a_request_from_before_it_opened_changes_nothing(
    breaker: Breaker, healthy: bool | None, clock: ManualClock
) -> None:
    old = breaker.enter()
    assert old is not None
    _open(breaker)
    clock.advance(OPEN_SECONDS / 2)
    breaker.leave(old, healthy=healthy)
    assert breaker.wait_s == OPEN_SECONDS / 2


def test_a_late_request_does_not_end_the_probe_of_another(breaker: Breaker, clock: ManualClock) -> None:
    old = breaker.enter()
    assert old is not None
    _open(breaker)
    clock.advance(OPEN_SECONDS)
    assert breaker.enter() is not None
    breaker.leave(old, healthy=True)
    assert breaker.enter() is None


def test_it_tells_how_it_stands(breaker: Breaker, clock: ManualClock) -> None:
    states = [breaker.state]
    _open(breaker)
    states.append(breaker.state)
    clock.advance(OPEN_SECONDS)
    states.append(breaker.state)
    _pass(breaker, healthy=True)
    states.append(breaker.state)
    assert states == ["closed", "open", "half-open", "closed"]
