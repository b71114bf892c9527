"""The site over an embedded exchange that stands still, so that both can be asked for the same moment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.request import urlopen

from papertrade_site.clock import SystemClock
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.protocol import Answer, EventStream, Request
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from tests.clocks import ManualClock
from tests.serving import serving

SEED = 7


class _StillVenue(SimulatedVenue):
    """A venue at which it is always the same moment, but for the time of its order books.

    That one is the present, since an order book that stands still is refused for a mark.
    """

    def answer(self, request: Request) -> Answer | EventStream:
        answer = super().answer(request)
        if b"l2Book" not in request.body or not isinstance(answer, Answer):
            return answer
        book = json.loads(answer.body) | {"time": SystemClock().now_ms()}
        return replace(answer, body=json.dumps(book).encode())


@dataclass(frozen=True, slots=True)
class StillSite:
    """Where the site is reached, and the exchange that it reads."""

    port: int
    exchange: str

    def endpoint(self, server: str) -> str:
        """A server's endpoint by path."""
        return f"http://127.0.0.1:{self.port}/{server}/mcp"

    def body(self, path: str) -> Any:  # noqa: ANN401
        """What the exchange itself answers at a path."""
        with urlopen(self.exchange + path, timeout=30) as answer:
            return json.load(answer)

    def info(self, question: dict[str, Any]) -> Any:  # noqa: ANN401
        """What the source of prices that stands beside it answers to a question."""
        with urlopen(f"{self.exchange}/info", json.dumps(question).encode(), timeout=30) as answer:
            return json.load(answer)

    def wallet(self, address: str) -> Any:  # noqa: ANN401
        """What the exchange's stream of a wallet begins with."""
        with urlopen(f"{self.exchange}/state/user/live?wallet={address}", timeout=30) as stream:
            lines = (line.strip() for line in stream)
            return next(
                json.loads(next(lines).removeprefix(b"data:")) for line in lines if line == b"event: wallet"
            )


@contextmanager
def still_site() -> Iterator[StillSite]:
    """Serve the site, and an exchange on which it is always the moment at which the block began."""
    venue = _StillVenue.create(seed=SEED, clock=ManualClock(SystemClock().now_ms()))
    exchange = ExchangeServer(venue, port=0, board=FaultBoard())
    exchange.start()
    environ = {
        "PAPERTRADE_EXCHANGE_URL": exchange.address,
        "PAPERTRADE_HYPERLIQUID_URL": exchange.address,
        "PAPERTRADE_HYPEREVM_URL": f"{exchange.address}/evm",
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1",
        "PAPERTRADE_LOG_LEVEL": "ERROR",
        "WEB_CONCURRENCY": "1",
    }
    try:
        with serving("papertrade_site.wsgi:application", environ=environ) as served:
            yield StillSite(served.port, exchange.address)
    finally:
        exchange.stop()
