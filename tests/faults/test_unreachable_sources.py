"""Sources that no connection leads to, or that send their readers elsewhere: every tool says so, in time."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

import pytest

from papertrade_site.env import SIMULATED_HEADER
from tests.faults.faulty_exchange import FaultyExchange
from tests.faults.upstream_outcomes import NEEDS

UNKNOWN_NAME: Final = "exchange.invalid"
INSIDE: Final = (
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/",
    "file:///etc/passwd",
    "//169.254.169.254/",
    "gopher://127.0.0.1:6379/_FLUSHALL",
)
"""What a source might like to see read for it."""

Place = Callable[[FaultyExchange], AbstractContextManager[str]]


@contextmanager
def _refused(_: FaultyExchange) -> Iterator[str]:
    """An address where nobody listens, and nobody else begins to meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def _unknown(_: FaultyExchange) -> Iterator[str]:
    """A name that is not known."""
    real = socket.getaddrinfo

    def find(host: str, *more: object, **others: object) -> object:
        if host == UNKNOWN_NAME:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return real(host, *more, **others)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", find)
        yield f"http://{UNKNOWN_NAME}"


@contextmanager
def _without_tls(exchange: FaultyExchange) -> Iterator[str]:
    """A host that does not speak TLS where it is expected to."""
    yield exchange.address.replace("http:", "https:")


class _Sending(BaseHTTPRequestHandler):
    """Answers everything with where to go instead."""

    location = ""

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", self.location)
        self.send_header(SIMULATED_HEADER, "1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _sending_to(location: str) -> Iterator[str]:
    handler = type("_SendingThere", (_Sending,), {"location": location})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("tool", NEEDS)
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (_refused, "its host refuses the connection"),
        (_unknown, "the name of its host is not known"),
        (_without_tls, "its host gives no TLS connection that can be trusted"),
    ],
)
def test_a_tool_says_why_its_source_cannot_be_reached(
    faulty: FaultyExchange, place: Place, reason: str, tool: str
) -> None:
    with place(faulty) as address:
        answered = faulty.elsewhere(tool, address)
    answered.check(tool)
    assert answered.result["isError"]
    text = answered.result["content"][0]["text"]
    assert f"cannot be reached now, as {reason}." in text or "keeps failing and is being left alone" in text


@pytest.mark.parametrize("location", INSIDE)
def test_no_tool_goes_where_a_source_sends_it(faulty: FaultyExchange, location: str) -> None:
    with _sending_to(location) as address:
        for tool in NEEDS:
            answered = faulty.elsewhere(tool, address)
            answered.check(tool)
            assert answered.result["isError"]
            assert "is a redirect or has no content" in answered.result["content"][0]["text"]
            assert location.encode() not in answered.message


def test_nobody_else_is_asked_when_a_source_sends_its_readers_away(faulty: FaultyExchange) -> None:
    faulty.board.clear()
    faulty.board.reset_counts()
    with _sending_to(f"{faulty.address}/state/trading") as address:
        for tool in NEEDS:
            assert faulty.elsewhere(tool, address).result["isError"]
    assert faulty.board.counts() == {}
