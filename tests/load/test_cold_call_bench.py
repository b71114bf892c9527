"""How long a caller of each map waits when nothing is cached and every upstream answer takes 100 ms.

This runs with ``make bench`` only, over sockets; the embedded exchange runs in this process and takes a part
of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Final
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache
from pytest_benchmark.fixture import BenchmarkFixture

from mcp_liquidations.tools import get_bust_cluster_summary, get_bust_map, get_closest_to_bust
from mcp_liquidations.wallets import MAX_WALLETS
from papertrade_site.clock import SystemClock
from papertrade_site.env import Source
from papertrade_site.mcp.tool import Answer, Tool
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.sources import Sources

LATENCY_S: Final = 0.1
ROUNDS: Final = 5
CLOCK: Final = SystemClock()

CALLS: Final[list[tuple[Tool[Any], dict[str, Any]]]] = [
    (get_bust_map.TOOL, {"market": "BTC", "cascadePercent": 1}),
    (get_closest_to_bust.TOOL, {"market": "all"}),
    (get_bust_cluster_summary.TOOL, {"market": "all"}),
]
"""Each reads ``MAX_WALLETS`` wallets unless told otherwise."""


@pytest.fixture(scope="module")
def server() -> Iterator[ExchangeServer]:
    board = FaultBoard()
    server = ExchangeServer(SimulatedVenue.create(seed=7, clock=CLOCK), port=0, board=board)
    board.put("/", "delay", LATENCY_S)
    server.start()
    yield server
    server.stop()


def _clients(server: ExchangeServer) -> Clients:
    addresses = {
        Host.EXCHANGE: server.address,
        Host.HYPERLIQUID: server.address,
        Host.HYPEREVM: f"{server.address}/evm",
    }
    clients = {
        host: HttpClient(base_url=address, clock=CLOCK, expect_simulated=True)
        for host, address in addresses.items()
    }
    return Clients(Source.SIMULATED, clients)


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[tool.name for tool, _ in CALLS])
def test_a_cold_call_reads_44_wallets(
    benchmark: BenchmarkFixture, server: ExchangeServer, tool: Tool[Any], arguments: dict[str, Any]
) -> None:
    def call() -> Answer:
        """Call as the first caller of a process does, whose cache is as empty as its memory."""
        with (
            closing(_clients(server)) as clients,
            closing(CachedReader(LocMemCache(uuid4().hex, {}), CLOCK, waiters=1)) as reader,
        ):

            def sources(*, requests: int) -> Sources:
                budget = CallBudget(CLOCK, requests=requests)
                return Sources(clients=clients, reader=reader, budget=budget, clock=CLOCK)

            with patch.object(process_sources, "for_call", sources):
                return tool.answer(tool.checked(arguments))

    server.board.reset_counts()
    run: Callable[..., Answer] = benchmark.pedantic
    answer = run(call, rounds=ROUNDS, warmup_rounds=1)
    assert f"The {MAX_WALLETS} largest wallets hold" in answer.summary
    benchmark.extra_info["upstream_latency_ms"] = round(LATENCY_S * 1000)
    benchmark.extra_info["requests"] = sum(server.board.counts().values()) // (ROUNDS + 1)
