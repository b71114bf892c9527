"""Sound bodies of every source, toy sources and readers that obey a test, and a server of raw bytes."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.core.cache.backends.locmem import LocMemCache

from papertrade_site.clock import Clock
from papertrade_site.env import Source
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.upstream.counting_cache import CountingCache
from tests.upstream.fake_venue import FakeVenue, OpenClients
from tests.upstream.prices import PriceSource
from tests.upstream.scripted_host import Answering, ScriptedHost

NOW_MS = 1_796_040_000_000
"""The time at which ``bodies.json`` was sound; a few of its figures are seconds older."""

Script = Callable[[socket.socket, Event], None]


ReaderOf = Callable[..., CachedReader]


@pytest.fixture
def clock() -> ManualClock:
    """Stand still at the time of the bodies until the test moves it."""
    return ManualClock(NOW_MS)


@pytest.fixture
def price() -> PriceSource:
    """Give a source of one toy resource."""
    return PriceSource()


@pytest.fixture
def counting_cache() -> CountingCache:
    """Give an empty cache."""
    return CountingCache(uuid4().hex, {})


@pytest.fixture
def reader_of(counting_cache: CountingCache, clock: ManualClock) -> Iterator[ReaderOf]:
    """Make readers over one cache; each stands for a process."""
    readers: list[CachedReader] = []

    def make(*, waiters: int = 64, sleep: Callable[[float], None] = clock.advance) -> CachedReader:
        readers.append(CachedReader(counting_cache, clock, waiters=waiters, sleep=sleep))
        return readers[-1]

    yield make
    for reader in readers:
        reader.close()


@pytest.fixture
def reader(reader_of: ReaderOf) -> CachedReader:
    """Give the reader of one process."""
    return reader_of()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Give threads for many callers."""
    with ThreadPoolExecutor(64) as threads:
        yield threads


@pytest.fixture
def budget(clock: Clock) -> CallBudget:
    """Give one ordinary call's budget."""
    return CallBudget(clock)


@pytest.fixture
def now_ms() -> int:
    """Give the time at which the bodies were sound."""
    return NOW_MS


@pytest.fixture
def body() -> Callable[[str], Any]:
    """Give a fresh, sound body by the name of its resource."""
    text = (Path(__file__).parent / "bodies.json").read_text(encoding="utf-8")
    return lambda name: json.loads(text)[name]


@pytest.fixture
def venue(body: Callable[[str], Any]) -> FakeVenue:
    """Give a venue that answers sound bodies."""
    return FakeVenue(body)


@pytest.fixture
def answering(clock: ManualClock) -> Iterator[Answering]:
    """Build a client in front of a host that gives these answers."""
    opened: list[ScriptedHost] = []

    def build(*answers: httpx.Response | Exception, simulated: bool = False) -> ScriptedHost:
        opened.append(ScriptedHost(clock, list(answers), simulated=simulated))
        return opened[-1]

    yield build
    for one in opened:
        one.client.close()


@pytest.fixture
def open_clients(venue: FakeVenue, clock: ManualClock) -> Iterator[OpenClients]:
    """Open clients of a source whose hosts share one address."""
    opened: list[Clients] = []

    def client(base_url: str) -> HttpClient:
        return HttpClient(
            base_url=base_url,
            clock=clock,
            expect_simulated=True,
            transport=httpx.MockTransport(venue.answer),
            sleep=clock.advance,
        )

    def open_some(source: Source = Source.SIMULATED, url: str = "http://127.0.0.1:8001") -> Clients:
        urls = {Host.EXCHANGE: url, Host.HYPERLIQUID: url, Host.HYPEREVM: f"{url}/evm"}
        opened.append(Clients(source, {host: client(address) for host, address in urls.items()}))
        return opened[-1]

    yield open_some
    for clients in opened:
        clients.close()


@pytest.fixture
def call(open_clients: OpenClients, clock: ManualClock) -> Iterator[Callable[..., Sources]]:
    """Begin one call, over a cache that all calls of the test share."""
    reader = CachedReader(LocMemCache(uuid4().hex, {}), clock, waiters=4)
    usual = open_clients()

    def begin(*, requests: int = BOOK_CALL_REQUESTS, clients: Clients = usual) -> Sources:
        budget = CallBudget(clock, requests=requests)
        return Sources(clients=clients, reader=reader, budget=budget, clock=clock)

    yield begin
    reader.close()


@pytest.fixture
def sources(call: Callable[..., Sources]) -> Sources:
    """Give the sources of one call."""
    return call()


@pytest.fixture
def serve() -> Iterator[Callable[[Script], str]]:
    """Start a server that lets a script handle each connection, and give its address.

    The script is called once the client has sent something; it may wait on the event, which is set
    when the test is over.
    """
    over = Event()
    with ExitStack() as stack:
        stack.callback(over.set)

        def start(script: Script) -> str:
            listener = socket.create_server(("127.0.0.1", 0))
            worker = Thread(target=_accept, args=(listener, script, over))
            worker.start()
            stack.callback(worker.join)
            stack.callback(_wake, listener.getsockname())
            stack.callback(over.set)
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        yield start


def _wake(address: tuple[str, int]) -> None:
    """Let a listener see that the test is over."""
    socket.create_connection(address).close()


def _accept(listener: socket.socket, script: Script, over: Event) -> None:
    handlers: list[Thread] = []
    with listener:
        while True:
            connection, _ = listener.accept()
            if over.is_set():
                connection.close()
                break
            handlers.append(Thread(target=_handle, args=(connection, script, over)))
            handlers[-1].start()
    for handler in handlers:
        handler.join()


def _handle(connection: socket.socket, script: Script, over: Event) -> None:
    with connection, suppress(OSError):
        connection.recv(65536)
        script(connection, over)
