"""All three hosts in one object, behind a transport of real clients."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx

from papertrade_site.env import SIMULATED_HEADER
from papertrade_site.strict_json import Json
from papertrade_site.upstream.clients import Clients

OpenClients = Callable[..., Clients]

FROZEN: dict[int, Json] = {5: True, 6: True, 8: True, 9: "830650", 10: "830661", 11: 1_796_030_000_000}
"""What the venue says of a market that is paused for good."""

BODY_OF_PATH = {
    "/state/trading": "trading",
    "/query/protocol/summary": "summary",
    "/query/protocol/history": "history",
    "/query/house/history": "house_history",
    "/query/protocol/market-stats": "market_stats",
    "/query/protocol/queue-summary": "queue",
    "/query/protocol/trades/recent": "recent_trades",
    "/state/leaderboard/accounts": "leaderboard",
    "/state/leaderboard/positions": "best_positions",
    "/state/liquidation-map": "liquidation_map",
    "/evm": "paper",
}


class FakeVenue:
    """All three hosts: answers sound bodies, counts requests by name, and fails on request."""

    def __init__(self, body: Callable[[str], Any]) -> None:
        self.requests: Counter[str] = Counter()
        self.status: dict[str, int] = {}
        self.bodies: dict[str, Any] = {}
        self._body = body

    def answer(self, request: httpx.Request) -> httpx.Response:
        name, subject = self._asked_for(request)
        self.requests[subject] += 1
        if subject in self.status:
            return httpx.Response(self.status[subject])
        payload = self.bodies.get(subject, self._body(name))
        if name == "wallet":
            frame = json.dumps({**payload, "address": request.url.params["wallet"]})
            return self._ok("text/event-stream", f"event: wallet\ndata: {frame}\n\n".encode())
        if name == "book":
            payload = {**payload, "coin": json.loads(request.content)["coin"]}
        return self._ok("application/json", json.dumps(payload).encode())

    def _asked_for(self, request: httpx.Request) -> tuple[str, str]:
        if request.url.path == "/state/user/live":
            return "wallet", request.url.params["wallet"]
        if request.url.path == "/info":
            question = json.loads(request.content)
            return ("book", question["coin"]) if question["type"] == "l2Book" else ("candles", "candles")
        name = BODY_OF_PATH[request.url.path]
        return name, name

    def _ok(self, media_type: str, content: bytes) -> httpx.Response:
        headers = {"Content-Type": media_type, SIMULATED_HEADER: "1"}
        return httpx.Response(200, headers=headers, content=content)
