"""No caller decides where the service reads: nothing but its settings names an address."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.env import BASE_DIR
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.server import Server
from tests.simulated_calls import SimulatedCalls, simulated_calls

CONNECTING: Final = frozenset(
    {"aiohttp", "ftplib", "http.client", "httpcore", "httpx", "requests", "smtplib"}
    | {"socket", "socketserver", "ssl", "urllib.request", "urllib3"}
)
"""Modules that connections are made with."""

MAY_CONNECT: Final = {
    "papertrade_site/upstream/http.py",
    "papertrade_site/upstream/deadline.py",
    "papertrade_site/upstream/refusals.py",  # tells errors of connections apart
    "papertrade_site/ops/runner.py",  # asks the service itself whether it answers
    "papertrade_site/ops/valkey.py",
    "papertrade_site/ops/worker.py",  # takes connections, and makes none
    "papertrade_site/simulator/server.py",
}
NAMES_ADDRESSES: Final = "papertrade_site/upstream/clients.py"
ELSEWHERE: Final = (
    "http://169.254.169.254/",
    "https://evil.example/state",
    "file:///etc/passwd",
    "//evil.example",
    "../../etc/passwd",
    "BTC/../../admin",
    "BTC?x=1",
    "BTC#",
    "evil.example:443",
    "0x" + "1" * 40 + "&wallet=0x" + "2" * 40,
    "0x" + "1" * 39 + "/",
    "BTC\r\nHost: evil.example",
)
TEXTS: Final = [
    (server, tool.name, name)
    for server in (LIQUIDATIONS, ANALYTICS)
    for tool in server.tools
    for name, schema in tool.input_schema["properties"].items()
    if schema["type"] == "string"
]
FITTING: Final[dict[str, Any]] = {
    "symbol": "BTC",
    "side": "long",
    "marginUsd": 10,
    "leverage": 10,
    "priceMovePct": 1,
}


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for package in ("papertrade_site", "mcp_liquidations", "mcp_analytics"):
        for path in sorted((BASE_DIR / package).rglob("*.py")):
            yield str(Path(path).relative_to(BASE_DIR)), ast.parse(path.read_text("utf-8"))


def _imports(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _calls_of(name: str, module: ast.Module) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def test_few_modules_can_make_connections_at_all() -> None:
    assert {path for path, module in _modules() if CONNECTING & set(_imports(module))} == MAY_CONNECT


def test_clients_are_made_in_one_place_of_what_the_settings_say() -> None:
    made = {path: calls for path, module in _modules() if (calls := _calls_of("HttpClient", module))}
    assert list(made) == [NAMES_ADDRESSES]
    source = (BASE_DIR / NAMES_ADDRESSES).read_text("utf-8")
    for address in ("settings.EXCHANGE_URL", "settings.HYPERLIQUID_URL", "settings.HYPEREVM_URL"):
        assert address in source


def test_every_text_that_a_caller_may_write_is_one_of_a_few_or_a_wallet() -> None:
    for server, tool, name in TEXTS:
        schema = server.tools_by_name[tool].input_schema["properties"][name]
        assert "enum" in schema or schema["pattern"] == "^0x[0-9a-fA-F]{40}$", (tool, name)


@pytest.fixture(scope="module")
def calls() -> Iterator[SimulatedCalls]:
    with simulated_calls() as calls, calls.read_by_tools():
        yield calls


@pytest.mark.parametrize(("server", "tool", "name"), TEXTS, ids=lambda value: getattr(value, "slug", value))
def test_an_address_in_an_argument_is_refused_before_anybody_is_asked(
    calls: SimulatedCalls,
    server: Server,
    tool: str,
    name: str,
) -> None:
    required = server.tools_by_name[tool].input_schema.get("required", [])
    fitting = {each: FITTING[each] for each in required if each in FITTING}
    before = calls.requests
    for elsewhere in ELSEWHERE:
        arguments = {**fitting, name: elsewhere}
        answer = Dispatcher(server).answer(Call(1, "tools/call", {"name": tool, "arguments": arguments}))
        assert answer is not None
        assert b'"isError":true' in answer or b'"code":-32602' in answer
        assert name.encode() in answer
    assert calls.requests == before
