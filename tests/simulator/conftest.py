"""A running server in front of a scripted venue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

import pytest

from papertrade_site.simulator.accounts import Ledger
from papertrade_site.simulator.exchange import Counters, Exchange
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.house import House
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.paper import Paper
from papertrade_site.simulator.protocol import Answer, EventStream, Request
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from tests.clocks import ManualClock

OPENING = b'event: liveness\ndata: {"heartbeatIntervalMs":10000}\n\nevent: wallet\ndata: {"balance":"5"}\n\n'
HEARTBEAT = b"event: heartbeat\ndata: null\n\n"


@dataclass(frozen=True, slots=True)
class _ScriptedVenue:
    replies: dict[str, Answer | EventStream]
    seen: list[Request]

    def answer(self, request: Request) -> Answer | EventStream:
        self.seen.append(request)
        return self.replies[request.path]


@pytest.fixture
def replies() -> dict[str, Answer | EventStream]:
    """Hold what the scripted venue answers by path; a test may add its own."""
    return {
        "/state": Answer(status=HTTPStatus.OK, body=b'{"price":"83065.5","count":2,"at":1791862480000}'),
        "/missing": Answer(status=HTTPStatus.NOT_FOUND, body=b'{"error":"not found"}'),
        "/stream": EventStream(opening=OPENING, heartbeat=lambda: HEARTBEAT),
    }


@pytest.fixture
def seen() -> list[Request]:
    """Collect the requests that reached the scripted venue."""
    return []


@pytest.fixture
def scripted_exchange(
    replies: dict[str, Answer | EventStream], seen: list[Request]
) -> Iterator[ExchangeServer]:
    """Serve the scripted venue, with a heartbeat every hundredth of a second."""
    venue = _ScriptedVenue(replies, seen)
    server = ExchangeServer(venue, port=0, board=FaultBoard(), heartbeat_seconds=0.01)
    server.start()
    yield server
    server.stop()


NOON_MS = 1_796_040_000_000
"""2026-11-30 12:00:00 UTC, when most simulated worlds of these tests begin."""


@pytest.fixture
def world() -> World:
    """A small world at noon that a test may change."""
    return World.create(seed=11, now_ms=NOON_MS, traders=60)


@pytest.fixture
def clock() -> ManualClock:
    """A clock at noon."""
    return ManualClock(NOON_MS)


@pytest.fixture
def venue(world: World, clock: ManualClock) -> SimulatedVenue:
    """A venue in front of the small world."""
    return SimulatedVenue(world, clock=clock)


@pytest.fixture
def exchange() -> Exchange:
    """An exchange on its first day: no accounts, nothing open, an empty LP."""
    ledger = Ledger()
    return Exchange(
        MARKETS,
        ledger=ledger,
        house=House(ledger),
        paper=Paper(),
        counters=Counters(volume=[0, 0], liquidated=0, legs=0, next_position_id=1),
    )
