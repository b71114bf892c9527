"""The parts of reading that a process has once; nothing is asked of any source here."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import httpx
import pytest
from pytest_django import Settings

from papertrade_site.clock import Clock
from papertrade_site.env import Source
from papertrade_site.patience import one_request
from papertrade_site.upstream import process
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.errors import SlowError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.process import ProcessSources
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.sources import Sources

Asked = list[str]


@pytest.fixture(autouse=True)
def _own_cache(settings: Settings) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """Keep, for each time that clients are opened, what they are asked for; they answer that it is gone."""
    asked: list[Asked] = []

    def open_and_keep(clock: Clock) -> Clients:
        seen: Asked = []
        asked.append(seen)

        def answer(request: httpx.Request) -> httpx.Response:
            seen.append(request.url.path)
            return httpx.Response(HTTPStatus.NOT_FOUND)

        client = HttpClient(
            base_url="http://127.0.0.1:8001",
            clock=clock,
            expect_simulated=True,
            transport=httpx.MockTransport(answer),
        )
        return Clients(Source.SIMULATED, dict.fromkeys(Host, client))

    monkeypatch.setattr(process, "open_clients", open_and_keep)
    return asked


def read(call: Sources) -> None:
    call.optional(call.queue, missing="Nothing is there.")


@pytest.fixture
def sources_of_process() -> Iterator[ProcessSources]:
    sources = ProcessSources()
    yield sources
    sources.close()


def test_nothing_is_opened_before_the_first_call(
    sources_of_process: ProcessSources, opened: list[Asked]
) -> None:
    sources_of_process.close()
    assert opened == []


def test_all_calls_share_the_clients_that_the_first_one_opened(
    sources_of_process: ProcessSources, opened: list[Asked]
) -> None:
    with ThreadPoolExecutor(16) as pool:
        calls = list(pool.map(lambda _: sources_of_process.for_call(), range(64)))
    read(calls[0])
    assert opened == [["/query/protocol/queue-summary"]]


@pytest.mark.usefixtures("opened")
def test_each_call_has_its_own_freshness(sources_of_process: ProcessSources) -> None:
    first, second = sources_of_process.for_call(), sources_of_process.for_call()
    read(first)
    assert first.freshness().degraded
    assert not second.freshness().degraded


def test_a_call_in_a_request_whose_time_is_over_asks_nothing(
    sources_of_process: ProcessSources, opened: list[Asked]
) -> None:
    with one_request(-1.0), pytest.raises(SlowError):
        sources_of_process.for_call().queue()
    assert opened == [[]]
    read(sources_of_process.for_call())
    assert len(opened[0]) == 1


def test_after_closing_the_next_call_opens_anew(
    sources_of_process: ProcessSources, opened: list[Asked]
) -> None:
    sources_of_process.for_call()
    sources_of_process.close()
    sources_of_process.for_call()
    assert len(opened) == 2


def test_a_forked_worker_opens_its_own_and_leaves_its_parents_alone(
    sources_of_process: ProcessSources, opened: list[Asked]
) -> None:
    parents = sources_of_process.for_call()
    sources_of_process.forget()
    read(sources_of_process.for_call())
    assert opened == [[], ["/query/protocol/queue-summary"]]
    read(parents)
    assert [len(asked) for asked in opened] == [1, 1]


def test_the_breakers_of_hosts_are_told_once_something_is_read(sources_of_process: ProcessSources) -> None:
    assert sources_of_process.breakers() == {}
    sources_of_process.for_call()
    assert set(sources_of_process.breakers().values()) == {BreakerState.CLOSED}
