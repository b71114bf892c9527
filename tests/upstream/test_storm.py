"""A storm of callers on a cold cache, over HTTP, and a source that hangs meanwhile."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from papertrade_site.clock import SystemClock
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.protocol import Answer, EventStream, Request
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream.budget import CALL_REQUESTS
from papertrade_site.upstream.waiting_room import LINE_S
from tests.faults.deployment import Deployment, deployed
from tests.limits.valkey import OwnValkey, running_valkey
from tests.upstream.storm import Caught, storm

CALLERS: Final = 200
WORKERS: Final = 2
THREADS: Final = 4
AT_ONCE: Final = WORKERS * THREADS
"""As many as have a thread to themselves, half of which have a place to wait on sources."""

HEALTHY_LATENCY_S: Final = 0.05
"""So long that all of them stand there at the same time, and far shorter than anybody stands in line."""

ROUNDS: Final = 3
"""How often they may ask for other wallets, as a machine that is busy makes any source slow."""

LATENCY_S: Final = 1.0
GRACE_S: Final = 0.3
"""What the slowest caller may wait beyond that, on a machine that does nothing else."""

BOOK_FRESH_S: Final = 2
"""The shortest life of a copy that the tool reads: a storm that lasts longer fetches that anew."""

NO_TABLES: Final = "sqlite://:memory:"
"""A database that has none, so that the default limits hold."""

HEALTHY_S: Final = LINE_S + 5
"""What a check of health may wait on a machine that is busy, far below the time that a call may take."""

pytestmark = pytest.mark.slow


class CountingVenue:
    """The embedded exchange, which remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[object, ...]] = Counter()
        self._venue = SimulatedVenue.create(seed=11, clock=SystemClock())

    def answer(self, request: Request) -> Answer | EventStream:
        self.asked[_subject(request)] += 1
        return self._venue.answer(request)


def _subject(request: Request) -> tuple[object, ...]:
    """What is asked for: candles are of a time, which is another in each request."""
    body = json.loads(request.body) if request.body else {}
    if isinstance(body, dict):
        what = body.get("req", body)
        return request.path, request.query, body.get("type"), what.get("coin"), what.get("interval")
    return (request.path,)


def _slowest(caught: Sequence[Caught]) -> float:
    return max(one.seconds for one in caught)


@pytest.fixture
def venue() -> CountingVenue:
    return CountingVenue()


@pytest.fixture
def exchange(venue: CountingVenue) -> Iterator[ExchangeServer]:
    server = ExchangeServer(venue, port=0, board=FaultBoard())
    server.start()
    yield server
    server.stop()


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def site(exchange: ExchangeServer, valkey: OwnValkey, tmp_path: Path) -> Iterator[Deployment]:
    """Two workers of four threads, which have answered before."""
    sources = {
        "PAPERTRADE_EXCHANGE_URL": exchange.address,
        "PAPERTRADE_HYPERLIQUID_URL": exchange.address,
        "PAPERTRADE_HYPEREVM_URL": f"{exchange.address}/evm",
        "PAPERTRADE_THREADS": str(THREADS),
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1/32",
    }
    with deployed(
        redis_url=valkey.url, database=NO_TABLES, log=tmp_path / "log", port=0, workers=WORKERS, **sources
    ) as site:
        for _ in range(2):
            storm(site.port, "/analytics/mcp", call("get_top_traders"), callers=40)
        yield site


def call(tool: str, **arguments: object) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def test_200_callers_of_a_cold_tool_make_one_fetch_of_each_resource_and_wait_hardly_longer_than_one(
    site: Deployment, exchange: ExchangeServer, venue: CountingVenue
) -> None:
    venue.asked.clear()
    exchange.board.put("/", "delay", LATENCY_S)
    caught = storm(site.port, "/analytics/mcp", call("get_market_stats"), callers=CALLERS)
    assert [one.body["result"]["isError"] for one in caught] == [False] * CALLERS
    assert max(venue.asked.values()) <= 1 + _slowest(caught) // BOOK_FRESH_S
    assert len(venue.asked) == CALL_REQUESTS
    exchange.board.clear()
    warm = [
        _slowest(storm(site.port, "/analytics/mcp", call("get_market_stats"), callers=CALLERS))
        for _ in range(3)
    ]
    assert _slowest(caught) <= LATENCY_S + max(GRACE_S, 3 * max(warm))


def test_a_healthy_source_answers_all_of_one_client_who_asks_for_many_cold_wallets_at_once(
    site: Deployment, exchange: ExchangeServer
) -> None:
    exchange.board.put("/", "delay", HEALTHY_LATENCY_S)
    tool = partial(site.call, "liquidations", "get_wallet_distance_to_bust", client="10.1.0.1")

    def refused(first: int) -> list[str]:
        wallets = [{"wallet": f"0x{number:040x}"} for number in range(first, first + AT_ONCE)]
        results = list(pool.map(tool, wallets))
        return [result["content"][0]["text"] for result in results if result["isError"]]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        rounds = (refused(1 + number * AT_ONCE) for number in range(ROUNDS))
        assert not all(rounds)


def test_while_a_source_hangs_a_storm_of_its_callers_holds_up_nobody_else_for_long(
    site: Deployment, exchange: ExchangeServer
) -> None:
    exchange.board.put("/", "hang")
    waits: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        caught = pool.submit(storm, site.port, "/analytics/mcp", call("get_market_stats"), callers=CALLERS)
        while not caught.done():
            began = time.monotonic()
            assert site.get("/healthz").status == 200
            waits.append(time.monotonic() - began)
    assert max(waits) <= HEALTHY_S
    assert sum(wait > LINE_S / 2 for wait in waits) <= WORKERS * THREADS
    texts = [one.body["result"]["content"][0]["text"] for one in caught.result()]
    assert sum("Too many readers are waiting" in text for text in texts) >= CALLERS - WORKERS * THREADS
    assert [one.body["result"]["isError"] for one in caught.result()] == [True] * CALLERS
