"""One allowance for all worker processes, over real gunicorn and a real Valkey."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection

import pytest

from tests.limits.valkey import OwnValkey
from tests.serving import serving
from tests.windows import client_with_time

WORKERS = 2
PATIENCE_S = 30


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    pid: int
    left: str


Ask = Callable[..., Reply]


@pytest.fixture
def ask(valkey: OwnValkey) -> Iterator[Ask]:
    """Run two workers behind one socket, which believes this machine about who a client is."""
    environ = {"REDIS_URL": valkey.url, "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1"}
    options = f"--config {os.devnull} --no-control-socket --log-level warning --workers {WORKERS}".split()
    with serving("tests.limits.limited_site:application", *options, environ=environ) as served:
        yield partial(_reply, served.port)


def _reply(port: int, path: str, *, client: str) -> Reply:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", path, headers={"X-Forwarded-For": client})
    response = connection.getresponse()
    pid = int(response.read())
    connection.close()
    return Reply(response.status, pid, response.headers["RateLimit"])


def _client_with_time(ask: Ask) -> str:
    return client_with_time(lambda client: ask("/", client=client).left, "198.51.100")


def _meet(ask: Ask, client: str) -> None:
    """Make one request at each worker."""
    with ThreadPoolExecutor(WORKERS) as pool:
        met = list(pool.map(lambda _: ask("/meet", client=client), range(WORKERS)))
    assert len({reply.pid for reply in met}) == WORKERS


@pytest.mark.requirement("limit:requests:liquidations")
def test_workers_share_a_client_s_allowance(ask: Ask) -> None:
    client = _client_with_time(ask)
    _meet(ask, client)
    statuses = [ask("/", client=client).status for _ in range(29)]
    assert statuses == [200] * 27 + [429] * 2


def test_a_batch_counts_whole_at_every_worker(ask: Ask) -> None:
    client = _client_with_time(ask)
    _meet(ask, client)
    statuses = [ask("/batch", client=client).status for _ in range(6)]
    assert statuses == [200] * 5 + [429]
    assert [ask("/", client=client).status for _ in range(2)] == [200, 429]


def test_workers_limit_each_on_its_own_while_there_is_no_valkey(ask: Ask, valkey: OwnValkey) -> None:
    client = _client_with_time(ask)
    with valkey.gone():
        replies = [ask("/", client=client) for _ in range(WORKERS * 30 + 1)]
        passed = [reply.pid for reply in replies if reply.status == 200]
        assert all(passed.count(pid) <= 30 for pid in set(passed))
        assert 30 <= len(passed) <= WORKERS * 30
        assert {reply.status for reply in replies} == {200, 429}
