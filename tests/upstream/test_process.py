"""The parts of reading that a process has once; nothing is asked of any source here."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from papertrade_site.clock import Clock
from papertrade_site.upstream import process
from papertrade_site.upstream.clients import Clients, open_clients
from papertrade_site.upstream.errors import UnreachableError
from papertrade_site.upstream.process import ProcessSources


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Clients]]:
    """Keep the clients that are opened."""
    clients: list[Clients] = []

    def open_and_keep(clock: Clock) -> Clients:
        clients.append(open_clients(clock))
        return clients[-1]

    monkeypatch.setattr(process, "open_clients", open_and_keep)
    yield clients
    for each in clients:
        each.close()


@pytest.fixture
def sources_of_process() -> Iterator[ProcessSources]:
    sources = ProcessSources()
    yield sources
    sources.close()


def fail() -> None:
    raise UnreachableError("It is down.", source="exchange.queue")


def test_nothing_is_opened_before_the_first_call(
    sources_of_process: ProcessSources, opened: list[Clients]
) -> None:
    sources_of_process.close()
    assert opened == []


def test_all_calls_share_the_clients_that_the_first_one_opened(
    sources_of_process: ProcessSources, opened: list[Clients]
) -> None:
    with ThreadPoolExecutor(16) as pool:
        calls = list(pool.map(lambda _: sources_of_process.for_call(), range(64)))
    wanted = {call.catalogue.trading().client for call in calls}
    assert wanted == {opened[0].exchange}
    assert len(opened) == 1


def test_each_call_has_its_own_freshness(sources_of_process: ProcessSources) -> None:
    first, second = sources_of_process.for_call(), sources_of_process.for_call()
    first.optional(fail, missing="Nothing is there.")
    assert first.freshness().degraded
    assert not second.freshness().degraded


def test_after_closing_the_next_call_opens_anew(
    sources_of_process: ProcessSources, opened: list[Clients]
) -> None:
    sources_of_process.for_call()
    sources_of_process.close()
    sources_of_process.for_call()
    assert len(opened) == 2


def test_a_forked_worker_opens_its_own_and_leaves_its_parents_alone(
    sources_of_process: ProcessSources, opened: list[Clients]
) -> None:
    sources_of_process.for_call()
    sources_of_process.forget()
    call = sources_of_process.for_call()
    assert call.catalogue.trading().client is opened[1].exchange
    assert len(opened) == 2
