"""Locks of a real Valkey that are kept for too long, and those that are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from papertrade_site.background.lease import LEASE_S
from papertrade_site.upstream.cached import LOCK_S
from tests.clocks import ManualClock
from tests.limits.valkey import running_valkey
from tests.soak.watch import LockWatch, kept_for_good

LOCK = ":1:upstream:abc:lock"
LEASE = ":1:lease:tracker"


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
