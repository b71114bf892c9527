"""The whole site while its exchange hangs or fails, and when a process dies in the middle of a refresh."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, Final

import psutil
import pytest

from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.upstream.breaker import OPEN_SECONDS
from papertrade_site.upstream.cached import LOCK_S
from tests.faults.deployment import Deployment, deployed, running_exchange, within
from tests.faults.pings import new_client
from tests.limits.valkey import OwnValkey, running_valkey

CEILING_S: Final = 12.5
FAIL_FAST_S: Final = 0.5
LEFT_ALONE: Final = re.compile("The host of the exchange's .+ keeps failing and is being left alone")
PATHS_OF_OTHER_HOSTS: Final = {"/info", "/evm"}
WORST: Final = ("liquidations", "get_closest_to_bust", {"market": "all", "wallets": 44})
SNAPSHOT: Final[tuple[str, str, dict[str, Any]]] = ("analytics", "get_protocol_snapshot", {})

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def exchange() -> Iterator[ExchangeServer]:
    with running_exchange() as exchange:
        yield exchange


@pytest.fixture(scope="module")
def board(exchange: ExchangeServer) -> FaultBoard:
    return exchange.board


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnValkey]:
    with running_valkey(tmp_path_factory.mktemp("v") / "v") as valkey:
        yield valkey


@pytest.fixture(scope="module")
def site(
    exchange: ExchangeServer,
    valkey: OwnValkey,
    empty_database: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("site")
    with deployed(
        redis_url=valkey.url,
        database=Path(shutil.copy(empty_database, folder)),
        log=folder / "log",
        PAPERTRADE_SIMULATOR_PORT=str(exchange.server_address[1]),
    ) as site:
        yield site


@pytest.fixture(autouse=True)
def cold(site: Deployment, board: FaultBoard, valkey: OwnValkey) -> None:
    """Begin with a new process that knows nothing, and with an exchange that behaves."""
    assert site.get("/healthz").status == 200
    _kill_worker(site)
    board.clear()
    board.reset_counts()
    valkey.redis.flushall()
    assert site.get("/healthz").status == 200  # by the one that took its place


def _kill_worker(site: Deployment) -> None:
    """Kill the process that answers; gunicorn starts another."""
    (worker,) = psutil.Process(site.pid).children()
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait(CEILING_S)


def _call(site: Deployment, server: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A call of a client who has not called before, so that no limit stands in the way."""
    return site.call(server, tool, arguments, client=new_client())


def _stats(site: Deployment) -> dict[str, Any]:
    return _call(site, "analytics", "get_market_stats", {"symbol": "BTC"})


def _locks(valkey: OwnValkey) -> list[str]:
    """The refreshes that go on, in any process."""
    return [key for key in valkey.stored_keys() if key.endswith(":lock")]


def _text(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


@pytest.mark.requirement("limit:upstream-time")
def test_a_call_ends_in_time_while_its_source_hangs_or_drips_and_the_site_answers_meanwhile(
    site: Deployment, board: FaultBoard
) -> None:
    board.put("/state/", "hang")
    board.put("/query/protocol/summary", "drip_head")
    began = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(_call, site, *call) for call in (WORST, SNAPSHOT)]
        assert within(
            CEILING_S, lambda: {"/state/trading", "/query/protocol/summary"} <= board.counts().keys()
        )
        assert [site.get(path).status for path in ("/healthz", "/", "/analytics/docs/mcp")] == [200] * 3
        assert not any(call.done() for call in calls)
        results = [call.result() for call in calls]
    assert time.monotonic() - began <= CEILING_S
    assert [result["isError"] for result in results] == [True] * 2
    assert all("Try again in" in _text(result) for result in results)


def test_calls_fail_at_once_while_a_source_is_left_alone_and_one_of_them_finds_that_it_is_back(
    site: Deployment, board: FaultBoard
) -> None:
    board.put("/", "html_500")
    assert within(CEILING_S, lambda: LEFT_ALONE.search(_text(_stats(site))) is not None)
    board.reset_counts()
    took = []
    for _ in range(20):
        began = time.monotonic()
        assert _stats(site)["isError"]
        took.append(time.monotonic() - began)
    assert median(took) < FAIL_FAST_S
    assert board.counts().keys() <= PATHS_OF_OTHER_HOSTS

    board.clear()
    assert within(OPEN_SECONDS + CEILING_S, lambda: not _call(site, *WORST)["isError"])


def test_a_process_that_is_killed_in_the_middle_of_a_refresh_keeps_nobody_from_the_next(
    site: Deployment, board: FaultBoard, valkey: OwnValkey
) -> None:
    board.put("/state/trading", "hang")
    with ThreadPoolExecutor(1) as pool:
        lost = pool.submit(_stats, site)
        assert within(CEILING_S, lambda: board.counts().get("/state/trading", 0) > 0)
        assert within(CEILING_S, lambda: len(_locks(valkey)) == 1)  # what else the call needs has been read
        (lock,) = _locks(valkey)
        assert 0 < int(str(valkey.redis.ttl(lock))) <= LOCK_S
        _kill_worker(site)
        assert lost.exception(CEILING_S) is not None
    board.clear()
    began = time.monotonic()
    result = _stats(site)
    assert time.monotonic() - began <= LOCK_S
    assert not result["isError"]
    assert not result["structuredContent"]["freshness"]["degraded"]
