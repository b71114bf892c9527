"""A Redis that is gone, hangs, is full, takes no writes or holds something else: the whole site goes on."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from papertrade_site.limits.policy import DEFAULTS
from tests.faults.deployment import (
    Deployment,
    Reply,
    counted,
    deployed,
    environ_of,
    migrated,
    running_exchange,
    within,
)
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import manage, running

LIMIT: Final = DEFAULTS.servers["analytics"].requests_per_minute
FAULTS: Final = ("gone", "stopped", "full", "read_only", "wrong_type")
EXTRA_S: Final = 1.0
"""What a Redis in trouble may add to a request."""

PAGES: Final = ("/", "/analytics/", "/analytics/docs/mcp", "/analytics/status", "/healthz", "/readyz")
CALLS: Final = (
    ("analytics", "get_market_stats", {"symbol": "BTC"}),
    ("liquidations", "get_bust_map", {"market": "ETH"}),
)
TROUBLE: Final = re.compile(r"(The [a-z ]+) failed \([A-Za-z]+\)[;,]")
ROLLUP_S: Final = 40
SOON_S: Final = 10
TROUBLES: Final = {"The shared counters", "The usage counters", "The shared cache"}
YOUNG_S: Final = 30

pytestmark = pytest.mark.slow

_clients = count(1)


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "papertrade.sqlite3"
    migrated(path)
    return path


@pytest.fixture
def site(valkey: OwnValkey, database: Path, tmp_path: Path) -> Iterator[Deployment]:
    with (
        running_exchange() as exchange,
        deployed(
            redis_url=valkey.url,
            database=database,
            log=tmp_path / "log",
            PAPERTRADE_SIMULATOR_PORT=str(exchange.server_address[1]),
            PAPERTRADE_TRUSTED_PROXIES="127.0.0.1/32",
        ) as site,
    ):
        yield site


@pytest.fixture
def rollup(valkey: OwnValkey, database: Path) -> Iterator[None]:
    with running(manage("roll_up_usage"), environ_of(redis_url=valkey.url, database=database), give_up_s=280):
        yield


@dataclass(slots=True)
class Pings:
    """Pings of clients at a site, and how many there were."""

    site: Deployment
    made: int = 0

    def ping(self, client: str) -> Reply:
        self.made += 1
        return self.site.ping(client=client)

    def young_client(self) -> str:
        """A client, with one ping made, whose window does not end soon."""
        while True:
            client = _client()
            left = re.search(r";t=(\d+)", self.ping(client).headers["RateLimit"])
            if left is not None and int(left[1]) > YOUNG_S:
                return client


def _client() -> str:
    """One who has asked for nothing yet."""
    return f"203.0.113.{next(_clients)}"


def _slowest(site: Deployment) -> float:
    """Ask for everything that must be answered, and give the longest that any of it took."""
    took = []
    for path in PAGES:
        began = time.monotonic()
        assert site.get(path).status == 200, path
        took.append(time.monotonic() - began)
    for call in CALLS:
        began = time.monotonic()
        assert not site.call(*call, client=_client())["isError"]
        took.append(time.monotonic() - began)
    return max(took)


def _outage(valkey: OwnValkey, fault: str) -> AbstractContextManager[None]:
    outage: AbstractContextManager[None] = getattr(valkey, fault)()
    return outage


def _is_counted_there(pings: Pings, valkey: OwnValkey) -> bool:
    """Whether a new client's ping makes a counter in Redis."""
    before = _counters(valkey)
    pings.ping(_client())
    return _counters(valkey) > before


def _counters(valkey: OwnValkey) -> int:
    return sum("rl:" in key for key in valkey.stored_keys())


def test_tools_pages_and_limits_go_on_through_every_fault_and_no_count_is_lost(
    site: Deployment, valkey: OwnValkey, database: Path, rollup: None
) -> None:
    pings, usual_s = Pings(site), _slowest(site)
    began = time.monotonic()
    for fault in FAULTS:
        with _outage(valkey, fault):
            assert _slowest(site) <= usual_s + EXTRA_S, fault
            client = pings.young_client()
            statuses = [pings.ping(client).status for _ in range(LIMIT + 10)]
            assert statuses == [200] * (LIMIT - 1) + [429] * 11, fault
            assert within(SOON_S, lambda: "The usage counters" in _told(site)), fault
        assert within(SOON_S, lambda: _is_counted_there(pings, valkey)), fault
    assert within(ROLLUP_S, lambda: counted(database) == pings.made)

    minutes = (time.monotonic() - began) / 60
    told = _told(site)
    assert set(told) == TROUBLES
    assert max(told.values()) <= minutes + 1


def _told(site: Deployment) -> Counter[str]:
    return Counter(TROUBLE.findall(site.log.read_text()))
