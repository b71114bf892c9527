"""What a server really answers to a message: run through its dispatcher when a page is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from papertrade_site.docs.samples import sample_arguments
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.schema import Schema
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.servers import SERVERS

UNLISTED_MARKET: Final = "DOGE"
"""A market that Papertrade does not have."""

SHORT_TEXT: Final = "0x12"
"""A text that fits no pattern."""


def request(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The message that calls a tool."""
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": dict(arguments)},
    }


def answer(server: Server, message: Mapping[str, Any]) -> dict[str, Any]:
    """What the server answers to a call."""
    content = _dispatcher(server.slug).answer(Call(message["id"], message["method"], message["params"]))
    found: dict[str, Any] = json.loads(content or b"null")
    return found


@cache
def _dispatcher(slug: str) -> Dispatcher:
    return Dispatcher(SERVERS[slug])


def wrong_arguments(tool: Tool[Any]) -> dict[str, Any]:
    """Arguments of a tool one of which it refuses, by its schema alone."""
    sample = dict(sample_arguments(tool.name))
    properties = tool.input_schema["properties"]
    if not properties:
        return {"market": "BTC"}
    name, value = next(
        (name, value) for name, schema in properties.items() if (value := _wrong(name, schema)) is not None
    )
    return {**sample, name: value}


def _wrong(name: str, schema: Schema) -> object:
    if "enum" in schema:
        return UNLISTED_MARKET if "BTC" in schema["enum"] else f"no_such_{name}"
    if "pattern" in schema:
        return SHORT_TEXT
    return schema["maximum"] + 1 if "maximum" in schema else None
