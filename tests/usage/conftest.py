"""A time that stands still, processes that count, and a real Valkey between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from papertrade_site import reading
from papertrade_site.mcp.admission import Exchange, Handled, Outcome
from papertrade_site.outage import Outage
from papertrade_site.upstream.tally import Tally
from papertrade_site.usage import report
from papertrade_site.usage.buffer import Batch, Buffer
from papertrade_site.usage.record import record
from papertrade_site.usage.rollup import Rollup
from papertrade_site.usage.store import Store
from tests.clocks import ManualClock
from tests.limits.valkey import BUSY_MACHINE_S, OwnValkey, cache_at, running_valkey

NOON_MS = 1_796_040_000_000
"""The start of an hour; the tests begin some minutes into it."""

STARTS_MS = NOON_MS + 30 * 60_000


@dataclass(frozen=True, slots=True)
class Process:
    """What one process counts."""

    buffer: Buffer
    tally: Tally
    store: Store

    def call(
        self,
        tool: str = "get_history",
        *,
        times: int = 1,
        outcome: Outcome = Outcome.OK,
        ms: float = 3.0,
        reused: bool = False,
        client: str = "203.0.113.7",
        name: str | None = None,
        agent: str = "curl/8.5",
        server: str = "analytics",
    ) -> None:
        """Answer calls of a tool, one in each request."""
        handled = Handled("tools/call", tool, outcome, ms / 1000, reused)
        self.exchange(
            Exchange((handled,), outcome, name), times=times, client=client, agent=agent, server=server
        )

    def exchange(
        self,
        exchange: Exchange,
        *,
        times: int = 1,
        client: str = "203.0.113.7",
        agent: str = "curl/8.5",
        server: str = "analytics",
    ) -> None:
        """Answer requests that all come to this."""
        request = RequestFactory().post("/mcp", REMOTE_ADDR=client, headers={"User-Agent": agent})
        for _ in range(times):
            record(server, self.buffer)(request, exchange)

    def flush(self) -> Batch:
        """Tell everybody."""
        return self.store.flush()


ProcessOf = Callable[[], Process]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """Stand still until the test moves it."""
    clock = ManualClock(STARTS_MS)
    monkeypatch.setattr(report, "clock", clock)
    monkeypatch.setattr(reading, "process_redis", Outage(clock, "%s"))
    return clock


@pytest.fixture
def process_of(clock: ManualClock) -> ProcessOf:
    """Start a process that counts."""

    def start() -> Process:
        buffer, tally = Buffer(clock), Tally(clock)
        return Process(buffer, tally, Store(clock, buffer, tally))

    return start


@pytest.fixture
def process(process_of: ProcessOf) -> Process:
    """Give a process that counts."""
    return process_of()


@pytest.fixture
def roll_up(clock: ManualClock) -> Callable[[], None]:
    """Do a round of one process that rolls up."""
    rollup = Rollup(clock)
    return lambda: rollup.round(lambda: True)


@pytest.fixture
def patience_s() -> float | None:
    """How long Valkey may take; None for as long as the service waits."""
    return BUSY_MACHINE_S


@pytest.fixture
def valkey(short_tmp_path: Path, settings: Settings, patience_s: float | None) -> Iterator[OwnValkey]:
    """Run the project's own Valkey, and tell it."""
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        cache_at(settings, "default", valkey.url, patience_s=patience_s)
        yield valkey


@pytest.fixture
def no_valkey(short_tmp_path: Path, settings: Settings) -> None:
    """Have nobody to tell."""
    cache_at(settings, "default", f"unix://{short_tmp_path}/nobody.sock")
