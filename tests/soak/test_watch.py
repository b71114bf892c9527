"""Locks of a real Valkey that are kept for too long, and those that are not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from redis import Redis

from papertrade_site.background.lease import LEASE_S
from papertrade_site.upstream.cached import LOCK_S
from tests.clocks import ManualClock
from tests.limits.valkey import running_valkey
from tests.soak.watch import LockWatch, kept_for_good, samples

LOCK = ":1:upstream:abc:lock"
LEASE = ":1:lease:tracker"


def test_files_are_counted_without_open_connections_of_clients() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as stack:
        port = int(listener.getsockname()[1])
        me = psutil.Process()
        (before,) = samples([me], port=port)
        clients = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(5)]
        served = [stack.enter_context(listener.accept()[0]) for _ in clients]
        (during,) = samples([me], port=port)
        assert during.files == before.files + len(clients)  # this process has the clients' ends too
        for client in clients:
            client.close()
        assert all(connection.recv(1) == b"" for connection in served)
        (after,) = samples([me], port=port)
        assert after.files == before.files + len(served)  # closed by their clients, and not by their server


@pytest.fixture
def redis(short_tmp_path: Path) -> Iterator[Redis]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey.redis
        valkey.redis.connection_pool.disconnect()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def watch(redis: Redis, clock: ManualClock) -> LockWatch:
    return LockWatch(redis, clock.monotonic)


def test_a_lock_within_its_lease_is_let_pass(redis: Redis, watch: LockWatch) -> None:
    redis.set(LOCK, "one", ex=LOCK_S)
    redis.set(LEASE, "one", ex=LEASE_S)
    assert watch.stuck() == []


@pytest.mark.parametrize("key", [LOCK, LEASE])
def test_a_lock_that_never_expires_is_found(redis: Redis, watch: LockWatch, key: str) -> None:
    redis.set(key, "one")
    (found,) = watch.stuck()
    assert found.startswith(f"{key} lasts -1 ms")
    assert kept_for_good(redis) == [key]


@pytest.mark.parametrize("key", [LOCK, LEASE])
def test_a_lock_that_may_last_too_long_is_found(redis: Redis, watch: LockWatch, key: str) -> None:
    redis.set(key, "one", ex=60)
    assert len(watch.stuck()) == 1
    assert kept_for_good(redis) == []


def test_a_lock_that_is_kept_in_the_same_hands_is_found(
    redis: Redis, watch: LockWatch, clock: ManualClock
) -> None:
    redis.set(LOCK, "one", ex=LOCK_S)
    assert watch.stuck() == []
    clock.advance(LOCK_S + 2)
    redis.expire(LOCK, LOCK_S)
    assert watch.stuck() == [f"{LOCK} has been in the same hands for {LOCK_S + 2} s"]


def test_a_lock_that_changes_hands_and_a_lease_that_is_renewed_are_let_pass(
    redis: Redis, watch: LockWatch, clock: ManualClock
) -> None:
    for holder in ("one", "two", "three"):
        redis.set(LOCK, holder, ex=LOCK_S)
        redis.set(LEASE, "one", ex=LEASE_S)
        assert watch.stuck() == []
        clock.advance(LOCK_S)
