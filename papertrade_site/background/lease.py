"""The right to be the only process, on all machines, that does some background work.

It is a key of the shared cache with the owner's token in it, which expires within ``LEASE_S`` of its owner's
death. The owner renews it every ``RENEW_S`` and counts from the moment before it asked, so it knows without
asking until when nobody else can have the key, even after it was itself stopped for a while.

A renewal reads the token and then sets the expiry. Between the two the key cannot run out and become
another's, for a renewal whose answers come too late for that is not believed. Two windows remain, each of
``RENEW_S`` and a round trip, until the next renewal finds another's token: a cache that loses the key early
(it is emptied, or a replica without it takes over) while somebody asks for it, and a machine that slept,
whose clock did not count the time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final
from uuid import uuid4

from django.core.cache.backends.base import BaseCache

from papertrade_site.clock import Clock
from papertrade_site.outage import Outage

LEASE_S: Final = 6
"""Whole seconds that a lease lives unless it is renewed: the longest that others wait for a dead owner."""

SURE_S: Final = LEASE_S * 0.9
"""Seconds after asking within which the owner can be sure that it is still the owner."""

RENEW_S: Final = 1.5
"""Seconds between two renewals; three of them may fail before the lease is lost."""

FAILED: Final = "The shared cache failed (%s), so nobody knows which process may do the work "

_NEVER: Final = float("-inf")
_log = logging.getLogger(__name__)


class Lease:
    """One process's claim to some work; ``is_ours`` may be asked by any thread.

    Args:
        name: of the work, without spaces; processes that name the same work exclude each other.
        cache: shared by all of them. While it fails nobody can take the lease, and its owner loses it.
        clock: by which it tells how long it can be sure.
    """

    def __init__(self, name: str, cache: BaseCache, clock: Clock) -> None:
        self._name = name
        self._key = f"lease:{name}"
        self._token = uuid4().hex
        self._cache = cache
        self._clock = clock
        self._outage = Outage(clock, f"{FAILED}{name}.")
        self._changing = Lock()
        self._sure_until = _NEVER
        self._has_told_of_waiting = False

    def is_ours(self) -> bool:
        """Whether this process can be sure to be the only owner."""
        return self._clock.monotonic() < self._sure_until

    def take(self) -> bool:
        """Take the lease if nobody has it, and say whether it is ours."""
        with self._changing:
            if not self.is_ours():
                asked_at = self._clock.monotonic()
                is_taken = self._attempt(lambda: self._cache.add(self._key, self._token, timeout=LEASE_S))
                if is_taken:
                    self._sure_until = asked_at + SURE_S
                    _log.info("This process now does the work %s; other processes wait.", self._name)
                elif is_taken is False and not self._has_told_of_waiting:
                    _log.info("Another process does the work %s; this one waits for its turn.", self._name)
                self._has_told_of_waiting = is_taken is False
            return self.is_ours()

    def renew(self) -> None:
        """Lengthen the lease while it is ours; when it turns out to be another's, it is lost at once."""
        with self._changing:
            if not self.is_ours():
                return
            asked_at = self._clock.monotonic()
            is_kept = self._attempt(self._lengthen)
            if is_kept and self.is_ours():
                self._sure_until = asked_at + SURE_S
            elif is_kept is False:
                self._sure_until = _NEVER
                _log.warning("Another process may now do the work %s.", self._name)

    def give_back(self) -> None:
        """Let others take the lease at once, if it is ours."""
        with self._changing:
            if self.is_ours():
                self._sure_until = _NEVER
                self._attempt(self._delete)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease beside the block, whatever the block does, and give it back after it."""
        over = Event()
        keeper = Thread(target=self._keep, args=(over,), name=f"lease {self._name}", daemon=True)
        keeper.start()
        try:
            yield
        finally:
            over.set()
            keeper.join()
            self.give_back()

    def _keep(self, over: Event) -> None:
        while not over.wait(RENEW_S):
            self.renew()

    def _lengthen(self) -> bool:
        return self._cache.get(self._key) == self._token and self._cache.touch(self._key, LEASE_S)

    def _delete(self) -> bool:
        return self._cache.get(self._key) == self._token and self._cache.delete(self._key)

    def _attempt(self, action: Callable[[], bool]) -> bool | None:
        """What the action came to, or None when the cache failed."""
        return self._outage.attempt(action, otherwise=lambda: None)
