"""A toy resource, the price, whose source is a function, an object that obeys the test, or an HTTP server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import cast

from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import UnexpectedError, UnreachableError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Host, Lifetime, Resource
from papertrade_site.upstream.want import Want

SIMULATED = "simulated http://127.0.0.1:8001"
NO_CLIENT = cast(HttpClient, None)
"""What a resource is handed that asks no host."""

FRESH_S = 30
STALE_S = 600


def parse_price(payload: Json, _now_ms: int) -> int:
    """Take the price out of an answer."""
    if not isinstance(payload, dict) or type(payload.get("price")) is not int:
        raise UnexpectedError("The price is missing.", source="exchange.trading")
    return int(payload["price"])


def price_want(
    fetch: Callable[[HttpClient, CallBudget], Json],
    *,
    parse: Callable[[Json, int], int] = parse_price,
    key: str = "trading",
    origin: str = SIMULATED,
    observed_at_ms: int | None = None,
) -> Want[int]:
    """Want the price that one function fetches and another understands, and that is of a time."""
    resource = Resource(
        host=Host.EXCHANGE,
        name="exchange.trading",
        key=key,
        lifetime=Lifetime(fresh_s=FRESH_S, stale_s=STALE_S),
        fetch=fetch,
        parse=parse,
        observed_at_ms=lambda _: observed_at_ms,
    )
    return Want(resource, NO_CLIENT, origin)


def unreachable() -> UnreachableError:
    """Say that the source of the price is down."""
    return UnreachableError("It is down.", source="exchange.trading")


class PriceSource:
    """Answers what it is told to, else how often it was asked; counts, and can be held up.

    ``meanwhile`` is called before each answer.
    """

    def __init__(self) -> None:
        self.answer: Json | Exception | None = None
        self.asked = 0
        self.parsed = 0
        self.entered = Event()
        self.gate = Event()
        self.gate.set()
        self.meanwhile: Callable[[], object] = lambda: None
        self._lock = Lock()

    def want(self, key: str = "trading", *, origin: str = SIMULATED) -> Want[int]:
        """Want the price from here."""
        return price_want(self._fetch, parse=self._parse, key=key, origin=origin)

    def hold_up(self) -> None:
        """Let answers wait until the gate is set."""
        self.gate.clear()
        self.entered.clear()

    def _fetch(self, _client: HttpClient, _budget: CallBudget) -> Json:
        with self._lock:
            self.asked += 1
            answer = {"price": self.asked} if self.answer is None else self.answer
        self.entered.set()
        assert self.gate.wait(10)
        self.meanwhile()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _parse(self, payload: Json, now_ms: int) -> int:
        with self._lock:
            self.parsed += 1
        return parse_price(payload, now_ms)


class PriceServer(ThreadingHTTPServer):
    """Answers over HTTP how often it was asked, and can hold answers back."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _PriceHandler)
        self.asked = 0
        self.entered = Event()
        self.gate = Event()
        self.gate.set()
        self.lock = Lock()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _PriceHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = cast(PriceServer, self.server)
        with server.lock:
            server.asked += 1
            body = json.dumps({"price": server.asked}).encode()
        server.entered.set()
        server.gate.wait(10)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def running_price_server() -> Iterator[PriceServer]:
    """Serve prices during the block."""
    server = PriceServer()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
