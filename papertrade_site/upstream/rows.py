"""What is kept of a good answer, in this process and in the shared cache, and under which keys.

A key holds a digest of the source (``live`` or ``simulated``), its base address and the resource's
own key, and a stored row repeats them in full; a row that does not match what is asked for, or that
does not have the form written here, counts as absent. So one source is never served as another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Generic

from papertrade_site.clock import Clock
from papertrade_site.strict_json import Json
from papertrade_site.upstream.resource import Lifetime, Resource, Value

MACHINE_SKEW_MS = 1_000
"""How far in the future a copy's time may lie, since clocks of machines differ, and still count as now."""

_ROW_VERSION = 1


@dataclass(frozen=True, slots=True)
class CacheKeys:
    """What one resource of one source is kept under.

    ``origin`` says which source at which base address; ``key`` is the resource's own.
    """

    origin: str
    key: str
    digest: str

    @property
    def copy_key(self) -> str:
        """Cache key of the last good answer."""
        return f"upstream:{self.digest}:copy"

    @property
    def failure_key(self) -> str:
        """Cache key of the last failure, while it is remembered."""
        return f"upstream:{self.digest}:failure"

    @property
    def lock_key(self) -> str:
        """Cache key that whoever refreshes the resource holds meanwhile."""
        return f"upstream:{self.digest}:lock"

    def owns(self, row: Json) -> bool:
        """Whether a stored row was written under these very keys."""
        return isinstance(row, dict) and row.get("origin") == self.origin and row.get("key") == self.key


@lru_cache(maxsize=1024)
def keys_of(origin: str, key: str) -> CacheKeys:
    """The keys of a resource; their digest has 160 bits and is safe in any cache's key."""
    text = f"{_ROW_VERSION}\n{origin}\n{key}"
    return CacheKeys(origin, key, sha256(text.encode()).hexdigest()[:40])


@dataclass(frozen=True, slots=True)
class Copy(Generic[Value]):
    """A good answer, parsed; threads share it, so its value is never changed.

    ``fetched_at_ms`` and ``fetched_at_s`` are the time of the fetch by the wall clock and by the
    monotonic one; ``observed_at_ms`` is the source's own time, or None when it states none.
    """

    value: Value
    fetched_at_ms: int
    fetched_at_s: float
    observed_at_ms: int | None

    def is_fresh(self, lifetime: Lifetime, clock: Clock) -> bool:
        """Whether it may be served without asking the source again."""
        return self._is_within(lifetime.fresh_s, clock)

    def is_usable(self, lifetime: Lifetime, clock: Clock) -> bool:
        """Whether it may be served at all."""
        return self._is_within(lifetime.stale_s, clock)

    def seconds_usable(self, lifetime: Lifetime, clock: Clock) -> float:
        """Seconds until it may no longer be served; 0 when it may not be now."""
        return lifetime.stale_s - self.age_ms(clock) / 1000 if self.is_usable(lifetime, clock) else 0.0

    def stands_still(self, lifetime: Lifetime) -> bool:
        """Whether the source told, when it was asked, of a time further back than a copy may be old."""
        if self.observed_at_ms is None:
            return False
        return self.fetched_at_ms - self.observed_at_ms > lifetime.stale_s * 1000

    def age_ms(self, clock: Clock) -> int:
        """Its age by the clock that says more: one is set back at times, the other stops in sleep."""
        elapsed_s = clock.monotonic() - self.fetched_at_s
        return max(clock.now_ms() - self.fetched_at_ms, int(elapsed_s * 1000))

    def _is_within(self, seconds: float, clock: Clock) -> bool:
        """Never for one whose time lies further ahead than clocks differ."""
        if self.fetched_at_ms > clock.now_ms() + MACHINE_SKEW_MS:
            return False
        return self.age_ms(clock) <= seconds * 1000


def parse_copy(resource: Resource[Value], payload: Json, *, fetched_at_ms: int, clock: Clock) -> Copy[Value]:
    """Turn a raw answer into a copy, judged at the time that it was fetched.

    Raises:
        UnexpectedError: when the answer is not what the source promises.
    """
    value = resource.parse(payload, fetched_at_ms)
    age_ms = max(clock.now_ms() - fetched_at_ms, 0)
    return Copy(
        value,
        fetched_at_ms=fetched_at_ms,
        fetched_at_s=clock.monotonic() - age_ms / 1000,
        observed_at_ms=resource.observed_at_ms(value),
    )


def copy_row(keys: CacheKeys, payload: Json, *, fetched_at_ms: int) -> Json:
    """The stored form of a raw answer."""
    return {"origin": keys.origin, "key": keys.key, "fetchedAtMs": fetched_at_ms, "payload": payload}


def fetched_at(keys: CacheKeys, row: Json) -> int | None:
    """When the answer in a stored row was fetched, in ms; None when it is no row of these keys."""
    if not keys.owns(row) or "payload" not in row:
        return None
    moment = row.get("fetchedAtMs")
    return moment if isinstance(moment, int) else None
