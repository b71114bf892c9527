"""What the soak asks: every tool with any arguments, what clients ask beside, pages, and what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any, Final

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool

SERVERS: Final = (LIQUIDATIONS, ANALYTICS)
TOOLS: Final = [(server, tool) for server in SERVERS for tool in server.tools]
CLIENTS: Final = 4_096
"""So many that none comes near its limit, but for the one that tries to."""

JSON_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}
LAST_HEADERS: Final = {**JSON_HEADERS, "Connection": "close"}
"""Of a request after which the service hangs up, since it does not read the rest of so large a body."""

INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "soak", "version": "1"},
}
PAGES: Final = (
    *(
        f"/{server.slug}/{page}"
        for server in SERVERS
        for page in ("", "docs/security.md", "status", "llms.txt")
    ),
    *(f"/{server.slug}/docs/tools/{tool.name}" for server, tool in TOOLS),
    "/analytics/.well-known/mcp/server-card.json",
    "/liquidations/mcp",
    "/healthz",
)
OF_SOURCES: Final = (
    "/liquidations/pictures/ladder.svg?market=BTC&cascadePercent=1",
    "/liquidations/pictures/ladder.json?market=ETH",
    "/analytics/pictures/skew.svg",
    "/analytics/pictures/paper.svg",
    "/analytics/pictures/sparkline.svg?symbol=ETH",
    "/analytics/pictures/history.json?metric=volume&interval=1h",
)
"""What is drawn of sources alone, and says 503 while there is none to draw of."""

OVERSIZE: Final = b" " * 65_537


class Form(StrEnum):
    """What an answer has to look like."""

    RPC = "JSON-RPC"
    NOTHING = "nothing"
    ANYTHING = "anything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request, and what may come back.

    Attributes:
        kind: the row in which it is counted.
        client: the address that the proxy in front names; None for a request that came by no proxy.
        ids: of the messages that are to be answered, None where the answer can have none.
        is_call: whether it is one sound call of a tool.
    """

    kind: str
    method: str = "POST"
    path: str
    body: bytes | None = None
    client: str | None
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_HEADERS)
    statuses: frozenset[int] = frozenset({200})
    form: Form = Form.RPC
    ids: tuple[int | str | None, ...] = ()
    is_call: bool = False


