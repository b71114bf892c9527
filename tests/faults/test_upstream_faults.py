"""Every fault of the embedded exchange against every resource: an error of ours, or a value, in time."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache

from papertrade_site.clock import SystemClock
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.faults import FAULTS
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS, CALL_REQUESTS, CALL_SECONDS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import UnexpectedError, UpstreamError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.labels import LABELS
from papertrade_site.upstream.resource import Host, Resource, Value
from papertrade_site.upstream.want import Want
from tests.faults.upstream_outcomes import (
    ALWAYS,
    CEILING_SECONDS,
    GROWTH_CEILING_BYTES,
    HURRIED,
    HURRIED_SECONDS,
    PATHS,
    UNSOUND_FIGURES,
    WHOLE_ANSWER,
)

Outcome = type[UpstreamError] | None
"""The kind of error, or None for a value."""


@dataclass(frozen=True, slots=True)
class Rig:
    """An embedded exchange, its faults, and two things that it knows."""

    server: ExchangeServer
    board: FaultBoard
    market: Instrument
    wallet: str


@contextmanager
def _running_rig() -> Iterator[Rig]:
    """Run an exchange for the block, and take a market and a wallet with positions from it."""
    board = FaultBoard()
    server = ExchangeServer(SimulatedVenue.create(seed=7, clock=SystemClock()), port=0, board=board)
    server.start()
    leaders = exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=1)
    market = _ask(server, exchange.trading()).instruments[0]
    wallet = _ask(server, leaders).accounts[0].address
    yield Rig(server, board, market, wallet)
    server.stop()


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    """One for nearly all cases."""
    with _running_rig() as rig:
        yield rig


@pytest.fixture(scope="module")
def patient_rig() -> Iterator[Rig]:
    """One that nobody leaves before it has answered: requests that come late of those would count."""
    with _running_rig() as rig:
        yield rig


def _ask(server: ExchangeServer, resource: Resource[Value], *, seconds: float = CALL_SECONDS) -> Value:
    clock = SystemClock()
    address = f"{server.address}/evm" if resource.host is Host.HYPEREVM else server.address
    client = HttpClient(base_url=address, clock=clock, expect_simulated=True, sleep=lambda seconds: None)
    try:
        return resource.parse(resource.fetch(client, CallBudget(clock, seconds=seconds)), clock.now_ms())
    finally:
        client.close()


def _outcome(ask: Callable[[], object]) -> Outcome:
    error = _error(ask)
    if error is None:
        return None
    assert LABELS[error.source].lower() in str(error).lower()
    assert error.source not in str(error)
    assert not {"instructions", "<"} & set(re.findall(r"[a-z]+|<", str(error)))
    return type(error)


def _error(ask: Callable[[], object]) -> UpstreamError | None:
    try:
        ask()
    except UpstreamError as error:
        return error
    return None


RESOURCES: dict[str, Callable[[Rig], Resource[Any]]] = {
    "trading": lambda rig: exchange.trading(),
    "summary": lambda rig: exchange.summary(),
    "history": lambda rig: exchange.history(Interval.HOUR),
    "house_history": lambda rig: exchange.house_history(Interval.HOUR),
    "market_stats": lambda rig: exchange.market_stats(),
    "queue": lambda rig: exchange.queue(),
    "recent_trades": lambda rig: exchange.recent_trades(),
    "relayer": lambda rig: exchange.relayer_health(),
    "wallet": lambda rig: exchange.wallet(rig.wallet),
    "leaderboard": lambda rig: exchange.leaderboard(Window.DAY, SortKey.TOTAL_PNL, page=0, page_size=10),
    "best_positions": lambda rig: exchange.best_positions(Window.DAY, "/state/leaderboard/positions"),
    "liquidation_map": lambda rig: exchange.liquidation_map(
        rig.market, "/state/liquidation-map?instrumentId={id}"
    ),
    "book": lambda rig: hyperliquid.book("BTC"),
    "candles": lambda rig: hyperliquid.candles("BTC", interval=Interval.HOUR, count=24),
    "paper": lambda rig: hyperevm.paper(),
}


def _spoiled(rig: Rig, fault: str, name: str) -> Outcome:
    """What a resource comes to while its exchange misbehaves; always in time."""
    rig.board.clear()
    rig.board.put("/", fault, ALWAYS if fault == "unavailable" else None)
    resource = RESOURCES[name](rig)
    began = time.monotonic()
    outcome = _outcome(
        lambda: _ask(rig.server, resource, seconds=HURRIED_SECONDS if fault in HURRIED else CALL_SECONDS)
    )
    assert time.monotonic() - began <= CEILING_SECONDS
    return outcome


def test_every_fault_of_the_exchange_has_a_stated_outcome_for_every_resource() -> None:
    assert set(FAULTS) == {*WHOLE_ANSWER, *UNSOUND_FIGURES}
    assert set(RESOURCES) == set(PATHS)


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_read_while_the_exchange_behaves(rig: Rig, name: str) -> None:
    rig.board.clear()
    assert _outcome(lambda: _ask(rig.server, RESOURCES[name](rig))) is None


@pytest.mark.parametrize("name", RESOURCES)
@pytest.mark.parametrize("fault", WHOLE_ANSWER)
def test_a_spoiled_answer_is_an_error_of_ours(rig: Rig, fault: str, name: str) -> None:
    outcome = _spoiled(rig, fault, name)
    assert outcome is not None
    expected = WHOLE_ANSWER[fault]
    if (fault, name) == ("truncated", "wallet"):
        expected = UnexpectedError  # a stream may end anywhere, so only its event is missed
    assert issubclass(outcome, expected)


@pytest.mark.parametrize("name", RESOURCES)
@pytest.mark.parametrize("fault", UNSOUND_FIGURES)
def test_an_unsound_figure_is_refused_wherever_it_is_read(rig: Rig, fault: str, name: str) -> None:
    expected = UnexpectedError if name in UNSOUND_FIGURES[fault] else None
    assert _spoiled(rig, fault, name) is expected


@pytest.mark.parametrize("name", ["trading", "wallet", "book"])
@pytest.mark.parametrize("fault", ["oversized", "gzip_bomb", "nested"])
def test_no_answer_makes_the_process_grow(rig: Rig, fault: str, name: str) -> None:
    tracemalloc.start()
    try:
        _spoiled(rig, fault, name)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < GROWTH_CEILING_BYTES


@pytest.mark.parametrize("fault", ["oversized", "gzip_bomb", "nested"])
def test_no_number_of_wallets_makes_the_process_grow(rig: Rig, fault: str) -> None:
    rig.board.clear()
    rig.board.put("/state/user/live", fault, None)
    clock = SystemClock()
    client = HttpClient(base_url=rig.server.address, clock=clock, expect_simulated=True)
    wants = [Want(exchange.wallet(f"0x{number:040x}"), client, "simulated") for number in range(44)]
    reader = CachedReader(LocMemCache(uuid4().hex, {}), clock, waiters=1)
    tracemalloc.start()
    try:
        outcomes = reader.read_many(wants, CallBudget(clock, requests=BOOK_CALL_REQUESTS))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        reader.close()
        client.close()
    assert {type(outcome) for outcome in outcomes} == {UnexpectedError}
    assert peak < GROWTH_CEILING_BYTES


class _MovedClock(SystemClock):
    """Goes like the machine's, and can be set forward."""

    ahead_s = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


