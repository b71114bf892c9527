"""The project's own clients over an embedded exchange of this process, without a socket."""

from __future__ import annotations

import httpx

from papertrade_site.clock import Clock
from papertrade_site.env import SIMULATED_HEADER, Source
from papertrade_site.simulator.protocol import Answer, Request
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Host


class SimulatedTransport(httpx.BaseTransport):
    """Takes every request to one venue.

    Attributes:
        requests: how many it has taken there.
    """

    def __init__(self, venue: SimulatedVenue) -> None:
        self.requests = 0
        self._venue = venue

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Give the venue's answer; of a stream, what it opens with."""
        self.requests += 1
        answer = self._venue.answer(
            Request(
                method=request.method,
                path=request.url.path,
                query=tuple(request.url.params.multi_items()),
                body=request.read(),
            )
        )
        headers = {SIMULATED_HEADER: "1"}
        if isinstance(answer, Answer):
            headers["Content-Type"] = answer.content_type
            return httpx.Response(answer.status, headers=headers, content=answer.body)
        headers["Content-Type"] = "text/event-stream"
        return httpx.Response(200, headers=headers, content=answer.opening)


def simulated_clients(transport: SimulatedTransport, clock: Clock) -> Clients:
    """A client for each host, all of which are the transport's venue."""
    clients = {
        host: HttpClient(
            base_url=f"http://127.0.0.1{path}", clock=clock, expect_simulated=True, transport=transport
        )
        for host, path in ((Host.EXCHANGE, ""), (Host.HYPERLIQUID, ""), (Host.HYPEREVM, "/evm"))
    }
    return Clients(Source.SIMULATED, clients)