class Mix:
    """Draws requests, the same ones for the same dice; used by one thread.

    Args:
        dice: what is drawn with.
        wallets: of traders whom the exchange knows.
    """

    def __init__(self, dice: Random, wallets: Sequence[str]) -> None:
        self._dice = dice
        self._wallets = wallets
        self._number = 0
        self._makers: dict[Callable[[], Ask], int] = {
            self._tool: 70,
            self._simple: 7,
            self._batch: 2,
            self._notification: 1,
            self._page: 6,
            self._of_sources: 4,
            self._insider: 1,
            self._bad: 8,
            self._flood: 2,
        }

    def draw(self) -> Ask:
        """The next request."""
        self._number += 1
        (make,) = self._dice.choices(list(self._makers), list(self._makers.values()))
        return make()

    def call(self, server: Server, tool: Tool[Any]) -> Ask:
        """A sound call of a tool with any of its arguments."""
        properties = tool.input_schema["properties"]
        required = tool.input_schema.get("required", [])
        arguments = {
            name: self._value(schema)
            for name, schema in properties.items()
            if name in required or self._dice.random() < 0.4
        }
        params = {"name": tool.name, "arguments": arguments}
        return self._post(tool.name, server, self._message("tools/call", params), is_call=True)

    def _tool(self) -> Ask:
        return self.call(*self._dice.choice(TOOLS))

    def _value(self, schema: Mapping[str, Any]) -> object:
        match schema["type"]:
            case "boolean":
                return self._dice.random() < 0.5
            case "integer":
                return self._dice.randint(schema["minimum"], schema["maximum"])
            case "number":
                return round(self._dice.uniform(schema["minimum"], schema.get("maximum", 200_000)), 2)
            case _:
                return self._dice.choice(schema["enum"]) if "enum" in schema else self._wallet()

    def _wallet(self) -> str:
        if self._dice.random() < 0.1:
            return f"0x{self._dice.getrandbits(160):040x}"
        return self._dice.choice(self._wallets)

    def _simple(self) -> Ask:
        method, params = self._dice.choice(
            [("initialize", INITIALIZE), ("tools/list", {}), ("ping", {}), ("resources/list", {})]
        )
        return self._post(method, self._dice.choice(SERVERS), self._message(method, params))

    def _batch(self) -> Ask:
        messages = [self._message("ping", {}), self._message("tools/list", {})]
        return self._post("batch", self._dice.choice(SERVERS), messages, ids=(self._number, self._number))

    def _notification(self) -> Ask:
        message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        return self._post(
            "notification", self._dice.choice(SERVERS), message, status=202, form=Form.NOTHING, ids=()
        )

    def _page(self) -> Ask:
        return self._get("page", self._dice.choice(PAGES))

    def _of_sources(self) -> Ask:
        return self._get("picture", self._dice.choice(OF_SOURCES), statuses=frozenset({200, 503}))

    def _insider(self) -> Ask:
        """Somebody on the machine itself, who watches the service."""
        path = self._dice.choice(["/metrics", "/readyz"])
        return self._get("insider", path, statuses=frozenset({200, 503}), is_local=True)

    def _bad(self) -> Ask:
        server = self._dice.choice(SERVERS)
        wrong_tool = self._message("tools/call", {"name": "make_money"})
        wrong_values = {"name": server.tools[0].name, "arguments": {"market": "SOL", "symbol": 1}}
        return self._dice.choice(
            [
                self._post("bad", server, b'{"jsonrpc": "2.0", "id": 1, ', status=400, ids=(None,)),
                self._post("bad", server, [], status=400, ids=(None,)),
                self._post("bad", server, {"id": 7, "method": "ping"}, status=400, ids=(7,)),
                self._post("bad", server, wrong_tool),
                self._post("bad", server, self._message("tools/call", wrong_values)),
                self._post("bad", server, self._message("sampling/create", {})),
                self._post("bad", server, OVERSIZE, status=413, ids=(None,), headers=LAST_HEADERS),
                self._post(
                    "bad", server, b"ping", status=415, ids=(None,), headers={"Content-Type": "text/plain"}
                ),
                self._get("bad", f"/{server.slug}/wp-login.php", statuses=frozenset({404})),
                self._get("bad", "/healthz", statuses=frozenset({400}), headers={"Host": "evil.example"}),
            ]
        )

    def _flood(self) -> Ask:
        """A client that asks for more than it may have."""
        message = self._message("ping", {})
        return self._post("flood", ANALYTICS, message, status=(200, 429), client="10.200.0.1")

    def _message(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}

    def _post(
        self,
        kind: str,
        server: Server,
        body: object,
        *,
        status: int | tuple[int, ...] = 200,
        form: Form = Form.RPC,
        ids: tuple[int | str | None, ...] | None = None,
        headers: Mapping[str, str] = JSON_HEADERS,
        client: str | None = None,
        is_call: bool = False,
    ) -> Ask:
        return Ask(
            kind=kind,
            path=f"/{server.slug}/mcp",
            body=body if isinstance(body, bytes) else json.dumps(body).encode(),
            client=client or self._client(),
            headers=headers,
            statuses=frozenset({status} if isinstance(status, int) else status),
            form=form,
            ids=(self._number,) if ids is None else ids,
            is_call=is_call,
        )

    def _get(
        self,
        kind: str,
        path: str,
        *,
        statuses: frozenset[int] = frozenset({200}),
        headers: Mapping[str, str] | None = None,
        is_local: bool = False,
    ) -> Ask:
        return Ask(
            kind=kind,
            method="GET",
            path=path,
            client=None if is_local else self._client(),
            headers=headers or {},
            statuses=statuses,
            form=Form.ANYTHING,
        )

    def _client(self) -> str:
        number = self._dice.randrange(CLIENTS)
        return f"10.1.{number >> 8}.{number & 255}"
