"""The shared cache when it fails; ``test_processes.py`` has it fail for real."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache
from redis.exceptions import (
    BusyLoadingError,
    ConnectionError as RedisConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TimeoutError as RedisTimeoutError,
)

from papertrade_site.clock import Clock
from papertrade_site.upstream.shared import Lock, SharedCache
from tests.clocks import ManualClock


class BreakableCache(LocMemCache):
    """Raises what it is told to, and counts what it is asked."""

    def __init__(self) -> None:
        super().__init__(uuid4().hex, {})
        self.error: Exception | None = None
        self.refuses_writes_only = False
        self.asked = 0

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, object]:
        self._ask(writes=False)
        return super().get_many(keys, version)

    def set(self, key: str, value: object, timeout: float | None = 300, version: int | None = None) -> None:
        self._ask(writes=True)
        super().set(key, value, timeout, version)

    def add(self, key: str, value: object, timeout: float | None = 300, version: int | None = None) -> bool:
        self._ask(writes=True)
        return super().add(key, value, timeout, version)

    def _ask(self, *, writes: bool) -> None:
        self.asked += 1
        if self.error is not None and (writes or not self.refuses_writes_only):
            raise self.error


@pytest.fixture
def cache() -> BreakableCache:
    return BreakableCache()


@pytest.fixture
def shared(cache: BreakableCache, clock: Clock) -> SharedCache:
    return SharedCache(cache, clock)


@pytest.mark.parametrize(
    "error",
    [
        RedisConnectionError("refused"),
        RedisTimeoutError("slow"),
        BusyLoadingError("loading"),
        OutOfMemoryError("OOM"),
        ReadOnlyError("replica"),
        ResponseError("WRONGTYPE"),
        ConnectionResetError("reset"),
    ],
    ids=lambda error: type(error).__name__,
)
class TestAnyFailure:
    def test_a_write_a_read_and_a_lock_go_on_as_if_nothing_were_stored(
        self, shared: SharedCache, cache: BreakableCache, error: Exception
    ) -> None:
        cache.error = error
        shared.put("a", 1, seconds=10)
        assert shared.get_many(["a"]) == {}
        with shared.held("lock", seconds=15) as lock:
            assert lock is Lock.UNKNOWN

    def test_the_cache_is_used_again_within_a_second_of_its_recovery(
        self, shared: SharedCache, cache: BreakableCache, error: Exception, clock: ManualClock
    ) -> None:
        cache.error = error
        shared.get_many(["a"])
        cache.error = None
        clock.advance(1)
        shared.put("a", 1, seconds=10)
        assert shared.get_many(["a"]) == {"a": 1}

    def test_it_is_logged_once_a_minute(
        self,
        shared: SharedCache,
        cache: BreakableCache,
        error: Exception,
        caplog: pytest.LogCaptureFixture,
        clock: ManualClock,
    ) -> None:
        cache.error = error
        with caplog.at_level(logging.WARNING):
            for _ in range(120):
                shared.get_many(["a"])
                clock.advance(1)
        assert [record.getMessage() for record in caplog.records] == [
            f"The shared cache failed ({type(error).__name__}); reads go on without it."
        ] * 2


@pytest.mark.parametrize("error", [RedisConnectionError("refused"), RedisTimeoutError("slow")])
def test_a_cache_that_cannot_be_reached_is_left_alone_for_a_second(
    shared: SharedCache, cache: BreakableCache, error: Exception, clock: ManualClock
) -> None:
    cache.error = error
    shared.get_many(["a"])
    for _ in range(100):
        shared.get_many(["a"])
        shared.put("a", 1, seconds=10)
    assert cache.asked == 1
    clock.advance(1)
    shared.get_many(["a"])
    assert cache.asked == 2


@pytest.mark.parametrize("error", [OutOfMemoryError("OOM"), ReadOnlyError("replica")])
def test_a_cache_that_only_takes_nothing_in_still_gives_what_it_has(
    shared: SharedCache, cache: BreakableCache, error: Exception
) -> None:
    shared.put("a", 1, seconds=10)
    cache.error, cache.refuses_writes_only = error, True
    shared.put("a", 2, seconds=10)
    assert shared.get_many(["a"]) == {"a": 1}


def test_a_lock_is_won_once_and_free_again_after_the_block(shared: SharedCache) -> None:
    with shared.held("lock", seconds=15) as first, shared.held("lock", seconds=15) as second:
        assert (first, second) == (Lock.WON, Lock.TAKEN)
    with shared.held("lock", seconds=15) as third:
        assert third is Lock.WON


def test_a_block_that_did_not_win_leaves_the_lock_to_its_owner(shared: SharedCache) -> None:
    with shared.held("lock", seconds=15):
        with shared.held("lock", seconds=15):
            pass
        with shared.held("lock", seconds=15) as third:
            assert third is Lock.TAKEN


def test_a_counter_dropped_just_before_it_is_raised_is_made_anew_with_an_end(
    shared: SharedCache, cache: BreakableCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: dict[str, float] = {}

    def end(key: str, timeout: float) -> None:
        ends[key] = timeout

    assert shared.count("quota", seconds=60) == 1
    assert shared.count("quota", seconds=60) == 2
    monkeypatch.setattr(cache, "touch", end)
    monkeypatch.setattr(cache, "incr", lambda _: 1)
    assert shared.count("quota", seconds=60) == 1
    assert ends == {"quota": 60}
