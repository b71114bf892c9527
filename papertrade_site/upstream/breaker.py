"""The breaker: after enough failures in a row a host is left alone for a while, then tried once."""

from __future__ import annotations

from enum import StrEnum
from threading import Lock

from papertrade_site.clock import Clock

FAILURES_TO_OPEN = 5
OPEN_SECONDS = 10.0
PROBE_WAIT_SECONDS = 1.0
"""What a caller is told to wait while somebody else's probe is under way."""


class BreakerState(StrEnum):
    """Whether a host is asked: always, not for a while, or once to see."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Breaker:
    """Counts failures in a row; thread-safe, and never waits.

    Closed: everything passes. Open: nothing passes for ``OPEN_SECONDS``. Half-open: exactly one probe
    passes; its success closes the breaker, its failure opens it anew, and a probe without a verdict
    makes room for the next one. A request that began before the last change of state no longer counts.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._open_until: float | None = None
        self._probing = False
        self._epoch = 0

    @property
    def wait_s(self) -> float:
        """Seconds until ``enter`` may let a request pass; 0 when it would now."""
        with self._lock:
            shut = self._seconds_shut()
            return PROBE_WAIT_SECONDS if self._probing and shut <= 0 else shut

    @property
    def state(self) -> BreakerState:
        """How it stands now."""
        with self._lock:
            if self._open_until is None:
                return BreakerState.CLOSED
            return BreakerState.OPEN if self._seconds_shut() > 0 else BreakerState.HALF_OPEN

    def enter(self) -> int | None:
        """Ask to pass: a ticket to hand to ``leave``, or None when the host is to be left alone."""
        with self._lock:
            if self._open_until is None:
                return self._epoch
            if self._probing or self._seconds_shut() > 0:
                return None
            self._probing = True
            self._epoch += 1
            return self._epoch

    def leave(self, ticket: int, *, healthy: bool | None) -> None:
        """Report how a request went; None when it says nothing about the host."""
        with self._lock:
            if ticket != self._epoch:
                return
            was_probe, self._probing = self._probing, False
            if healthy is True:
                self._failures = 0
                self._open_until = None
            elif healthy is False:
                self._failures += 1
                if was_probe or self._failures >= FAILURES_TO_OPEN:
                    self._open_until = self._clock.monotonic() + OPEN_SECONDS
                    self._epoch += 1

    def _seconds_shut(self) -> float:
        if self._open_until is None:
            return 0.0
        return max(self._open_until - self._clock.monotonic(), 0.0)
