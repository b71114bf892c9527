"""``manage.py track_wallets`` as processes: one tracks, it ends when asked to, and another goes on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from threading import Event

import pytest

from papertrade_site.clock import SystemClock
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.protocol import Answer, EventStream, Request
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from papertrade_site.upstream.ahead import REFRESH_SECONDS
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import GIVE_UP_S, Running, manage, newcomers_environ, running

TAKEN = "This process now does the work track_wallets:simulated:"

pytestmark = pytest.mark.slow


class _WatchedVenue:
    """Tells which paths are asked for, and can hold every answer back."""

    def __init__(self) -> None:
        clock = SystemClock()
        self.asked: Queue[str] = Queue()
        self.gate = Event()
        self.gate.set()
        self._venue = SimulatedVenue(World.create(seed=1, now_ms=clock.now_ms(), traders=60), clock=clock)

    def answer(self, request: Request) -> Answer | EventStream:
        self.asked.put(request.path)
        self.gate.wait(GIVE_UP_S)
        return self._venue.answer(request)

    def wait_for(self, path: str) -> None:
        while self.asked.get(timeout=GIVE_UP_S) != path:
            pass


@pytest.fixture
def venue() -> Iterator[_WatchedVenue]:
    venue = _WatchedVenue()
    yield venue
    venue.gate.set()


@pytest.fixture
def exchange(venue: _WatchedVenue) -> Iterator[str]:
    server = ExchangeServer(venue, port=0, board=FaultBoard())
    server.start()
    yield server.address
    venue.gate.set()
    server.stop()


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


Start = Callable[[], Running]


@pytest.fixture
def start(exchange: str, valkey: OwnValkey) -> Iterator[Start]:
    """Start trackers of one exchange over one cache."""
    environ = newcomers_environ(
        PAPERTRADE_EXCHANGE_URL=exchange,
        PAPERTRADE_HYPERLIQUID_URL=exchange,
        PAPERTRADE_HYPEREVM_URL=f"{exchange}/evm",
        REDIS_URL=valkey.url,
    )
    with ExitStack() as stack:
        yield lambda: stack.enter_context(running(manage("track_wallets"), environ))


def test_one_tracks_and_when_it_is_asked_to_end_another_goes_on(start: Start, venue: _WatchedVenue) -> None:
    first = start()
    first.err.until(TAKEN)
    venue.wait_for("/state/user/live")
    second = start()
    assert first.ask_to_end(signal.SIGINT) == 0
    second.err.until(TAKEN)
    assert second.ask_to_end(signal.SIGTERM) == 0


def test_it_does_not_wait_for_a_source_that_hangs(start: Start, venue: _WatchedVenue) -> None:
    venue.gate.clear()
    tracker = start()
    venue.wait_for("/state/trading")
    assert tracker.ask_to_end(within_s=REFRESH_SECONDS - 1) == 0
