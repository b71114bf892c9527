"""A call in every language: read back as that language reads it, and the same in the browser's script."""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Mapping
from typing import Any, Final

import pytest

from papertrade_site.docs.samples import sample_arguments
from papertrade_site.docs.snippets import GAP, LANGUAGES, Language, Value
from papertrade_site.mcp.server import Server
from papertrade_site.servers import SERVERS
from tests.docs.script import playground

URL: Final = "http://127.0.0.1:8000/liquidations/mcp"
ARGUMENTS: Final[list[Mapping[str, Value]]] = [
    {},
    {"market": "BTC", "cascadePercent": 0.5, "maxBuckets": 20, "history": True, "other": False},
    {"priceMovePct": -0.5, "marginUsd": 1000000},
    {"wallet": 'it\'s "quoted" \\ $HOME `id` $(id) \n\t née \N{GRINNING FACE} %s {x} &amp; $& $1'},
]
BY_SLUG: Final = {each.slug: each for each in LANGUAGES}

arguments_given = pytest.mark.parametrize("arguments", ARGUMENTS, ids=range(len(ARGUMENTS)))


def _code(slug: str, arguments: Mapping[str, Value]) -> str:
    return BY_SLUG[slug].code(URL, "get_bust_map", arguments)


def _message(arguments: Mapping[str, Value]) -> dict[str, Any]:
    params = {"name": "get_bust_map", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@arguments_given
def test_the_command_sends_the_message_whatever_stands_in_it(arguments: Mapping[str, Value]) -> None:
    words = shlex.split(_code("curl", arguments).replace("\\\n", " "))
    assert words[:3] == ["curl", "-s", URL]
    headers = [words[index + 1] for index, word in enumerate(words) if word == "-H"]
    assert headers == ["content-type: application/json", "accept: application/json, text/event-stream"]
    assert words[-2] == "-d"
    assert json.loads(words[-1]) == _message(arguments)


@arguments_given
def test_the_message_is_json(arguments: Mapping[str, Value]) -> None:
    assert json.loads(_code("json", arguments)) == _message(arguments)


@arguments_given
def test_python_calls_the_tool_with_the_arguments(arguments: Mapping[str, Value]) -> None:
    calls = [node for node in ast.walk(ast.parse(_code("python", arguments))) if isinstance(node, ast.Call)]
    (call,) = (
        node for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr == "call_tool"
    )
    assert [ast.literal_eval(argument) for argument in call.args] == ["get_bust_map", arguments]
    (client,) = (node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "Client")
    assert [ast.literal_eval(argument) for argument in client.args] == [URL]


@arguments_given
def test_typescript_calls_the_tool_with_the_arguments(arguments: Mapping[str, Value]) -> None:
    _, _, rest = _code("typescript", arguments).partition('name: "get_bust_map", arguments: ')
    assert json.JSONDecoder().raw_decode(rest)[0] == arguments


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.slug)
def test_a_template_has_one_gap_for_the_arguments(language: Language) -> None:
    assert language.template(URL, "get_bust_map").count(GAP) == 1


@pytest.mark.parametrize("server", SERVERS.values(), ids=lambda server: server.slug)
def test_the_sample_of_every_tool_is_a_call_that_it_takes(server: Server) -> None:
    for tool in server.tools:
        if sample := sample_arguments(tool.name):
            assert tool.checked(sample).model_dump(by_alias=True, exclude_unset=True).keys() == sample.keys()
        else:
            assert set(tool.input_schema.get("required", ())) <= {"wallet"}


def test_the_script_of_the_playground_writes_every_call_as_the_server_does() -> None:
    samples = [sample_arguments(tool.name) for server in SERVERS.values() for tool in server.tools]
    calls = [(form, arguments) for form in LANGUAGES for arguments in [*ARGUMENTS, *samples]]
    written = playground(
        "given.map(([form, template, args]) => script.code(form, template, args))",
        [[form.slug, form.template(URL, "get_bust_map"), arguments] for form, arguments in calls],
    )
    assert written == [form.code(URL, "get_bust_map", arguments) for form, arguments in calls]
