"""Calling a tool from the shell on the way that a client's call takes, but for HTTP; nothing is counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.limits.in_force import policy
from papertrade_site.limits.switches import tool_off
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.errors import shown
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.schema import Schema
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.servers import SERVERS
from papertrade_site.shell import report
from papertrade_site.shell.bust_ladder import bust_ladder
from papertrade_site.shell.terminal import Terminal, visible

TRUTH: Final = {"true": True, "false": False}

Drawing = Callable[[Mapping[str, Any], Terminal], Iterator[str]]

DRAWINGS: Final[Mapping[str, Drawing]] = {"get_bust_map": bust_ladder}
"""Tools whose results are shown in a way of their own."""


class UsageError(Exception):
    """What was typed cannot be a call; the message says what can."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to.

    Attributes:
        text: the tool's own.
        result: None when the call failed.
        is_refusal: whether it failed for its arguments, or is switched off, whatever the sources have to say.
    """

    text: str
    result: Mapping[str, Any] | None
    is_refusal: bool = False


def server_named(name: str) -> Server:
    """The server of a short name.

    Raises:
        UsageError: naming the servers that there are.
    """
    if name not in SERVERS:
        raise UsageError(f"There is no server {shown(name)}; there are {', '.join(SERVERS)}.")
    return SERVERS[name]


def tool_named(server: Server, name: str) -> Tool[Any]:
    """A server's tool.

    Raises:
        UsageError: naming the tools that it has.
    """
    tool = server.tools_by_name.get(name)
    if tool is None:
        known = ", ".join(server.tools_by_name)
        raise UsageError(f"There is no tool {shown(name)} on {server.slug}, which has {known}.")
    return tool


def arguments_of(words: Iterable[str], schema: Schema) -> dict[str, str | bool]:
    """The arguments that words like ``market=BTC`` give; what they may be is left to the tool.

    Raises:
        UsageError: for a word without ``=``, and for a name that is given twice.
    """
    arguments: dict[str, str | bool] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise UsageError(f"An argument is written name=value, not {shown(word)}.")
        if name in arguments:
            raise UsageError(f"{shown(name)} is given twice.")
        kind = schema["properties"].get(name, {}).get("type")
        arguments[name] = TRUTH.get(value.strip().casefold(), value) if kind == "boolean" else value
    return arguments


def call(server: Server, tool: Tool[Any], arguments: Mapping[str, str | bool]) -> Outcome:
    """Call the tool, unless the operator has switched it off; failing is an outcome too."""
    closed = tool_off(policy(), server.slug, tool.name)
    if closed is not None:
        return Outcome(closed, None, is_refusal=True)
    message = Dispatcher(server).answer(Call(1, "tools/call", {"name": tool.name, "arguments": arguments}))
    answer = json.loads(message or b"{}")
    if "error" in answer:
        return Outcome(answer["error"]["message"], None, is_refusal=True)
    result = answer["result"]
    text = result["content"][0]["text"]
    return Outcome(text, result.get("structuredContent"), is_refusal=text.startswith(_refusal(tool)))


def _refusal(tool: Tool[Any]) -> str:
    """How a server that answers bad arguments with a result begins it."""
    return f"{tool.preface}Wrong arguments for {tool.name}: "


def page(tool: Tool[Any], outcome: Outcome, terminal: Terminal) -> Iterator[str]:
    """A success for a person: the sentence, the figures, and how old they are."""
    result = outcome.result or {}
    yield from terminal.wrapped(visible(outcome.text))
    yield ""
    yield from DRAWINGS.get(tool.name, report.figures)(result, terminal)
    yield ""
    yield from report.provenance(result, terminal)


def server_list(servers: Iterable[Server], terminal: Terminal) -> Iterator[str]:
    """Servers with their tools' names and titles."""
    for server in servers:
        yield f"{server.slug}: {server.title}"
        width = max(len(tool.name) for tool in server.tools) + 4
        for tool in server.tools:
            yield from terminal.wrapped(tool.title, indent=width, first=f"  {tool.name}")


def manual(tool: Tool[Any], terminal: Terminal) -> Iterator[str]:
    """What a tool is for and what it takes."""
    yield f"{tool.name}: {tool.title}"
    yield from terminal.wrapped(tool.description)
    for name, schema in tool.input_schema["properties"].items():
        need = "required" if name in tool.input_schema.get("required", ()) else "optional"
        yield ""
        yield f"  {name}  ({', '.join([need, *_traits(schema)])})"
        yield from terminal.wrapped(schema.get("description", ""), indent=4)


def _traits(schema: Schema) -> Iterator[str]:
    if "enum" in schema:
        yield " or ".join(schema["enum"])
    elif "minimum" in schema and "maximum" in schema:
        yield f"{schema['type']} from {schema['minimum']} to {schema['maximum']}"
    else:
        yield schema["type"]
    if "default" in schema:
        yield f"{json.dumps(schema['default'])} when left out"
