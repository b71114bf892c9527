"""The venue with many threads at once."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import enumerate as all_threads

import pytest

from papertrade_site.market.vocabulary import PAPER_CONTRACT, TOTAL_SUPPLY_SELECTOR
from papertrade_site.simulator.protocol import Answer, Request
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World

NOBODY = "0x" + "0" * 40

ENTRANCES = {
    "summary": Request(method="GET", path="/query/protocol/summary"),
    "book": Request(method="POST", path="/info", body=b'{"type":"l2Book","coin":"BTC"}'),
    "paper": Request(
        method="POST",
        path="/evm",
        body=json.dumps(
            {
                "id": 1,
                "method": "eth_call",
                "params": [{"to": PAPER_CONTRACT, "data": TOTAL_SUPPLY_SELECTOR}, "latest"],
            }
        ).encode(),
    ),
    "wallet": Request(method="GET", path="/state/user/live", query=(("wallet", NOBODY),)),
}
"""A request for each way in which the venue reads its world, answered with a time or with PAPER's supply."""


def body(venue: SimulatedVenue, request: Request) -> bytes:
    """The body of an answer, or what a stream opens with."""
    answer = venue.answer(request)
    return answer.body if isinstance(answer, Answer) else answer.opening


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("restless_threads")
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_nobody_sees_a_world_that_is_being_moved_on(
    entrance: str, world: World, venue: SimulatedVenue, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ENTRANCES[entrance]
    whole = body(venue, request)
    now_ms, supply = world.now_ms, world.exchange.paper.supply
    found_in_motion = []

    def move_on(_: int) -> None:
        found_in_motion.append(world.now_ms != now_ms)
        world.now_ms = world.exchange.paper.supply = 0
        time.sleep(0.001)  # long enough for others to look
        world.now_ms, world.exchange.paper.supply = now_ms, supply

    monkeypatch.setattr(world, "advance_to", move_on)
    with ThreadPoolExecutor(8) as pool:
        ticks = [pool.submit(venue.tick) for _ in range(20)]
        seen = set(pool.map(lambda _: body(venue, request), range(60)))
    assert all(tick.done() and tick.exception() is None for tick in ticks)
    assert seen == {whole}
    assert found_in_motion == [False] * 80


def test_the_ticker_runs_in_one_thread_until_it_is_stopped(venue: SimulatedVenue) -> None:
    venue.start_ticking()
    (ticker,) = [thread for thread in all_threads() if thread.name == "simulated-exchange"]
    venue.stop_ticking()
    ticker.join(timeout=10)
    assert not ticker.is_alive()
