"""One host that is being read: how many may wait on it, when to leave it alone, and how it has been."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from threading import BoundedSemaphore, Lock

from papertrade_site.clock import Clock
from papertrade_site.upstream.breaker import Breaker, BreakerState
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    SlowError,
    UnreachableError,
    UpstreamError,
)

SLOTS = 6
"""Requests that may wait on one host at a time, in one process."""

SLOT_WAIT_SECONDS = 5.0
"""The longest that a caller stands in line for one of them."""

PATIENT_SECONDS = 2.0
"""A host is blamed for being slow only when the caller had at least this long to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostHealth:
    """What an operator may want to know about a host.

    ``requests`` counts those sent since the process started; ``last_error`` is the kind of the latest
    failure (the name of its class), which stays on record after a success.
    """

    requests: int
    last_error: str | None
    last_success_ms: int | None
    breaker: BreakerState


class Host:
    """Decides whether a request may be sent to a host now, and learns from how it went; thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._breaker = Breaker(clock)
        self._slots = BoundedSemaphore(SLOTS)
        self._lock = Lock()
        self._busy_until = float("-inf")
        self._requests = 0
        self._last_error: str | None = None
        self._last_success_ms: int | None = None

    @property
    def health(self) -> HostHealth:
        """The host's record so far."""
        with self._lock:
            return HostHealth(
                requests=self._requests,
                last_error=self._last_error,
                last_success_ms=self._last_success_ms,
                breaker=self._breaker.state,
            )

    @contextmanager
    def turn(self, source: str, budget: CallBudget) -> Iterator[None]:
        """Hold one of the host's places while a single request is made.

        The error that leaves the block decides what is learnt: an unreachable or slow host is a
        failure for the breaker; any other answer, also a 404, a 429 or a wrong shape, shows that the
        host is there. A 429 lets nobody pass until its ``retry_after_s`` is over.

        Raises:
            BusyError: when the host asked to be left alone, or no place came free in time.
            UnreachableError: when the breaker is open.
            BudgetSpentError: when the call may make no further request.
        """
        self._refuse_while_resting(source)
        if not self._slots.acquire(timeout=max(min(budget.seconds_left, SLOT_WAIT_SECONDS), 0.0)):
            raise BusyError(
                f"Too many reads are waiting for {source} already. Try again in a moment.",
                source=source,
                retry_after_s=1,
            )
        try:
            self._refuse_while_resting(source)
            with self._observed(source, budget):
                yield
        finally:
            self._slots.release()

    @contextmanager
    def _observed(self, source: str, budget: CallBudget) -> Iterator[None]:
        ticket = self._breaker.enter()
        if ticket is None:
            raise self._resting_error(source)
        patient = budget.seconds_left >= PATIENT_SECONDS
        healthy: bool | None = None
        try:
            budget.spend_request(source)
            self._count_request()
            yield
            healthy = True
            self._note_success()
        except UpstreamError as error:
            healthy = _verdict(error, patient=patient)
            self._note_failure(error)
            raise
        finally:
            self._breaker.leave(ticket, healthy=healthy)

    def _refuse_while_resting(self, source: str) -> None:
        busy_s = self._busy_until - self._clock.monotonic()
        if busy_s > 0:
            raise BusyError(
                f"The host of {source} asked for a pause. Try again in {ceil(busy_s)} s.",
                source=source,
                retry_after_s=ceil(busy_s),
            )
        if self._breaker.wait_s > 0:
            raise self._resting_error(source)

    def _resting_error(self, source: str) -> UnreachableError:
        wait_s = max(ceil(self._breaker.wait_s), 1)
        return UnreachableError(
            f"The host of {source} keeps failing and is being left alone. Try again in {wait_s} s.",
            source=source,
            retry_after_s=wait_s,
        )

    def _count_request(self) -> None:
        with self._lock:
            self._requests += 1

    def _note_success(self) -> None:
        with self._lock:
            self._last_success_ms = self._clock.now_ms()

    def _note_failure(self, error: UpstreamError) -> None:
        if isinstance(error, BudgetSpentError):
            return
        with self._lock:
            self._last_error = type(error).__name__
            if isinstance(error, BusyError) and error.retry_after_s is not None:
                until = self._clock.monotonic() + error.retry_after_s
                self._busy_until = max(self._busy_until, until)


def _verdict(error: UpstreamError, *, patient: bool) -> bool | None:
    if isinstance(error, UnreachableError):
        return False
    if isinstance(error, SlowError):
        return False if patient else None
    return None if isinstance(error, BudgetSpentError) else True
