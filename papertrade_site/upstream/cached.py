"""Cached reads: fresh from memory or the shared cache, else refreshed by one caller for all.

A copy has two limits of age. Up to the first it answers every caller. From then on it is due, and one
caller, of all threads, processes and machines, spends his own budget on asking the source. The others
do not wait for him: they get the copy as it is, marked ``stale``. Only where there is no copy to give
do they wait for what he brings, and one of them takes his place when he seems to have died.

While a copy stands behind him he asks for a few seconds only, and never until that copy has ended: a
source that hangs then costs its age and not the answer.

If he brings an error, every process keeps it for some seconds (or for as long as the source wants to be
left alone) and does not ask again. Meanwhile the copy goes out as ``degraded``, with a note that says
why. At the second limit the copy ends, and callers get the error in its place.

Only so many callers of a process may wait on sources at once (``waiting_room.py``). One too many gets the
previous copy, ``stale`` and no more, like one who comes during a refresh, as nothing has failed. Without a
copy he stands in line for a moment, a longer one if others are reading all that he wants; if no place becomes
free meanwhile, or sources were slow lately, he gets ``BusyError``.

A resource that callers can name without end is asked for out of a quota of all processes (``quota.py``).
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.core.cache.backends.base import BaseCache

from papertrade_site.clock import Clock
from papertrade_site.memory import LruCache
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.copies import Copies, Outcome
from papertrade_site.upstream.errors import BusyError, SlowError, UpstreamError
from papertrade_site.upstream.failures import FAIR_CHANCE_S, is_the_callers_own
from papertrade_site.upstream.flight import Flights
from papertrade_site.upstream.freshness import Reading
from papertrade_site.upstream.labels import sentence
from papertrade_site.upstream.quota import Quota
from papertrade_site.upstream.resource import Value
from papertrade_site.upstream.shared import Lock
from papertrade_site.upstream.waiting_room import WaitingRoom
from papertrade_site.upstream.want import Want
from papertrade_site.upstream.worker_pool import WorkerPool

LOCK_S = 15
"""Seconds after which the lock of a refresher that died is free by itself; more than a call may take."""

POLL_S = 0.03
"""Pause between two looks at a refresh that another process is making."""

LOOK_AGAIN_S = 0.1
"""Seconds that a process serves its old copy before it looks again whether another has refreshed it."""

BUSY_RETRY_S = 2
"""What a caller is told to wait when too many are waiting already."""

COPY_MARGIN_S = 0.5
"""How long before its end the previous copy must be in hand, to be served in time."""

SPARED_S = 4.0
"""The longest that a caller with copies in hand waits for all sources, of which some may wait their turn."""

LEAST_REFRESH_S = 1.0
"""A source is not cut shorter than this; a copy that ends so soon is not waited by."""

_log = logging.getLogger(__name__)


class CachedReader:
    """Reads resources for all threads of a process.

    Args:
        cache: the cache that all processes share.
        clock: tells the age of copies.
        waiters: how many callers may wait on sources at once.
        lock_s: when the lock of a refresher that died becomes free, in whole seconds.
        sleep: pauses between looks at another process's refresh.
    """

    def __init__(
        self,
        cache: BaseCache,
        clock: Clock,
        *,
        waiters: int,
        lock_s: int = LOCK_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock = clock
        self._lock_s = lock_s
        self._sleep = sleep
        self._copies = Copies(cache, clock)
        self._refreshed_elsewhere: LruCache[float] = LruCache()
        self._flights = Flights()
        self._workers = WorkerPool()
        self._room = WaitingRoom(waiters, clock)
        self._quota = Quota(cache, clock)

    def read(self, want: Want[Value], budget: CallBudget) -> Reading[Value]:
        """The resource, as fresh as it can be had within the budget.

        Raises:
            UpstreamError: when it cannot be refreshed and there is no copy within its stale limit.
        """
        outcome = self.read_many([want], budget)[0]
        if isinstance(outcome, UpstreamError):
            raise outcome
        return outcome

    def read_many(self, wants: Sequence[Want[Any]], budget: CallBudget) -> list[Outcome]:
        """Several resources, in one round trip to the cache and with their refreshes side by side.

        The outcomes are in the order asked for; an error stands in the place of what failed.
        """
        outcomes = self._at_hand(wants)
        unknown = [want for want in wants if want.keys.digest not in outcomes]
        if unknown:
            self._copies.look(unknown)
            outcomes |= self._at_hand(unknown)
        due = {want.keys.digest: want for want in unknown if want.keys.digest not in outcomes}
        if due:
            outcomes |= zip(due, self._refresh_all(list(due.values()), budget), strict=True)
        return [outcomes[want.keys.digest] for want in wants]

    def close(self) -> None:
        """Let the threads go once their present work ends; no further read may be made."""
        self._workers.close()

    def _at_hand(self, wants: Sequence[Want[Any]]) -> dict[str, Outcome]:
        """What can be said without waiting, as far as this process knows, by the wants' digests."""
        known = ((want.keys.digest, self._copies.settled(want) or self._under_way(want)) for want in wants)
        return {digest: outcome for digest, outcome in known if outcome is not None}

    def _under_way(self, want: Want[Any]) -> Outcome | None:
        """The previous copy, while somebody else is known to be refreshing it."""
        until = self._refreshed_elsewhere.get(want.keys.digest)
        elsewhere = until is not None and self._clock.monotonic() < until
        if elsewhere or self._flights.is_running(want.keys.digest):
            return self._copies.previous(want)
        return None

    def _refresh_all(self, wants: Sequence[Want[Any]], budget: CallBudget) -> list[Outcome]:
        keys = {want.keys.digest for want in wants}
        can_do_without = all(self._copies.previous(want) is not None for want in wants)
        with self._room.place(keys, seconds=0 if can_do_without else budget.seconds_left) as has_place:
            if not has_place:
                return [self._crowded_out(want) for want in wants]
            return self._refresh_side_by_side(wants, budget)

    def _refresh_side_by_side(self, wants: Sequence[Want[Any]], budget: CallBudget) -> list[Outcome]:
        short = budget.within(SPARED_S)
        jobs = [partial(self._refresh, want, short if self._has_spare(want) else budget) for want in wants]
        with budget.reserved(len(jobs)):
            outcomes = self._workers.run(jobs, seconds_left=lambda: budget.seconds_left)
        return [
            self._out_of_time(want) if outcome is None else outcome
            for want, outcome in zip(wants, outcomes, strict=True)
        ]

    def _refresh(self, want: Want[Any], budget: CallBudget) -> Outcome:
        """Lead this process's refresh, or take what the thread that leads it leaves behind."""
        digest = want.keys.digest
        while budget.seconds_left > 0:
            settled = self._copies.settled(want)  # by somebody else, while this caller stood in line
            if settled is not None:
                return settled
            flight = self._flights.join(digest)
            if flight is None:
                try:
                    return self._lead(want, budget)
                finally:
                    self._flights.land(digest)
            previous = self._copies.previous(want)
            if previous is not None:
                return previous
            flight.wait(budget.seconds_left)
        return self._copies.settled(want) or self._copies.previous(want) or self._out_of_time(want)

    def _lead(self, want: Want[Any], budget: CallBudget) -> Outcome:
        """Refresh for all processes, or take what the one that is doing so leaves behind."""
        while budget.seconds_left > 0:
            with self._copies.lock(want, seconds=self._lock_s) as lock:
                self._copies.look([want])  # after the lock, so that what its last holder stored is seen
                settled = self._copies.settled(want)
                if settled is not None:
                    return settled
                if lock is not Lock.TAKEN:
                    return self._fetch(want, budget)
            previous = self._copies.previous(want)
            if previous is not None:
                self._refreshed_elsewhere.put(want.keys.digest, self._clock.monotonic() + LOOK_AGAIN_S)
                return previous
            self._sleep(POLL_S)
        return self._copies.previous(want) or self._out_of_time(want)

    def _fetch(self, want: Want[Any], budget: CallBudget) -> Outcome:
        seconds = min(budget.seconds_left, self._patience_s(want))
        part = budget.within(seconds)
        if want.resource.is_endless:
            part = part.charged_to(self._quota.of(want.origin))
        try:
            return self._copies.keep(want, want.resource.fetch(want.client, part))
        except UpstreamError as raised:
            error = raised.anew()
        if error.detail:
            _log.warning("%s: %s: %s (%s)", error.source, type(error).__name__, str(error), error.detail)
        if not is_the_callers_own(error, seconds_given=seconds):
            self._copies.remember(want, error)
        return self._copies.fall_back(want, error)

    def _patience_s(self, want: Want[Any]) -> float:
        """How long the source may take: as long as the call has, unless a copy can be served in its place."""
        if not self._has_spare(want):
            return math.inf
        return min(self._copies.seconds_usable(want) - COPY_MARGIN_S, FAIR_CHANCE_S)

    def _has_spare(self, want: Want[Any]) -> bool:
        """Whether there is a copy to serve that lasts as long as a source is waited for at least."""
        return self._copies.seconds_usable(want) - COPY_MARGIN_S >= LEAST_REFRESH_S

    def _crowded_out(self, want: Want[Any]) -> Outcome:
        return self._copies.previous(want) or BusyError(
            "Too many readers are waiting for sources already.",
            source=want.resource.name,
            retry_after_s=BUSY_RETRY_S,
        )

    def _out_of_time(self, want: Want[Any]) -> Outcome:
        source = want.resource.name
        text = sentence("{} did not answer in the time that this call had left.", source)
        error = SlowError(text, source=source)
        return self._copies.fall_back(want, error)
