"""Lists and calls of tools, over the HTTP view, under both policies on bad arguments."""

from __future__ import annotations

import json
import logging

import jsonschema_rs
import pytest

from tests.protocol.conftest import Ask, Reply, Send

BOTH_POLICIES = pytest.mark.parametrize("path", ["/results/mcp", "/errors/mcp"])
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}


def call(ask: Ask, name: object, arguments: object = None, *, path: str = "/results/mcp") -> Reply:
    return ask("tools/call", {"name": name, "arguments": arguments}, path=path)


@pytest.mark.requirement("method:tools-list", "tool:hints")
def test_the_list_shows_every_tool_with_title_hints_and_two_object_schemas(ask: Ask) -> None:
    tools = ask("tools/list").result["tools"]

    assert [tool["name"] for tool in tools] == ["get_forecast", "list_stations", "make_trouble"]
    for tool in tools:
        assert tool["annotations"] == {"title": tool["title"], **HINTS}
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False


def test_a_tool_without_arguments_says_so_with_empty_properties(ask: Ask) -> None:
    tool = ask("tools/list").result["tools"][1]

    assert tool["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}


def test_no_list_holds_a_keyword_that_a_client_in_use_cannot_read(ask: Ask) -> None:
    listed = ask("tools/list").content.decode()

    assert not [
        word for word in ("$ref", "$defs", "anyOf", "oneOf", "allOf", "const", "exclusive") if word in listed
    ]


@pytest.mark.requirement(
    "method:tools-call", "result:analytics", "result:liquidations", "result:output-schema"
)
@pytest.mark.parametrize(("path", "texts"), [("/results/mcp", 2), ("/errors/mcp", 1)])
def test_a_success_has_text_and_structured_content_that_matches_its_schema(
    ask: Ask, path: str, texts: int
) -> None:
    result = call(ask, "get_forecast", {"city": "Oslo"}, path=path).result

    assert result["isError"] is False
    assert [block["type"] for block in result["content"]] == ["text"] * texts
    assert result["content"][0]["text"] == "Oslo has 3 dry days."
    assert all(json.loads(block["text"]) == result["structuredContent"] for block in result["content"][1:])
    schema = ask("tools/list").result["tools"][0]["outputSchema"]
    jsonschema_rs.validator_for(schema).validate(result["structuredContent"])


@BOTH_POLICIES
@pytest.mark.parametrize("arguments", [None, {}])
def test_arguments_that_are_null_or_empty_are_none(ask: Ask, path: str, arguments: object) -> None:
    assert call(ask, "list_stations", arguments, path=path).result["structuredContent"] == {
        "stations": ["00ff"]
    }


@BOTH_POLICIES
def test_arguments_that_are_left_out_are_none(ask: Ask, path: str) -> None:
    assert ask("tools/call", {"name": "list_stations"}, path=path).result["isError"] is False


@BOTH_POLICIES
@pytest.mark.parametrize("arguments", [[], "", "{}", 0, False, [{"city": "Oslo"}]])
def test_arguments_that_are_no_object_are_invalid_params(ask: Ask, path: str, arguments: object) -> None:
    assert call(ask, "get_forecast", arguments, path=path).code == -32602


@pytest.mark.requirement("error:unknown-tool")
@BOTH_POLICIES
@pytest.mark.parametrize("name", ["get_weather", "GET_FORECAST", "", None, 1, ["get_forecast"], {}])
def test_an_unknown_tool_is_invalid_params_and_names_those_there_are(
    ask: Ask, path: str, name: object
) -> None:
    reply = call(ask, name, {}, path=path)

    assert (reply.status, reply.code) == (200, -32602)
    assert "get_forecast, list_stations, make_trouble" in reply.error["message"]


@BOTH_POLICIES
def test_a_missing_name_is_invalid_params(ask: Ask, path: str) -> None:
    assert ask("tools/call", {"arguments": {}}, path=path).code == -32602


WRONG = {
    "a missing one": ({}, "city is missing; it must be one of Oslo, Lima."),
    "null for a required one": ({"city": None}, "city is null: it must be one of Oslo, Lima."),
    "another choice": ({"city": "Rome"}, 'city is "Rome": it must be one of Oslo, Lima.'),
    "the text null": ({"city": "null"}, 'city is "null": it must be one of Oslo, Lima.'),
    "a number for a choice": ({"city": 1}, "city is 1: it must be one of Oslo, Lima."),
    "below": ({"city": "Oslo", "days": 0}, "days is 0: it must be a whole number from 1 to 5."),
    "above": ({"city": "Oslo", "days": 6}, "days is 6: it must be a whole number from 1 to 5."),
    "a fraction": ({"city": "Oslo", "days": 5.5}, "days is 5.5: it must be a whole number from 1 to 5."),
    "true for a number": (
        {"city": "Oslo", "days": True},
        "days is true: it must be a whole number from 1 to 5.",
    ),
    "a unit": ({"city": "Oslo", "days": "5x"}, 'days is "5x": it must be a whole number from 1 to 5.'),
    "a list": ({"city": "Oslo", "days": [1]}, "days is [1]: it must be a whole number from 1 to 5."),
    "open range": ({"city": "Oslo", "height": -0.5}, "height is -0.5: it must be a number of 0 or more."),
    "overflow": ({"city": "Oslo", "height": "1e999"}, 'height is "1e999": it must be a number of 0 or more.'),
    "a text for truth": ({"city": "Oslo", "metric": "yes"}, 'metric is "yes": it must be true or false.'),
    "a newline": (
        {"city": "Oslo", "station": "00ff\n"},
        'station is "00ff\\n": it must be a text that matches ^[a-f0-9]{4}$.',
    ),
    "a NUL": (
        {"city": "Oslo", "station": "00f\0"},
        'station is "00f\\u0000": it must be a text that matches ^[a-f0-9]{4}$.',
    ),
    "an unknown one": (
        {"city": "Oslo", "town": "Rome"},
        "town is not an argument of this tool, which takes city, days, height, metric, station.",
    ),
}


@pytest.mark.requirement("error:bad-arguments:analytics", "error:bad-arguments:liquidations")
@pytest.mark.parametrize(("arguments", "sentence"), WRONG.values(), ids=WRONG)
def test_a_bad_argument_is_a_result_or_invalid_params_in_the_same_words(
    ask: Ask, arguments: object, sentence: str
) -> None:
    result = call(ask, "get_forecast", arguments).result
    reply = call(ask, "get_forecast", arguments, path="/errors/mcp")

    text = f"Wrong arguments for get_forecast: {sentence}"
    assert result == {"content": [{"type": "text", "text": text}], "isError": True}
    assert (reply.status, reply.code, reply.error["message"]) == (200, -32602, text)
    (fault,) = reply.error["data"]["errors"]
    assert sentence.startswith(fault["argument"])
    assert sentence.endswith(f"{fault['problem']}.")


def test_every_bad_argument_is_named_in_the_order_of_the_schema(ask: Ask) -> None:
    arguments = {"town": 1, "station": "", "days": 9}

    errors = call(ask, "get_forecast", arguments, path="/errors/mcp").error["data"]["errors"]

    assert [fault["argument"] for fault in errors] == ["city", "days", "station", "town"]


def test_a_number_that_no_float_can_hold_is_a_bad_argument(ask: Ask) -> None:
    reply = call(ask, "get_forecast", {"city": "Oslo", "height": 10**400}, path="/errors/mcp")

    assert reply.code == -32602
    assert reply.error["data"]["errors"][0]["argument"] == "height"


def test_a_rule_that_no_schema_can_state_is_refused_the_same_way(ask: Ask) -> None:
    result = call(ask, "make_trouble", {"kind": "rule"}).result
    error = call(ask, "make_trouble", {"kind": "rule"}, path="/errors/mcp").error

    assert result["isError"] is True
    assert result["content"][0]["text"] == error["message"]
    assert error["data"]["errors"] == [
        {"argument": "kind", "value": '"rule"', "problem": "must not be a rule today"}
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Oslo", "days": "4", "height": "2.5"},
        {"city": " oslo ", "days": 4.0, "height": 2.5},
        {"city": "OSLO", "days": "4.0", "height": "2.50", "metric": None, "station": None},
        {"city": "Oslo", "days": 4, "height": 2.5, "sessionId": 1, "action": 1, "chatInput": 1},
        {"city": "Oslo", "days": 4, "height": 2.5, "toolCallId": 1, "tool": 1, "_sessionID": 1},
    ],
)
def test_arguments_as_clients_really_send_them_mean_the_same(ask: Ask, arguments: object) -> None:
    assert call(ask, "get_forecast", arguments).result["structuredContent"]["dryDays"] == 4


