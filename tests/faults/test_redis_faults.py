"""A Redis that is gone, hangs, is full, takes no writes or holds something else: the whole site goes on."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from papertrade_site.limits.policy import DEFAULTS
from tests.faults.deployment import Deployment, counted, deployed, running_exchange, within
from tests.faults.pings import Pings, new_client
from tests.limits.valkey import OwnValkey
from tests.running import Running

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

pytestmark = pytest.mark.slow


@pytest.fixture
def site(valkey: OwnValkey, database: Path, tmp_path: Path) -> Iterator[Deployment]:
    with (
        running_exchange() as exchange,
        deployed(
            redis_url=valkey.url,
            database=database,
            log=tmp_path / "log",
            PAPERTRADE_SIMULATOR_PORT=str(exchange.server_address[1]),
        ) as site,
    ):
        yield site


def _slowest(site: Deployment) -> float:
    """Ask for everything that must be answered, and give the longest that any of it took."""
    took = []
    for path in PAGES:
        began = time.monotonic()
        assert site.get(path).status == 200, path
        took.append(time.monotonic() - began)
    for call in CALLS:
        began = time.monotonic()
        assert not site.call(*call, client=new_client())["isError"]
        took.append(time.monotonic() - began)
    return max(took)


def _outage(valkey: OwnValkey, fault: str) -> AbstractContextManager[None]:
    outage: AbstractContextManager[None] = getattr(valkey, fault)()
    return outage


def _is_counted_there(pings: Pings, valkey: OwnValkey) -> bool:
    """Whether a new client's ping makes a counter in Redis."""
    before = _counters(valkey)
    pings.ping(new_client())
    return _counters(valkey) > before


def _counters(valkey: OwnValkey) -> int:
    return sum("rl:" in key for key in valkey.stored_keys())


def test_tools_pages_and_limits_go_on_through_every_fault_and_no_count_is_lost(
    site: Deployment, valkey: OwnValkey, database: Path, rollup: Running
) -> None:
    pings, usual_s = Pings(site), _slowest(site)
    began = time.monotonic()
    for fault in FAULTS:
        with _outage(valkey, fault):
            assert _slowest(site) <= usual_s + EXTRA_S, fault
            assert pings.of_one_client(LIMIT + 10) == [200] * LIMIT + [429] * 10, fault
            assert within(SOON_S, lambda: "The usage counters" in _told(site)), fault
        assert within(SOON_S, lambda: _is_counted_there(pings, valkey)), fault
    assert within(ROLLUP_S, lambda: counted(database) == pings.made)

    minutes = (time.monotonic() - began) / 60
    told = _told(site)
    assert set(told) == TROUBLES
    assert max(told.values()) <= minutes + 1


def _told(site: Deployment) -> Counter[str]:
    return Counter(TROUBLE.findall(site.log.read_text()))
