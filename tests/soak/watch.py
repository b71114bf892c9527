"""What the processes of the service take of the machine, and what lies in its cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import psutil
from redis import Redis

from papertrade_site.background.lease import LEASE_S
from papertrade_site.upstream.cached import LOCK_S
from tests.weighing import MEBIBYTE

CACHE_DATA: Final = "cache's data"
GRACE_S: Final = 1.0
NAMES: Final = {
    "simulate_exchange": "exchange",
    "track_wallets": "tracker",
    "record_history": "recorder",
    "roll_up_usage": "rollup",
    "run": "run",
}
"""What processes are called, by the command that each is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What one process takes at a time.

    Attributes:
        at_s: seconds by the monotonic clock.
        name: of the process, with its number.
        memory_mb: its own, without what it shares with others; of ``CACHE_DATA``, as the cache counts it.
        files: open file descriptors, without open connections of clients: how many of those there are is the
            clients' affair. One that the client has closed and the process has not counts.
        threads: of the process.
    """

    at_s: float
    name: str
    memory_mb: float
    files: int
    threads: int


def samples(processes: Iterable[psutil.Process], *, port: int) -> Iterator[Sample]:
    """What each process takes now; one that has ended is left out.

    Args:
        processes: of the service.
        port: where its clients connect.
    """
    for process in processes:
        with suppress(psutil.NoSuchProcess), process.oneshot():
            yield Sample(
                at_s=time.monotonic(),
                name=name_of(process),
                memory_mb=process.memory_full_info().uss / MEBIBYTE,
                files=process.num_fds() - _clients(process, port),
                threads=process.num_threads(),
            )


def _clients(process: psutil.Process, port: int) -> int:
    """The connections of clients that are open at both ends."""
    return sum(
        connection.status == psutil.CONN_ESTABLISHED
        and bool(connection.laddr)
        and connection.laddr.port == port
        for connection in process.net_connections("tcp4")
    )


def sample_of_cache(redis: Redis) -> Sample:
    """What the cache counts of its own data; its buffers of connections are left out."""
    told = cast("dict[str, int]", redis.info("memory"))
    return Sample(
        at_s=time.monotonic(),
        name=CACHE_DATA,
        memory_mb=told["used_memory_dataset"] / MEBIBYTE,
        files=0,
        threads=0,
    )


def name_of(process: psutil.Process) -> str:
    """What a process of the service is, with its number."""
    words = process.cmdline()
    name = next((NAMES[word] for word in words if word in NAMES), None)
    if name is None:
        name = "site" if "gunicorn" in words else Path(words[0]).name
    return f"{name} {process.pid}"


class LockWatch:
    """Finds locks that outlive their lease, by looking again and again.

    Args:
        redis: a connection to the cache that answers in text.
        clock: seconds that never go back.
    """

    def __init__(self, redis: Redis, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis = redis
        self._clock = clock
        self._seen: dict[str, tuple[str, float]] = {}

    def stuck(self) -> list[str]:
        """What is wrong with the locks that there are now."""
        found = [*self._look("*:lock", LOCK_S, can_be_renewed=False)]
        return [*found, *self._look("*lease:*", LEASE_S, can_be_renewed=True)]

    def _look(self, pattern: str, lease_s: int, *, can_be_renewed: bool) -> Iterator[str]:
        now = self._clock()
        for key in self._redis.scan_iter(pattern, count=1_000):
            left_ms, holder = (self._redis.pttl(key), cast("str | None", self._redis.get(key)))
            if holder is None:
                continue
            if left_ms == -1 or left_ms > lease_s * 1000:
                yield f"{key} lasts {left_ms} ms, and may last {lease_s} s"
            before, since = self._seen.get(key, (holder, now))
            self._seen[key] = (holder, since if before == holder else now)
            if not can_be_renewed and before == holder and now - since > lease_s + GRACE_S:
                yield f"{key} has been in the same hands for {now - since:.0f} s"


def kept_for_good(redis: Redis) -> list[str]:
    """Keys that never expire."""
    return [str(key) for key in redis.scan_iter(count=1_000) if redis.pttl(key) == -1]
