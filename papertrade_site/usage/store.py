"""Telling Redis what this process has counted, in one round trip a second, and reading what all have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, Final
from uuid import uuid4

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.outage import Outage, process_failures
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.tally import HostNews, Tally, process_tally
from papertrade_site.usage import wire
from papertrade_site.usage.buffer import Batch, Buffer, process_buffer
from papertrade_site.usage.counts import ClientCounts
from papertrade_site.usage.families import Family
from papertrade_site.usage.ledger import LIMITED_SHOWN_MS, MOST_LIMITED, Ledger
from papertrade_site.usage.wire import HostState, StoredMinute

KEPT_MS: Final = 3 * HOUR_MS
"""How long Redis keeps a minute and an hour's clients: for so long the rollup may be away without loss."""

NEWS_KEPT_MS: Final = 8 * 24 * HOUR_MS
"""How long it is known when a host last answered, and how it last failed, though nobody asks it any more."""

MOST_FAILURES: Final = 50
"""Different failures of hosts that are known at most, each by when it was last met."""

FAILED: Final = "The usage counters failed (%s); this process keeps its own until Redis is back."

_KEPT_S: Final = KEPT_MS // 1000
_LIMITED_S: Final = LIMITED_SHOWN_MS // 1000


class Store:
    """What one process tells; threads may share one.

    Args:
        clock: says which minutes are told again, and what is old.
        buffer: where the process counts messages.
        tally: where it counts reads and requests.
    """

    def __init__(self, clock: Clock, buffer: Buffer, tally: Tally) -> None:
        self._clock = clock
        self._buffer = buffer
        self._tally = tally
        self.forget()

    def flush(self) -> Batch:
        """Take what the process has counted since the last time and tell Redis; gives what was taken.

        Never fails for Redis: what cannot be told now is told with the next flush.
        """
        with self._lock:
            batch = self._drained()
            self._ledger.add(batch)
            if self._outage.attempt(self._tell, otherwise=lambda: False):
                self._ledger.told()
            self._ledger.forget(self._clock.now_ms())
            return batch

    def forget(self) -> None:
        """Begin anew, with another name, as in a process that was just forked."""
        self._lock = Lock()
        self._ledger = Ledger()
        self._outage = Outage(self._clock, FAILED)
        self._writer = uuid4().hex[:12]

    def _drained(self) -> Batch:
        counted = self._buffer.drain()
        return Batch(
            messages=counted.messages,
            clients=counted.clients,
            sources=self._tally.drain(),
            redis_failures=process_failures.drain(),
            lost=counted.lost,
        )

    def _tell(self) -> bool:
        now_ms = self._clock.now_ms()
        pipeline = connection().pipeline(transaction=False)
        self._tell_minutes(pipeline, now_ms)
        self._tell_clients(pipeline, now_ms)
        self._tell_news(pipeline)
        if pipeline.command_stack:
            pipeline.execute()
        return True

    def _tell_minutes(self, pipeline: Redis, now_ms: int) -> None:
        fields = {
            start_ms: wire.minute_fields(self._writer, minute)
            for start_ms, minute in self._ledger.minutes(now_ms).items()
        }
        touched = {str(start_ms): now_ms for start_ms in fields}
        hosts = wire.host_fields(self._writer, host_states(self._tally))
        if hosts:
            fields.setdefault(now_ms - now_ms % MINUTE_MS, {}).update(hosts)
        for start_ms, row in fields.items():
            pipeline.hset(wire.key("minute", start_ms), mapping=dict[Any, Any](row))
            pipeline.expire(wire.key("minute", start_ms), _KEPT_S)
        if touched:
            pipeline.zadd(wire.key("touched"), touched)
            pipeline.zremrangebyscore(wire.key("touched"), "-inf", now_ms - KEPT_MS)
            pipeline.expire(wire.key("touched"), _KEPT_S)

    def _tell_clients(self, pipeline: Redis, now_ms: int) -> None:
        for (hour_ms, server), clients in self._ledger.clients().items():
            name = wire.key("clients", hour_ms, server)
            pipeline.hset(name, self._writer, wire.clients_text(clients))
            pipeline.expire(name, _KEPT_S)
        limited = self._ledger.limited(now_ms)
        for server in {who.server for who in limited}:
            name = wire.key("limited", server)
            members = {
                wire.limited_member(who.client, who.family): at_ms
                for who, at_ms in limited.items()
                if who.server == server
            }
            pipeline.zadd(name, members, gt=True)
            pipeline.zremrangebyscore(name, "-inf", now_ms - LIMITED_SHOWN_MS)
            pipeline.zremrangebyrank(name, 0, -MOST_LIMITED - 1)
            pipeline.expire(name, _LIMITED_S)

    def _tell_news(self, pipeline: Redis) -> None:
        news = self._tally.news()
        answered = {host: of.last_success_ms for host, of in news.items() if of.last_success_ms is not None}
        failed = {
            wire.failure_member(host, of.last_error): of.last_error_ms
            for host, of in news.items()
            if of.last_error is not None and of.last_error_ms is not None
        }
        for name, members in (("answered", answered), ("failed", failed)):
            if members:
                pipeline.zadd(wire.key(name), dict[Any, Any](members), gt=True)
                pipeline.zremrangebyrank(wire.key(name), 0, -MOST_FAILURES - 1)
                pipeline.expire(wire.key(name), NEWS_KEPT_MS // 1000)


process_store = Store(SystemClock(), process_buffer, process_tally)
"""This process's own."""

os.register_at_fork(after_in_child=process_store.forget)


def connection() -> Redis:
    """Redis, as the settings of the cache name it; waits no longer than the cache does, and never twice."""
    cache: dict[str, Any] = settings.CACHES["default"]
    options = cache["OPTIONS"]
    return _connected(cache["LOCATION"], options["socket_timeout"], options["socket_connect_timeout"])


def host_states(tally: Tally = process_tally) -> dict[Host, HostState]:
    """How this process finds each host that it has asked."""
    breakers, news = process_sources.breakers(), tally.news()
    return {host: HostState(breakers[host], news[host]) for host in news if host in breakers}


def stored_news() -> dict[Host, HostNews]:
    """When each host last answered any process, and how and when it last failed one, running or not.

    Raises:
        RedisError: when Redis does not answer as it should.
    """
    pipeline = connection().pipeline(transaction=False)
    for name in ("answered", "failed"):
        pipeline.zrevrange(wire.key(name), 0, -1, withscores=True)
    answered, failed = pipeline.execute()
    return wire.read_news(dict(answered), dict(failed))


def stored_minutes(starts_ms: Sequence[int]) -> dict[int, StoredMinute]:
    """What all processes have told of minutes, by their start; one that nobody told of is left out.

    Raises:
        RedisError: when Redis does not answer as it should.
    """
    pipeline = connection().pipeline(transaction=False)
    for start_ms in starts_ms:
        pipeline.hgetall(wire.key("minute", start_ms))
    told = zip(starts_ms, pipeline.execute(), strict=True)
    return {start_ms: wire.read_minute(fields) for start_ms, fields in told if fields}


def touched_since(since_ms: float) -> list[int]:
    """The starts of the minutes that were told of since a time, oldest first.

    Raises:
        RedisError: when Redis does not answer as it should.
    """
    touched = [
        str(start_ms) for start_ms in connection().zrangebyscore(wire.key("touched"), since_ms, "+inf")
    ]
    return sorted(int(start_ms) for start_ms in touched if wire.is_start(start_ms))


def stored_clients(hour_ms: int, server: str) -> dict[str, ClientCounts]:
    """The busiest clients of an hour, by their hash.

    Raises:
        RedisError: when Redis does not answer as it should.
    """
    return wire.read_clients([str(text) for text in connection().hvals(wire.key("clients", hour_ms, server))])


def stored_limited(server: str, *, since_ms: int) -> dict[str, tuple[Family, int]]:
    """The families of clients that were limited since a time, and when they last were, newest first.

    Raises:
        RedisError: when Redis does not answer as it should.
    """
    rows: list[Any] = connection().zrevrangebyscore(
        wire.key("limited", server), "+inf", since_ms, withscores=True
    )
    limited: dict[str, tuple[Family, int]] = {}
    for member, at_ms in rows:
        client, family = wire.read_limited(member)
        limited.setdefault(client, (family, int(at_ms)))
    return limited


@lru_cache(maxsize=1)
def _connected(location: str, timeout: float, connect_timeout: float) -> Redis:
    return Redis.from_url(
        location,
        decode_responses=True,
        socket_timeout=timeout,
        socket_connect_timeout=connect_timeout,
        retry=Retry(NoBackoff(), 0),
    )
