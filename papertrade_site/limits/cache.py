"""The cache that django-ratelimit counts in: one round trip a request, and never a failure.

django-ratelimit asks its cache to ``add`` a counter and, when there already is one, to ``incr`` it. With
Django's own Redis cache that is three round trips, it knows no cost but 1, and an error of the server
comes out. Here ``add`` only remembers how long the counter shall live and answers that there is one, and
``incr`` does all the rest in one script, over a connection that the thread keeps: to borrow one from the
pool each time takes as long as to count.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
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
local cost, counts, is_refused = tonumber(ARGV[1]), {{}}, false
for place = 1, #KEYS do
    local key = KEYS[place]
    local count = redis.call('INCRBY', key, cost)
    if count == cost then redis.call('EXPIRE', key, ARGV[2 * place + 1]) end
    if count > tonumber(ARGV[2 * place]) then is_refused = true end
    counts[place] = count
end
if is_refused then
    for place = 1, #KEYS do
        local back = place == 1 and cost - {REFUSED_COST} or cost
        if back > 0 then redis.call('DECRBY', KEYS[place], back) end
    end
end
return counts
"""
"""``Charge.counted`` on the server: no other process can come in between."""

SCRIPT_SHA: Final = sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()


@dataclass(slots=True)
class Counting:
    """A charge on its way through django-ratelimit, which has no words for it, and what came of it.

    Attributes:
        charge: what the next ``incr`` adds.
        counts: what each counter has reached with the whole cost added; empty before.
    """

    charge: Charge
    counts: Sequence[int] = ()


current: ContextVar[Counting] = ContextVar("current")
"""What this thread counts now."""

process_counts = Failover(SystemClock())
"""Django makes a cache for each thread; what is known about the server belongs to the whole process."""


class _Connection(Protocol):
    """What is used of redis-py's connections; one that is closed opens itself for the next command."""

    def send_command(self, *arguments: str | int) -> None: ...
    def read_response(self) -> Sequence[int]: ...
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
        """Add the current charge, and give what its first counter has reached with the whole cost added."""
        key, counting = self.make_and_validate_key(key, version=version), current.get()
        shared = partial(self._run_script, key, counting.charge)
        counts = process_counts.count(key, counting.charge, seconds=self._seconds, shared=shared)
        counting.counts = counts
        return counts[0]

    @cached_property
    def _connection(self) -> _Connection:
        connection: _Connection = self._cache.get_client(write=True).connection_pool.get_connection()
        return connection

    def _run_script(self, key: str, charge: Charge) -> Sequence[int]:
        keys, numbers = [key], [charge.cost, charge.limit, self._seconds]
        for counter in charge.further:
            keys.append(self.make_key(counter.key))
            numbers += counter.limit, counter.seconds
        try:
            return self._ask("EVALSHA", SCRIPT_SHA, len(keys), *keys, *numbers)
        except (NoScriptError, LostConnectionError):  # another server since, which is there now
            return self._ask("EVAL", SCRIPT, len(keys), *keys, *numbers)

    def _ask(self, *command: str | int) -> Sequence[int]:
        try:
            self._connection.send_command(*command)
            return self._connection.read_response()
        except ResponseError:
            raise
        except BaseException:  # what is left of this answer must not be read as the next one
            self._connection.disconnect()
            raise
