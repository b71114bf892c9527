"""The way to one host: how many may wait on it at once, and when to leave it alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
from papertrade_site.upstream.labels import sentence

SLOTS = 6
"""Requests that may wait on one host at a time, in one process."""

SLOT_WAIT_SECONDS = 5.0
"""The longest that a caller stands in line for one of them."""

PATIENT_SECONDS = 2.0
"""A host is blamed for being slow only when the caller had at least this long to wait."""


class Gate:
    """Decides whether a request may be sent to a host now, and learns from how it went; thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._breaker = Breaker(clock)
        self._slots = BoundedSemaphore(SLOTS)
        self._lock = Lock()
        self._busy_until = float("-inf")

    @property
    def breaker(self) -> BreakerState:
        """Whether the breaker lets requests through now."""
        return self._breaker.state

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
                sentence("Too many reads are waiting for {} already.", source),
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
            yield
            healthy = True
        except UpstreamError as error:
            healthy = _verdict(error, patient=patient)
            self._rest_after(error)
            raise
        finally:
            self._breaker.leave(ticket, healthy=healthy)

    def _refuse_while_resting(self, source: str) -> None:
        busy_s = self._busy_until - self._clock.monotonic()
        if busy_s > 0:
            raise BusyError(
                sentence("The host of {} asked for a pause.", source),
                source=source,
                retry_after_s=ceil(busy_s),
            )
        if self._breaker.wait_s > 0:
            raise self._resting_error(source)

    def _resting_error(self, source: str) -> UnreachableError:
        wait_s = max(ceil(self._breaker.wait_s), 1)
        return UnreachableError(
            sentence("The host of {} keeps failing and is being left alone.", source),
            source=source,
            retry_after_s=wait_s,
        )

    def _rest_after(self, error: UpstreamError) -> None:
        if isinstance(error, BusyError) and error.retry_after_s is not None:
            until = self._clock.monotonic() + error.retry_after_s
            with self._lock:
                self._busy_until = max(self._busy_until, until)


def _verdict(error: UpstreamError, *, patient: bool) -> bool | None:
    if isinstance(error, UnreachableError):
        return False
    if isinstance(error, SlowError):
        return False if patient else None
    return None if isinstance(error, BudgetSpentError) else True
