"""The cache that django-ratelimit counts in: one round trip a request, and never a failure.

django-ratelimit asks its cache to ``add`` a counter and, when there already is one, to ``incr`` it. With
Django's own Redis cache that is three round trips, it knows no cost but 1, and an error of the server
comes out. Here ``add`` only remembers how long the counter shall live and answers that there is one, and
``incr`` does all the rest in one script, over a connection that the thread keeps: to borrow one from the
pool each time takes as long as to count.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cached_property, partial
from hashlib import sha1
from typing import Any, Final, Protocol

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as LostConnectionError, NoScriptError, ResponseError

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


class _Connection(Protocol):
    """What is used of redis-py's connections; one that is closed opens itself for the next command."""

    def send_command(self, *arguments: str | int) -> None: ...
    def read_response(self) -> bytes | int: ...
    def disconnect(self) -> None: ...


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
        shared = partial(self._run_script, key, charge)
        return process_counts.count(key, charge, seconds=self._seconds, shared=shared)

    @cached_property
    def _connection(self) -> _Connection:
        connection: _Connection = self._cache.get_client(write=True).connection_pool.get_connection()
        return connection

    def _run_script(self, key: str, charge: Charge) -> int:
        arguments = (1, key, charge.cost, charge.limit, self._seconds)
        try:
            return self._ask("EVALSHA", SCRIPT_SHA, *arguments)
        except (NoScriptError, LostConnectionError):  # another server since, which is there now
            return self._ask("EVAL", SCRIPT, *arguments)

    def _ask(self, *command: str | int) -> int:
        try:
            self._connection.send_command(*command)
            return int(self._connection.read_response())
        except ResponseError:
            raise
        except BaseException:  # what is left of this answer must not be read as the next one
            self._connection.disconnect()
            raise
