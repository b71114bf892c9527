"""A time that stands still, requests of any client, and a real Valkey that can be made to misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.http import HttpRequest
from django.test import RequestFactory
from pytest_django import Settings
from redis import ConnectionPool

from papertrade_site.limits import cache
from papertrade_site.limits.failover import Failover
from tests.clocks import ManualClock
from tests.limits.valkey import BUSY_MACHINE_S, OwnValkey, cache_at, running_valkey

RequestOf = Callable[..., HttpRequest]


@pytest.fixture
def clock() -> ManualClock:
    """Stand still until the test moves it; by it the cache's failures are forgotten."""
    return ManualClock()


@pytest.fixture(autouse=True)
def failover(clock: ManualClock, new_allowances: None, monkeypatch: pytest.MonkeyPatch) -> Failover:
    """Begin as a new process does, by the test's clock."""
    failover = Failover(clock)
    monkeypatch.setattr(cache, "process_counts", failover)
    return failover


@pytest.fixture
def request_of() -> RequestOf:
    """Make a request that comes from an address, perhaps by way of proxies."""

    def make(address: str = "203.0.113.7", *, forwarded_for: str | None = None) -> HttpRequest:
        headers = {} if forwarded_for is None else {"X-Forwarded-For": forwarded_for}
        return RequestFactory().post("/mcp", REMOTE_ADDR=address, headers=headers)

    return make


@pytest.fixture
def patience_s() -> float | None:
    """How long Valkey may take; None for as long as the service waits."""
    return BUSY_MACHINE_S


@pytest.fixture
def no_valkey(short_tmp_path: Path, settings: Settings, patience_s: float | None) -> Iterator[None]:
    """Point the counters at a socket that nobody listens on."""
    yield from _counting_at(short_tmp_path / "nobody.sock", settings, patience_s)


@pytest.fixture
def valkey(short_tmp_path: Path, settings: Settings, patience_s: float | None) -> Iterator[OwnValkey]:
    """Run the project's own Valkey and count in it."""
    socket_path = short_tmp_path / "valkey.sock"
    with running_valkey(socket_path) as valkey:
        for _ in _counting_at(socket_path, settings, patience_s):
            yield valkey


def _counting_at(socket_path: Path, settings: Settings, patience_s: float | None) -> Iterator[None]:
    cache_at(settings, "limits", f"unix://{socket_path}", patience_s=patience_s)
    yield
    pool: ConnectionPool = caches["limits"]._cache.get_client().connection_pool  # type: ignore[attr-defined]
    pool.disconnect()
