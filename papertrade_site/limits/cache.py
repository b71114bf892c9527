"""The cache that django-ratelimit counts in: one round trip a request, and never a failure.

django-ratelimit asks its cache to ``add`` a counter and, when there already is one, to ``incr`` it. With
Django's own Redis cache that is three round trips, it knows no cost but 1, and an error of the server
comes out. Here ``add`` only remembers how long the counter shall live and answers that there is one, and
``incr`` does all the rest in one script.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cached_property, partial
from hashlib import sha1
from typing import Any, Final

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis import Redis
from redis.exceptions import NoScriptError

from papertrade_site.clock import SystemClock
from papertrade_site.limits.charge import REFUSED_COST, Charge
from papertrade_site.limits.failover import Failover

SCRIPT: Final = f"""
local cost, limit, seconds = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local count = redis.call('INCRBY', KEYS[1], cost)
if count == cost then redis.call('EXPIRE', KEYS[1], seconds) end
if count > limit and cost > {REFUSED_COST} then redis.call('DECRBY', KEYS[1], cost - {REFUSED_COST}) end
return count
"""
"""``Charge.counted`` on the server: no other process can come in between."""

SCRIPT_SHA: Final = sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()

current_charge: ContextVar[Charge] = ContextVar("current_charge")
"""What the next ``incr`` adds: django-ratelimit has no words for a cost and a limit that may change."""

process_counts = Failover(SystemClock())
"""Django makes a cache for each thread; what is known about the server belongs to the whole process."""


class LimitCache(RedisCache):
    """Counters of clients, for django-ratelimit alone; each thread has its own instance."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._seconds = 0

    def add(
        self, key: str, value: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Remember how long the counter that ``incr`` is about to touch shall live; nothing is sent."""
        self._seconds = int(self.get_backend_timeout(timeout) or 0)
        return False

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add the current charge, and give the count before a refused one is given back."""
        key, charge = self.make_and_validate_key(key, version=version), current_charge.get()
        shared = partial(_run_script, self._redis, key, charge, self._seconds)
        return process_counts.count(key, charge, seconds=self._seconds, shared=shared)

    @cached_property
    def _redis(self) -> Redis:
        client: Redis = self._cache.get_client(write=True)
        return client


def _run_script(redis: Redis, key: str, charge: Charge, seconds: int) -> int:
    arguments = (1, key, charge.cost, charge.limit, seconds)
    try:
        return int(redis.evalsha(SCRIPT_SHA, *arguments))
    except NoScriptError:  # a new server; it knows the script from here on
        return int(redis.eval(SCRIPT, *arguments))