@pytest.mark.slow
def test_a_source_that_hangs_costs_a_usable_copy_its_age_and_no_more(rig: Rig) -> None:
    rig.board.clear()
    clock = _MovedClock()
    client = HttpClient(base_url=rig.server.address, clock=clock, expect_simulated=True)
    want = Want(hyperliquid.book("BTC"), client, "simulated")
    reader = CachedReader(LocMemCache(uuid4().hex, {}), clock, waiters=1)
    try:
        before = reader.read(want, CallBudget(clock))
        rig.board.put("/info", "hang")
        clock.ahead_s = 3.0
        after = reader.read(want, CallBudget(clock))
        assert (after.value, after.degraded) == (before.value, True)
        assert after.note == "Not refreshed: Hyperliquid's order book did not answer in time."
        unspent = CallBudget(clock)
        assert reader.read(want, unspent).degraded
        assert unspent.requests_left == CALL_REQUESTS
    finally:
        reader.close()
        client.close()


@pytest.mark.parametrize("name", RESOURCES)
def test_an_exchange_that_fails_every_second_time_is_read_all_the_same(patient_rig: Rig, name: str) -> None:
    patient_rig.board.put("/", "unavailable")
    for _ in range(2):
        assert _outcome(lambda: _ask(patient_rig.server, RESOURCES[name](patient_rig))) is None
