"""The short way of a message gives what Django's own way gives, whatever is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from wsgiref.types import WSGIApplication

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.test import RequestFactory
from pytest_django import Settings

from papertrade_site import messages
from papertrade_site.docs.compression import ENDPOINTS
from papertrade_site.handler import Handler
from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.messages import Application

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
LIST = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}'
OWN_HOST = "analytics.example.org"

pytestmark = pytest.mark.django_db  # an earlier test may have opened a connection, which Django looks after

Answer = tuple[str, dict[str, str], bytes]

REQUESTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "a ping": ("/analytics/mcp", PING, {}),
    "a list": ("/liquidations/mcp", LIST, {}),
    "a stream": ("/liquidations/mcp", LIST, {"accept": "text/event-stream"}),
    "a notification": ("/analytics/mcp", '{"jsonrpc":"2.0","method":"notifications/initialized"}', {}),
    "a batch": ("/analytics/mcp", f"[{PING},{LIST}]", {}),
    "no JSON": ("/analytics/mcp", "{", {}),
    "another content type": ("/analytics/mcp", PING, {"content-type": "text/plain"}),
    "a senseless content type": ("/analytics/mcp", PING, {"content-type": "application/json; charset*=x''y"}),
    "another version": ("/analytics/mcp", PING, {"mcp-protocol-version": "1999-01-01"}),
    "a large body": ("/analytics/mcp", PING + " " * 70_000, {}),
    "a page's origin": ("/analytics/mcp", PING, {"origin": "https://a.example"}),
    "a cookie": ("/analytics/mcp", PING, {"cookie": "sessionid=x"}),
    "a foreign host": ("/analytics/mcp", PING, {"host": "evil.example"}),
    "an impossible port": ("/analytics/mcp", PING, {"host": "127.0.0.1:99999"}),
    "a host that is no host": ("/analytics/mcp", PING, {"host": "a b"}),
    "no server's own host": ("/mcp", PING, {}),
    "a server's own host": ("/mcp", PING, {"host": OWN_HOST}),
    "a path on a server's own host": ("/liquidations/mcp", PING, {"host": OWN_HOST}),
}


@pytest.fixture(autouse=True)
def own_host(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1", OWN_HOST]
    settings.SERVER_HOSTS = {OWN_HOST: "analytics"}
    settings.RATELIMIT_ENABLE = False


@pytest.fixture
def signals_sent() -> Iterator[list[object]]:
    """Django's signals of requests that were sent."""
    sent: list[object] = []

    def note(**told: object) -> None:
        sent.append(told["signal"])

    for signal in (request_started, request_finished):
        signal.connect(note)
    yield sent
    for signal in (request_started, request_finished):
        signal.disconnect(note)


def ask(application: WSGIApplication, path: str, body: str, headers: dict[str, str]) -> Answer:
    sent = {"host": "127.0.0.1", "content-type": "application/json", **headers}
    kind = sent.pop("content-type")
    environ = {**RequestFactory().generic("POST", path, body, headers=sent).environ, "CONTENT_TYPE": kind}
    told: list[Any] = []

    def start(status: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], object]:
        told.extend((status, dict(headers)))
        return told.append

    parts = application(environ, start)
    content = b"".join(parts)
    getattr(parts, "close", bool)()
    return told[0], told[1], content


def without_names(answer: Answer) -> Answer:
    """The same answer to each request: without the name that every request has of its own."""
    status, headers, content = answer
    assert re.fullmatch("[0-9a-f]{16}", headers.pop("X-Request-Id"))
    return status, headers, re.sub(rb'(?<="requestId": ")[0-9a-f]{16}', b"", content)


@pytest.mark.parametrize("name", REQUESTS)
def test_both_ways_give_the_same(name: str) -> None:
    short, django = Application(), Handler()
    path, body, headers = REQUESTS[name]
    assert path in ENDPOINTS
    assert without_names(ask(short, path, body, headers)) == without_names(ask(django, path, body, headers))


def test_a_fault_of_ours_is_answered_by_both_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Endpoint, "__call__", broken)
    answers = [without_names(ask(way, "/analytics/mcp", PING, {})) for way in (Application(), Handler())]
    assert answers[0] == answers[1]
    assert answers[0][0].startswith("500 ")


def test_messages_alone_take_the_short_way(
    monkeypatch: pytest.MonkeyPatch, signals_sent: list[object]
) -> None:
    def no_other_way(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(WSGIHandler, "__call__", no_other_way)
    for path in ("/analytics/mcp", "/liquidations/mcp"):
        assert ask(Application(), path, PING, {})[0] == "200 OK"
    assert signals_sent == []
    with pytest.raises(AssertionError):
        ask(Application(), "/analytics/docs/mcp", PING, {})


def test_what_stands_at_an_endpoint_is_looked_up_once_for_each_host() -> None:
    messages._match.cache_clear()
    application = Application()
    for host in ("127.0.0.1", OWN_HOST, "127.0.0.1"):
        ask(application, "/analytics/mcp", PING, {"host": host})
    assert messages._match.cache_info().misses == 2
