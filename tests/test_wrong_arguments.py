"""Every argument of every tool, wrong in every way that its schema knows, over the two endpoints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import jsonschema_rs
import pytest
from django.test import Client
from pytest_django import Settings

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.arguments import normalise
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream.process import process_sources

SERVERS = (LIQUIDATIONS, ANALYTICS)
TOOLS = [(server, tool) for server in SERVERS for tool in server.tools]
OF_OTHER_TYPES: dict[str, list[Any]] = {
    "integer": [5.5, True, "5x", "5.5", "", " ", "NaN", "1e999", "null", [], {}],
    "number": [True, "5x", "", " ", "NaN", "Infinity", "1e999", "null", [5], {}, "9" * 400],
    "boolean": [1, 0, "true", "yes", "", [], {}],
    "string": [5, 5.5, True, [], {}, "", "null", "\0", "a\n", "\u202e", "x" * 60_000],
}


@dataclass(frozen=True, slots=True)
class Case:
    """One wrong call: its arguments, the argument that is wrong, and what a refusal has to say."""

    server: Server
    tool: Tool[Any]
    arguments: dict[str, Any]
    wrong: str
    says: tuple[str, ...]

    def __str__(self) -> str:
        """The case as a failure names it."""
        return f"{self.tool.name} {self.wrong} {json.dumps(self.arguments.get(self.wrong, 'missing'))[:24]}"


def _sound(schema: dict[str, Any]) -> Any:  # noqa: ANN401
    """A value that an argument may have."""
    match schema["type"]:
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return schema["enum"][0] if "enum" in schema else "0x" + "1" * 40


def _allowed(schema: dict[str, Any]) -> tuple[str, ...]:
    """What a refusal has to name of what an argument may be."""
    bounds = (str(schema[bound]) for bound in ("minimum", "maximum") if bound in schema)
    return (*schema.get("enum", ()), *bounds, *([schema["pattern"]] if "pattern" in schema else ()))


def _wrong_values(schema: dict[str, Any]) -> list[Any]:
    values = list(OF_OTHER_TYPES[schema["type"]])
    for bound, step in (("minimum", -1), ("maximum", 1)):
        if bound in schema:
            values += [schema[bound] + step, str(schema[bound] + step), step * 10**400, step * 1e300]
            if schema["type"] == "number":
                values += [math.nextafter(schema[bound], step * math.inf)]
    if "pattern" in schema:
        sound = _sound(schema)
        values += [
            sound + "\n",
            sound[:-1],
            sound + "0",
            sound[:-1] + "g",
            sound[:-1] + "\uff11",
            " " + sound,
            sound.upper(),
        ]
    return values


def _cases(server: Server, tool: Tool[Any]) -> Iterator[Case]:
    properties, required = tool.input_schema["properties"], tool.input_schema.get("required", [])
    base = {name: _sound(properties[name]) for name in required}
    for name, schema in properties.items():
        for value in _wrong_values(schema):
            yield Case(server, tool, {**base, name: value}, name, _allowed(schema))
        if name in required:
            yield Case(server, tool, {**base, name: None}, name, _allowed(schema))
            without = {other: value for other, value in base.items() if other != name}
            yield Case(server, tool, without, name, _allowed(schema))
    yield Case(server, tool, {**base, "made_up": 1}, "made_up", tuple(properties))


every_tool = pytest.mark.parametrize(
    ("server", "tool"), TOOLS, ids=lambda value: value.name if isinstance(value, Tool) else value.slug
)


@pytest.fixture(autouse=True)
def nothing_is_read(settings: Settings) -> Iterator[None]:
    """Have no limit stand in the way, and no source be asked."""
    settings.RATELIMIT_ENABLE = False
    with patch.object(process_sources, "for_call", side_effect=AssertionError("a source was asked")):
        yield


@pytest.mark.requirement("error:bad-arguments:analytics", "error:bad-arguments:liquidations")
@every_tool
def test_a_wrong_argument_is_refused_by_name_with_what_is_allowed(
    client: Client, server: Server, tool: Tool[Any]
) -> None:
    for case in _cases(server, tool):
        params = {"name": tool.name, "arguments": case.arguments}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = client.post(f"/{server.slug}/mcp", json.dumps(call), content_type="application/json")

        assert answer.status_code == 200, str(case)
        text = _refusal(answer.json(), case)
        assert f"Wrong arguments for {tool.name}: {case.wrong} is " in text, str(case)
        assert all(word in text for word in case.says), str(case)
        assert len(answer.content) < 2_000, str(case)


def _refusal(message: dict[str, Any], case: Case) -> str:
    """The sentence of an answer that refuses, in the form that the server has for it."""
    if case.server is ANALYTICS:
        assert set(message["result"]) == {"content", "isError"}, str(case)
        assert message["result"]["isError"] is True, str(case)
        (block,) = message["result"]["content"]
        return str(block["text"])
    assert message["error"]["code"] == -32602, str(case)
    assert [fault["argument"] for fault in message["error"]["data"]["errors"]] == [case.wrong], str(case)
    return str(message["error"]["message"])


@every_tool
def test_a_value_at_its_bounds_and_every_choice_is_taken(server: Server, tool: Tool[Any]) -> None:
    properties, required = tool.input_schema["properties"], tool.input_schema.get("required", [])
    base = {name: _sound(properties[name]) for name in required}
    validator = jsonschema_rs.validator_for(tool.input_schema)
    for name, schema in properties.items():
        choices = schema.get("enum", []) or [False, True] * (schema["type"] == "boolean")
        bounds = [schema[bound] for bound in ("minimum", "maximum") if bound in schema]
        for value in [*choices, *bounds, *map(str, bounds), *map(str.lower, schema.get("enum", []))]:
            arguments = normalise({**base, name: value}, tool.input_schema)
            assert validator.is_valid(arguments), (server.slug, name, value)
            tool.arguments.model_validate(arguments)
