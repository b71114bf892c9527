"""When the client asks again, and when it leaves a host alone."""

from __future__ import annotations

import httpx
import pytest

from papertrade_site.clock import Clock
from papertrade_site.upstream.breaker import FAILURES_TO_OPEN
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import (
    BusyError,
    MissingError,
    RefusedError,
    SlowError,
    UnreachableError,
    UpstreamError,
)
from tests.clocks import ManualClock
from tests.upstream.scripted_host import SOURCE, UPSTREAM_TEXT, Answering, failed, ok


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_failure_that_may_pass_is_tried_once_more_after_a_short_pause(
    answering: Answering, status: int
) -> None:
    exchange = answering(failed(status), ok([1]))
    assert exchange.get() == [1]
    assert len(exchange.requests) == 2
    (pause,) = exchange.pauses
    assert 0.2 <= pause <= 0.4


@pytest.mark.parametrize("failure", [httpx.ConnectError(UPSTREAM_TEXT), httpx.ConnectTimeout(UPSTREAM_TEXT)])
def test_a_connection_that_did_not_come_about_is_tried_once_more(
    answering: Answering, failure: Exception
) -> None:
    exchange = answering(failure, ok([1]))
    assert exchange.get() == [1]


def test_a_second_failure_is_final(answering: Answering) -> None:
    exchange = answering(failed(503), failed(503), ok())
    with pytest.raises(UnreachableError):
        exchange.get()
    assert len(exchange.requests) == 2


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (failed(400), RefusedError),
        (failed(404), MissingError),
        (failed(429), BusyError),
        (failed(500), UnreachableError),
        (httpx.ReadTimeout(UPSTREAM_TEXT), SlowError),
        (httpx.WriteTimeout(UPSTREAM_TEXT), SlowError),
        (httpx.ReadError(UPSTREAM_TEXT), UnreachableError),
        (httpx.RemoteProtocolError(UPSTREAM_TEXT), UnreachableError),
    ],
)
def test_every_other_failure_is_final_at_once_and_echoes_nothing(
    answering: Answering, failure: httpx.Response | Exception, kind: type[UpstreamError]
) -> None:
    exchange = answering(failure, ok())
    with pytest.raises(kind) as refused:
        exchange.get()
    assert len(exchange.requests) == 1
    assert UPSTREAM_TEXT not in str(refused.value)
    assert refused.value.source == SOURCE
    assert refused.value.__cause__ is None


def test_the_retry_waits_as_long_as_the_source_asks(answering: Answering) -> None:
    exchange = answering(failed(503, **{"Retry-After": "3"}), ok([1]))
    assert exchange.get() == [1]
    assert exchange.pauses == [3]


def test_a_wait_that_does_not_fit_the_call_is_handed_on_instead(answering: Answering, clock: Clock) -> None:
    exchange = answering(failed(503, **{"Retry-After": "5"}), ok())
    with pytest.raises(UnreachableError) as refused:
        exchange.get(budget=CallBudget(clock, seconds=4))
    assert refused.value.retry_after_s == 5
    assert len(exchange.requests) == 1


def test_the_retry_counts_as_a_request_and_is_left_out_when_none_is_left(
    answering: Answering, clock: Clock
) -> None:
    exchange = answering(failed(503), ok())
    with pytest.raises(UnreachableError):
        exchange.get(budget=CallBudget(clock, requests=1))
    assert len(exchange.requests) == 1
    budget = CallBudget(clock, requests=2)
    exchange = answering(failed(503), ok())
    exchange.get(budget=budget)
    assert budget.requests_left == 0


def test_a_call_without_time_left_asks_nothing(answering: Answering, clock: Clock) -> None:
    exchange = answering(ok())
    with pytest.raises(SlowError):
        exchange.get(budget=CallBudget(clock, seconds=0))
    assert exchange.requests == []


def test_after_a_429_the_host_is_left_alone_until_it_said(answering: Answering, clock: ManualClock) -> None:
    exchange = answering(failed(429, **{"Retry-After": "7"}), ok([1]))
    for _ in range(2):
        with pytest.raises(BusyError) as refused:
            exchange.get()
        assert refused.value.retry_after_s == 7
    assert len(exchange.requests) == 1
    clock.advance(7)
    assert exchange.get() == [1]


def test_a_host_that_keeps_failing_is_not_asked_for_a_while(answering: Answering, clock: ManualClock) -> None:
    exchange = answering(*[failed(500)] * FAILURES_TO_OPEN, ok([1]))
    for _ in range(FAILURES_TO_OPEN + 3):
        with pytest.raises(UnreachableError):
            exchange.get()
    assert len(exchange.requests) == FAILURES_TO_OPEN
    clock.advance(10)
    assert exchange.get() == [1]


def test_a_breaker_that_opens_between_the_tries_spares_the_second(answering: Answering) -> None:
    exchange = answering(*[failed(503)] * 10)
    for _ in range(4):
        with pytest.raises(UnreachableError):
            exchange.get()
    assert len(exchange.requests) == FAILURES_TO_OPEN


@pytest.mark.parametrize("status", [400, 404, 302])
def test_answers_that_cannot_be_used_do_not_open_the_breaker(answering: Answering, status: int) -> None:
    exchange = answering(*[failed(status)] * (FAILURES_TO_OPEN + 1))
    for _ in range(FAILURES_TO_OPEN + 1):
        with pytest.raises(UpstreamError):
            exchange.get()
    assert len(exchange.requests) == FAILURES_TO_OPEN + 1
