"""How much one tool call may ask of the sources: a number of requests and a span of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from threading import Lock
from typing import Self

from papertrade_site.clock import Clock
from papertrade_site.patience import REQUEST_S
from papertrade_site.upstream.errors import BudgetSpentError

CALL_SECONDS = REQUEST_S
"""The longest that one tool call may take over its upstream reads."""

CALL_REQUESTS = 8
"""Upstream requests of an ordinary tool call; a retry counts as one."""

BOOK_CALL_REQUESTS = 50
"""Upstream requests of a call that reads the tracked wallets one by one."""


Spend = Callable[[str], None]
"""Takes one request for a source out of some quota, or raises ``BudgetSpentError``."""


def _freely(_: str) -> None:
    """There is no quota."""


class CallBudget:
    """The upstream requests and the time left to one tool call; shared by the threads that serve it."""

    def __init__(self, clock: Clock, *, requests: int = CALL_REQUESTS, seconds: float = CALL_SECONDS) -> None:
        self._clock = clock
        self._deadline = clock.monotonic() + seconds
        self._requests = _Requests(requests)
        self._spend_of_quota: Spend = _freely

    @property
    def seconds_left(self) -> float:
        """Seconds until the call must end; 0 or below once it must have ended."""
        return self._deadline - self._clock.monotonic()

    @property
    def requests_left(self) -> int:
        """Upstream requests that the call may still make."""
        return self._requests.left

    def within(self, seconds: float) -> Self:
        """The same budget for a part of the call that must end sooner; requests are counted together."""
        part = copy(self)
        part._deadline = min(self._deadline, self._clock.monotonic() + seconds)
        return part

    def charged_to(self, quota: Spend) -> Self:
        """The same budget for a part of the call whose requests also come out of a quota."""
        part = copy(self)
        part._spend_of_quota = quota
        return part

    @contextmanager
    def reserved(self, requests: int) -> Iterator[None]:
        """Keep so many requests back during the block for first tries, so that no retry takes them."""
        with self._requests.lock:
            self._requests.reserved = requests
        try:
            yield
        finally:
            with self._requests.lock:
                self._requests.reserved = 0

    def spare_request(self) -> bool:
        """Set one request aside for a retry; False when all that are left are kept for first tries."""
        with self._requests.lock:
            if self._requests.left <= self._requests.reserved:
                return False
            self._requests.reserved += 1
            return True

    def spend_request(self, source: str) -> None:
        """Take one request off the budget, and out of the quota that it is charged to.

        Raises:
            BudgetSpentError: when none is left of either.
        """
        with self._requests.lock:
            if self._requests.left <= 0:
                raise BudgetSpentError(
                    "This call has used all the upstream requests it may make.",
                    source=source,
                    advice="Ask for less at a time.",
                )
            self._requests.left -= 1
            self._requests.reserved = max(self._requests.reserved - 1, 0)
        self._spend_of_quota(source)


class _Requests:
    """The requests of a call and of all its parts."""

    def __init__(self, left: int) -> None:
        self.lock = Lock()
        self.left = left
        self.reserved = 0
