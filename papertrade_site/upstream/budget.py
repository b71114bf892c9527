"""How much one tool call may ask of the sources: a number of requests and a span of time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from papertrade_site.clock import Clock
from papertrade_site.upstream.errors import BudgetSpentError

CALL_SECONDS = 12.0
"""The longest that one tool call may take over its upstream reads."""

CALL_REQUESTS = 8
"""Upstream requests of an ordinary tool call; a retry counts as one."""

BOOK_CALL_REQUESTS = 50
"""Upstream requests of a call that reads the tracked wallets one by one."""


class CallBudget:
    """The upstream requests and the time left to one tool call; shared by the threads that serve it."""

    def __init__(self, clock: Clock, *, requests: int = CALL_REQUESTS, seconds: float = CALL_SECONDS) -> None:
        self._clock = clock
        self._deadline = clock.monotonic() + seconds
        self._lock = Lock()
        self._requests_left = requests
        self._reserved = 0

    @property
    def seconds_left(self) -> float:
        """Seconds until the call must end; 0 or below once it must have ended."""
        return self._deadline - self._clock.monotonic()

    @property
    def requests_left(self) -> int:
        """Upstream requests that the call may still make."""
        return self._requests_left

    @contextmanager
    def reserved(self, requests: int) -> Iterator[None]:
        """Keep so many requests back during the block for first tries, so that no retry takes them."""
        with self._lock:
            self._reserved = requests
        try:
            yield
        finally:
            with self._lock:
                self._reserved = 0

    def spare_request(self) -> bool:
        """Set one request aside for a retry; False when all that are left are kept for first tries."""
        with self._lock:
            if self._requests_left <= self._reserved:
                return False
            self._reserved += 1
            return True

    def spend_request(self, source: str) -> None:
        """Take one request off the budget.

        Raises:
            BudgetSpentError: when none is left.
        """
        with self._lock:
            if self._requests_left <= 0:
                raise BudgetSpentError(
                    "This call has used all the upstream requests it may make.",
                    source=source,
                    advice="Ask for less at a time.",
                )
            self._requests_left -= 1
            self._reserved = max(self._reserved - 1, 0)
