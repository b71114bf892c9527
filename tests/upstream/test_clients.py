"""Which client each resource is asked of, and what it insists on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from socket import socket
from threading import Event
from typing import Any

import pytest
from django.test import override_settings

from papertrade_site.clock import SystemClock
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.clients import open_clients
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.http import Answer
from papertrade_site.upstream.resource import Host, Resource

Serve = Callable[[Callable[[socket, Event], None]], str]


def _answer(connection: socket, over: Event) -> None:
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Papertrade-Simulated: 1\r\n"
        b"Content-Length: 3\r\nConnection: close\r\n\r\n[1]"
    )


@pytest.fixture
def configured(serve: Serve) -> Iterator[str]:
    """Point all three hosts at a server that says that it is simulated, and give its address."""
    url = serve(_answer)
    with override_settings(
        PAPERTRADE_SOURCE="simulated", EXCHANGE_URL=url, HYPERLIQUID_URL=url, HYPEREVM_URL=f"{url}/evm"
    ):
        yield url


def test_each_host_has_a_client_of_its_own(configured: str) -> None:
    seen: list[Answer] = []
    clock = SystemClock()
    with closing(open_clients(clock, on_answer=seen.append)) as clients:
        for host in Host:
            client = clients.by_host[host]
            assert client.get_json("", source="a.b", budget=CallBudget(clock)) == [1]
    assert [answer.url.rstrip("/") for answer in seen] == [configured, configured, f"{configured}/evm"]


def test_a_resource_is_asked_of_its_host_and_kept_under_where_that_is(configured: str) -> None:
    with closing(open_clients(SystemClock())) as clients:
        wanted: list[tuple[Resource[Any], str]] = [
            (exchange.summary(), configured),
            (hyperliquid.book("BTC"), configured),
            (hyperevm.paper(), f"{configured}/evm"),
        ]
        for resource, address in wanted:
            want = clients.want(resource)
            assert want.client is clients.by_host[resource.host]
            assert (want.resource, want.origin) == (resource, f"simulated {address}")
        assert len(set(map(id, clients.by_host.values()))) == len(Host)


@pytest.mark.usefixtures("configured")
@override_settings(PAPERTRADE_SOURCE="live")
def test_live_clients_take_nothing_that_is_simulated() -> None:
    clock = SystemClock()
    with closing(open_clients(clock)) as clients, pytest.raises(UnexpectedError):
        clients.by_host[Host.EXCHANGE].get_json("", source="a.b", budget=CallBudget(clock))
