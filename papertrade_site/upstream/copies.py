"""What is known of each resource without asking its source: this process's memory over the shared cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from django.core.cache.backends.base import BaseCache

from papertrade_site.clock import Clock, iso
from papertrade_site.memory import LruCache
from papertrade_site.strict_json import Json
from papertrade_site.upstream.errors import UnexpectedError, UpstreamError
from papertrade_site.upstream.failures import Failure, failure_of, parse_failure
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.resource import Value
from papertrade_site.upstream.rows import Copy, copy_row, fetched_at, parse_copy
from papertrade_site.upstream.shared import Lock, SharedCache
from papertrade_site.upstream.want import Want

Outcome = Reading[Any] | UpstreamError
"""What a read came to."""


class Copies:
    """Copies and remembered failures of all resources; used by all threads of a process.

    Memory holds parsed values, so that a stored answer is parsed once per process.
    """

    def __init__(self, cache: BaseCache, clock: Clock) -> None:
        self._clock = clock
        self._shared = SharedCache(cache, clock)
        self._parsed: LruCache[Copy[Any]] = LruCache()
        self._failures: LruCache[Failure] = LruCache()

    def settled(self, want: Want[Any]) -> Outcome | None:
        """What memory can answer for good: a fresh copy, or what a recent failure leaves."""
        copy = self._parsed.get(want.keys.digest)
        if copy is not None and copy.is_fresh(want.resource.lifetime, self._clock):
            return self._reading(want, copy)
        failure = self._failures.get(want.keys.digest)
        if failure is not None and failure.holds(self._clock):
            return self.fall_back(want, failure.error(self._clock))
        return None

    def previous(self, want: Want[Value], *, failure: UpstreamError | None = None) -> Reading[Value] | None:
        """The copy in memory, within its stale limit; degraded when a refresh failed."""
        copy: Copy[Value] | None = self._parsed.get(want.keys.digest)
        if copy is None or not copy.is_usable(want.resource.lifetime, self._clock):
            return None
        return self._reading(want, copy, failure=failure)

    def fall_back(self, want: Want[Any], error: UpstreamError) -> Outcome:
        """What a failed refresh leaves: the previous copy, degraded, or the error."""
        return self.previous(want, failure=error) or error

    def seconds_usable(self, want: Want[Any]) -> float:
        """Seconds until the copy in memory passes its stale limit; 0 when there is none within it."""
        copy = self._parsed.get(want.keys.digest)
        return 0.0 if copy is None else copy.seconds_usable(want.resource.lifetime, self._clock)

    def look(self, wants: Sequence[Want[Any]]) -> None:
        """Take over what other processes have stored since, in one round trip to the shared cache."""
        wanted = [key for want in wants for key in (want.keys.copy_key, want.keys.failure_key)]
        rows = self._shared.get_many(wanted)
        for want in wants:
            self._take_over_copy(want, rows)
            self._take_over_failure(want, rows)

    def keep(self, want: Want[Value], payload: Json) -> Reading[Value]:
        """Parse an answer that has just come in and store it for everyone.

        Raises:
            UnexpectedError: when the answer is not what the source promises; nothing is stored then.
        """
        now_ms = self._clock.now_ms()
        copy = parse_copy(want.resource, payload, fetched_at_ms=now_ms, clock=self._clock)
        self._parsed.put(want.keys.digest, copy)
        row = copy_row(want.keys, payload, fetched_at_ms=now_ms)
        self._shared.put(want.keys.copy_key, row, seconds=want.resource.lifetime.stale_s)
        return replace(self._reading(want, copy), is_new=True)

    def remember(self, want: Want[Any], error: UpstreamError) -> None:
        """Let everyone know for a while that the source has just failed."""
        failure = failure_of(error, self._clock)
        self._failures.put(want.keys.digest, failure)
        self._shared.put(want.keys.failure_key, failure.row(want.keys), seconds=failure.hold_s)

    def lock(self, want: Want[Any], *, seconds: int) -> AbstractContextManager[Lock]:
        """Try to be the one process that refreshes a resource, for at most so many seconds."""
        return self._shared.held(want.keys.lock_key, seconds=seconds)

    def _take_over_copy(self, want: Want[Any], rows: Mapping[str, Json]) -> None:
        row: Json = rows.get(want.keys.copy_key)
        stored_at_ms = fetched_at(want.keys, row)
        if stored_at_ms is None or not self._is_news(want, stored_at_ms):
            return
        try:
            copy = parse_copy(want.resource, row["payload"], fetched_at_ms=stored_at_ms, clock=self._clock)
        except UnexpectedError:  # stored by another version of this program: counts as absent
            return
        self._parsed.put(want.keys.digest, copy)

    def _is_news(self, want: Want[Any], stored_at_ms: int) -> bool:
        held = self._parsed.get(want.keys.digest)
        if held is None:
            return True
        if held.is_usable(want.resource.lifetime, self._clock):
            return stored_at_ms > held.fetched_at_ms
        return stored_at_ms != held.fetched_at_ms  # the same row again would look younger than it is

    def _take_over_failure(self, want: Want[Any], rows: Mapping[str, Json]) -> None:
        row: Json = rows.get(want.keys.failure_key)
        failure = parse_failure(want.keys, row, source=want.resource.name, clock=self._clock)
        held = self._failures.get(want.keys.digest)
        if failure is not None and (held is None or failure.until_ms != held.until_ms):
            self._failures.put(want.keys.digest, failure)

    def _reading(
        self, want: Want[Value], copy: Copy[Value], *, failure: UpstreamError | None = None
    ) -> Reading[Value]:
        lifetime, age_ms = want.resource.lifetime, copy.age_ms(self._clock)
        fresh = copy.is_fresh(lifetime, self._clock)
        note = None if failure is None or fresh else f"Not refreshed: {failure}"
        stands_still = copy.stands_still(lifetime)
        if stands_still and copy.observed_at_ms is not None:
            note = f"The source itself tells of {iso(copy.observed_at_ms)}."
        return Reading(
            name=want.resource.name,
            value=copy.value,
            fetched_at_ms=self._clock.now_ms() - max(age_ms, 0),
            observed_at_ms=copy.observed_at_ms,
            state=State.FRESH if fresh and not stands_still else State.STALE,
            fresh_until_s=self._clock.monotonic() + lifetime.fresh_s - age_ms / 1000,
            degraded=stands_still or (failure is not None and not fresh),
            note=note,
        )
