"""Processes of the site that are asked to stop, or killed, while they answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException

import psutil
import pytest

from tests.faults.deployment import within
from tests.limits.valkey import OwnValkey
from tests.serving import Served, serving

WAIT_S = 30
REQUESTS = 6
THREADS = 64
WORKERS = 2

pytestmark = pytest.mark.slow


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(THREADS) as pool:
        yield pool


@pytest.fixture
def holding(valkey: OwnValkey) -> Iterator[Served]:
    """Two workers, either of which could hold all requests of a test."""
    environ = {"REDIS_URL": valkey.url, "WEB_CONCURRENCY": str(WORKERS), "PAPERTRADE_THREADS": str(THREADS)}
    with serving("tests.faults.holding_site:application", environ=environ) as served:
        yield served


def _ask(port: int) -> int:
    """The process that has answered, or 0 when the connection was lost."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=WAIT_S)) as connection:
        try:
            connection.request("GET", "/")
            return int(connection.getresponse().read())
        except (OSError, HTTPException):
            return 0


def _held(valkey: OwnValkey) -> int:
    """The process that holds the next request."""
    while (word := valkey.redis.blpop(["held"], timeout=1)) is None:
        pass
    assert isinstance(word, list | tuple)
    return int(word[1])


def _let_go(valkey: OwnValkey, pid: int) -> None:
    valkey.redis.rpush(f"go:{pid}", "on")


def _wait_for_both(pool: ThreadPoolExecutor, valkey: OwnValkey, holding: Served) -> None:
    """Ask until either worker has answered: one may begin to listen long before the other."""
    seen: set[int] = set()
    while len(seen) < WORKERS:
        asked = pool.submit(_ask, holding.port)
        _let_go(valkey, _held(valkey))
        seen.add(asked.result(WAIT_S))


def _start(
    pool: ThreadPoolExecutor, valkey: OwnValkey, holding: Served
) -> tuple[list[Future[int]], list[int]]:
    """Have requests held, until both workers have at least one."""
    _wait_for_both(pool, valkey, holding)
    asked: list[Future[int]] = []
    holders: list[int] = []
    while len(holders) < REQUESTS or len(set(holders)) < WORKERS:
        asked.append(pool.submit(_ask, holding.port))
        holders.append(_held(valkey))
    return asked, holders


def test_requests_under_way_are_answered_when_the_site_is_asked_to_stop(
    holding: Served, valkey: OwnValkey, pool: ThreadPoolExecutor
) -> None:
    asked, holders = _start(pool, valkey, holding)
    workers = psutil.Process(holding.pid).children()
    os.kill(holding.pid, signal.SIGTERM)
    for pid in holders:
        _let_go(valkey, pid)
    assert sorted(each.result(WAIT_S) for each in asked) == sorted(holders)
    assert psutil.wait_procs(workers, timeout=WAIT_S)[1] == []


def _ask_until_refused(port: int, answers: list[int], resets: list[ConnectionError]) -> None:
    """Ask again and again, each time on a new connection, until none is to be had."""
    while True:
        with closing(HTTPConnection("127.0.0.1", port, timeout=WAIT_S)) as connection:
            try:
                connection.connect()
            except ConnectionRefusedError:
                return
            try:
                connection.request("GET", "/healthz")
                answers.append(connection.getresponse().status)
            except ConnectionError as error:
                resets.append(error)


def test_whoever_has_connected_when_the_site_is_asked_to_stop_is_answered_and_others_are_refused(
    valkey: OwnValkey, pool: ThreadPoolExecutor
) -> None:
    answers: list[int] = []
    resets: list[ConnectionError] = []
    environ = {"REDIS_URL": valkey.url, "WEB_CONCURRENCY": str(WORKERS), "PAPERTRADE_THREADS": "2"}
    with serving("papertrade_site.wsgi:application", environ=environ) as served:
        asking = [pool.submit(_ask_until_refused, served.port, answers, resets) for _ in range(8)]
        assert within(WAIT_S, lambda: len(answers) > 200)
        os.kill(served.pid, signal.SIGTERM)
        assert [each.result(WAIT_S) for each in asking] == [None] * len(asking)
    assert set(answers) == {200}
    assert (
        len(resets) <= WORKERS
    )  # one may connect between a worker's last look and its close of the listener


def test_a_worker_that_is_killed_takes_its_own_requests_along_and_no_others(
    holding: Served, valkey: OwnValkey, pool: ThreadPoolExecutor
) -> None:
    asked, holders = _start(pool, valkey, holding)
    victim = holders[0]
    os.kill(victim, signal.SIGKILL)
    for pid in holders:
        _let_go(valkey, pid)
    answers = [each.result(WAIT_S) for each in asked]
    assert sorted(answers) == sorted(0 if pid == victim else pid for pid in holders)

    again = pool.submit(_ask, holding.port)
    _let_go(valkey, _held(valkey))
    assert again.result(WAIT_S) != 0