@pytest.mark.requirement("error:tool")
@BOTH_POLICIES
def test_a_failure_inside_a_tool_is_a_result_of_text_alone(ask: Ask, path: str) -> None:
    reply = call(ask, "make_trouble", {"kind": "refusal"}, path=path)

    text = "The sky cannot be seen. Try again in 5 s."
    assert (reply.status, reply.result) == (
        200,
        {"content": [{"type": "text", "text": text}], "isError": True},
    )


@BOTH_POLICIES
@pytest.mark.parametrize("kind", ["bug", "unspeakable"])
def test_a_bug_in_a_tool_is_logged_whole_and_told_without_detail(
    ask: Ask, path: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    reply = call(ask, "make_trouble", {"kind": kind}, path=path)

    assert reply.status == 200
    assert reply.result["isError"] is True
    assert "structuredContent" not in reply.result
    assert "secret" not in reply.content.decode()
    (record,) = caplog.records
    assert (record.levelno, record.exc_info is not None) == (logging.ERROR, True)


def test_a_bug_in_one_tool_costs_the_rest_of_its_batch_nothing(send: Send) -> None:
    calls = [{"name": "make_trouble", "arguments": {"kind": "bug"}}, {"name": "list_stations"}]

    reply = send([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params} for params in calls])

    assert [answer["result"]["isError"] for answer in reply.json()] == [True, False]
