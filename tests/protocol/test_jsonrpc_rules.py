"""Ids, batches, notifications, versions and codes, over the HTTP view."""

from __future__ import annotations

import json
from typing import Any

import pytest

from papertrade_site.mcp.negotiation import PROTOCOL_VERSIONS
from tests.protocol.conftest import Ask, Send

BOTH_POLICIES = pytest.mark.parametrize("path", ["/results/mcp", "/errors/mcp"])
NOTE = {"jsonrpc": "2.0", "method": "notifications/progress"}


def ping(message_id: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": message_id, "method": "ping"}


def pong(message_id: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": message_id, "result": {}}


@pytest.mark.requirement("endpoint:single-messages")
@pytest.mark.parametrize(
    "written",
    [
        *("0", "1", "-1", "2147483648", "9007199254740993", "18446744073709551616", "-9223372036854775809"),
        "7" * 4_000,
        *(
            '"1"',
            '"0"',
            '""',
            '"null"',
            '" a b "',
            '"\\u0000\\u001f"',
            '"\\"\\\\\\/\\n"',
            '"é🌦"',
            '"\\ud83c\\udf26"',
        ),
        f'"{"x" * 1_024}"',
        '"</script><!-- \u2028"',
    ],
    ids=lambda written: written[:20],
)
def test_an_id_comes_back_exactly_in_value_and_type(send: Send, written: str) -> None:
    reply = send(f'{{"jsonrpc":"2.0","id":{written},"method":"ping"}}'.encode())

    echoed = reply.json()["id"]
    assert reply.status == 200
    assert (echoed, type(echoed)) == (json.loads(written), type(json.loads(written)))


@pytest.mark.parametrize("written", ["null", "true", "false", "1.5", "1.0", "1e3", "{}", "[]", "[1]"])
def test_an_id_of_another_type_is_an_invalid_request_with_a_null_id(send: Send, written: str) -> None:
    reply = send(f'{{"jsonrpc":"2.0","id":{written},"method":"ping"}}'.encode())

    assert (reply.status, reply.code, reply.json()["id"]) == (400, -32600, None)


@pytest.mark.requirement("error:invalid-request")
@pytest.mark.parametrize(
    ("document", "message_id"),
    [
        (1, None),
        ("ping", None),
        (None, None),
        (True, None),
        ({}, None),
        ({"id": 4, "method": "ping"}, 4),
        ({"jsonrpc": "1.0", "id": 4, "method": "ping"}, 4),
        ({"jsonrpc": 2.0, "id": 4, "method": "ping"}, 4),
        ({"jsonrpc": ["2.0"], "id": 4, "method": "ping"}, 4),
        ({"jsonrpc": "2.0", "id": 4}, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": 5}, 4),
        ({"jsonrpc": "2.0", "id": "4", "method": None}, "4"),
        ({"jsonrpc": "2.0", "method": {}}, None),
        ({"jsonrpc": "2.0", "method": 1, "result": {}}, None),
        ({"jsonrpc": "2.0"}, None),
    ],
)
def test_json_that_is_no_message_is_an_invalid_request_in_a_400(
    send: Send, document: object, message_id: object
) -> None:
    reply = send(document)

    assert (reply.status, reply.code, reply.json()["id"]) == (400, -32600, message_id)


@pytest.mark.parametrize("extra", [{"_meta": {}}, {"trace": [1]}, {"result": 1}, {"": None}])
def test_further_members_of_a_message_mean_nothing(send: Send, extra: dict[str, object]) -> None:
    assert send({**ping(1), **extra}).json() == pong(1)


@pytest.mark.requirement("method:ping", "method:resources-list", "method:prompts-list")
@pytest.mark.parametrize("params", [None, {}, {"_meta": {"progressToken": 1}}, {"x": 1}])
@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("ping", {}),
        ("resources/list", {"resources": []}),
        ("resources/templates/list", {"resourceTemplates": []}),
        ("prompts/list", {"prompts": []}),
    ],
)
def test_what_a_server_of_tools_has_none_of_is_an_empty_list(
    send: Send, method: str, params: object, result: object
) -> None:
    reply = send({"jsonrpc": "2.0", "id": 0, "method": method, "params": params})

    assert reply.json() == {"jsonrpc": "2.0", "id": 0, "result": result}


@pytest.mark.requirement("error:bad-params")
@pytest.mark.parametrize("params", [[], [1], "x", 1, False])
@pytest.mark.parametrize("method", ["ping", "initialize", "tools/list", "tools/call"])
def test_params_that_are_no_object_are_invalid_params(ask: Ask, method: str, params: object) -> None:
    reply = ask(method, params)

    assert (reply.status, reply.code, reply.json()["id"]) == (200, -32602, 1)


@pytest.mark.requirement("error:unknown-method")
@pytest.mark.parametrize("params", [None, {}, [1], "x"])
@pytest.mark.parametrize(
    "method",
    ["server/discover", "logging/setLevel", "TOOLS/LIST", "", "initialize ", "notifications/initialized"],
)
def test_an_unknown_method_is_method_not_found_in_a_200_whatever_its_params(
    ask: Ask, method: str, params: object
) -> None:
    reply = ask(method, params)

    assert (reply.status, reply.code) == (200, -32601)


@pytest.mark.parametrize(
    "method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
)
@pytest.mark.parametrize("cursor", ["abc", "", 1, {}])
def test_a_cursor_that_was_never_given_is_invalid_params(ask: Ask, method: str, cursor: object) -> None:
    assert ask(method, {"cursor": cursor}).code == -32602
    assert "result" in ask(method, {"cursor": None}).json()


@pytest.mark.requirement("initialize:version:spoken", "initialize:capabilities", "initialize:server")
@pytest.mark.parametrize("version", PROTOCOL_VERSIONS)
def test_initialize_echoes_a_version_that_it_speaks(ask: Ask, version: str) -> None:
    assert ask("initialize", {"protocolVersion": version}).result == {
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "example-weather", "title": "Weather", "version": "1.2.3"},
        "instructions": "Ask for a city.",
    }


@pytest.mark.requirement("initialize:version:other")
@pytest.mark.parametrize(
    "version", ["2025-11-25", "2026-07-28", "1.0", "", None, 20250618, ["2025-06-18"], {}]
)
def test_initialize_answers_any_other_version_with_its_newest(ask: Ask, version: object) -> None:
    assert ask("initialize", {"protocolVersion": version}).result["protocolVersion"] == "2025-06-18"
    assert ask("initialize").result["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize("version", [*PROTOCOL_VERSIONS, "2025-11-25"])
def test_a_request_may_name_its_version_in_the_header(ask: Ask, version: str) -> None:
    assert ask("ping", mcp_protocol_version=version).status == 200


@pytest.mark.parametrize(
    "version", ["1900-01-01", "2026-07-28", "not-a-version", "", "2025-06-18, 2025-06-18"]
)
def test_an_unsupported_version_in_the_header_is_400_and_names_those_that_are_spoken(
    ask: Ask, version: str
) -> None:
    reply = ask("tools/list", mcp_protocol_version=version)

    assert (reply.status, reply.code, reply.json()["id"]) == (400, -32600, 1)
    assert reply.error["data"] == {"supported": list(PROTOCOL_VERSIONS), "requested": version}
    assert all(spoken in reply.error["message"] for spoken in PROTOCOL_VERSIONS)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "nonsense"])
@pytest.mark.parametrize("method", ["initialize", "server/discover"])
def test_what_finds_out_the_version_is_answered_whatever_the_header_says(
    ask: Ask, method: str, version: str
) -> None:
    assert ask(method, mcp_protocol_version=version).status == 200


@pytest.mark.parametrize(
    ("methods", "status"),
    [(("initialize", "server/discover"), 200), (("initialize", "ping"), 400), (("ping", "initialize"), 400)],
)
def test_a_batch_is_let_off_the_version_header_only_when_all_of_it_finds_out_the_version(
    send: Send, methods: tuple[str, ...], status: int
) -> None:
    batch = [{"jsonrpc": "2.0", "id": number, "method": method} for number, method in enumerate(methods)]
    assert send(batch, mcp_protocol_version="nonsense").status == status


@pytest.mark.requirement("endpoint:batches")
@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_batch_is_answered_as_an_array_in_its_order(send: Send, size: int) -> None:
    reply = send([ping(number) for number in range(size)])

    assert (reply.status, reply.json()) == (200, [pong(number) for number in range(size)])


@pytest.mark.requirement("endpoint:batches")
def test_a_mixed_batch_has_one_answer_for_each_request(send: Send) -> None:
    batch = [ping("a"), NOTE, {"jsonrpc": "2.0", "id": 5, "result": {}}, {"id": 6}, ping(7)]

    answers = send(batch).json()

    assert [answer["id"] for answer in answers] == ["a", 6, 7]
    assert ["error" in answer for answer in answers] == [False, True, False]


def test_requests_of_a_batch_that_share_an_id_are_each_answered(send: Send) -> None:
    assert send([ping(1), ping(1)]).json() == [pong(1), pong(1)]


@pytest.mark.parametrize("nested", [[], [ping(1)], [[]], 1, "x", None])
def test_an_entry_that_is_no_object_is_an_invalid_request_of_its_own(send: Send, nested: object) -> None:
    reply = send([nested, ping(2)])

    wrong, right = reply.json()
    assert reply.status == 200
    assert (wrong["id"], wrong["error"]["code"]) == (None, -32600)
    assert right == pong(2)


@pytest.mark.parametrize("size", [0, 6, 500])
def test_an_empty_batch_and_one_above_the_limit_are_refused_whole(
    send: Send, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    call = {"name": "make_trouble", "arguments": {"kind": "bug"}}
    batch = [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}] * size

    reply = send(batch)

    assert (reply.status, reply.code, reply.json()["id"]) == (400, -32600, None)
    assert "1 to 5 messages" in reply.error["message"]
    assert not caplog.records


def test_a_batch_that_takes_only_a_stream_is_one_event(send: Send) -> None:
    reply = send([ping(1), ping(2)], accept="text/event-stream")

    assert reply.content.startswith(b"event: message\ndata: [{")
    assert reply.content.count(b"\n") == 3


def _strings(document: Any) -> list[str]:  # noqa: ANN401
    if isinstance(document, dict):
        return [text for member in document.values() for text in _strings(member)]
    if isinstance(document, list):
        return [text for member in document for text in _strings(member)]
    return [document] if isinstance(document, str) else []


@BOTH_POLICIES
@pytest.mark.parametrize(
    ("method", "params", "headers"),
    [
        ("Q" * 3_000, None, {}),
        ("initialize", ["Q" * 3_000], {}),
        ("tools/call", {"name": "Q" * 3_000}, {}),
        ("tools/call", {"name": ["Q" * 3_000]}, {}),
        ("tools/call", {"name": "get_forecast", "arguments": "Q" * 3_000}, {}),
        ("tools/call", {"name": "get_forecast", "arguments": {"city": "Q" * 3_000}}, {}),
        ("tools/call", {"name": "get_forecast", "arguments": {"city": {"Q" * 3_000: 1}}}, {}),
        ("tools/call", {"name": "get_forecast", "arguments": {"city": "Oslo", "Q" * 3_000: 1}}, {}),
        ("tools/list", {"cursor": "Q" * 3_000}, {}),
        ("ping", None, {"mcp_protocol_version": "Q" * 3_000}),
    ],
)
def test_an_error_repeats_at_most_60_characters_of_what_was_sent(
    ask: Ask, path: str, method: str, params: object, headers: dict[str, str]
) -> None:
    reply = ask(method, params, path=path, **headers)

    assert all("Q" * 61 not in text for text in _strings(reply.json()))
    assert len(reply.content) < 2_000


@BOTH_POLICIES
def test_a_body_of_wrong_arguments_is_not_answered_with_a_book(ask: Ask, path: str) -> None:
    arguments = {f"argument{number}": number for number in range(2_000)}

    reply = ask("tools/call", {"name": "get_forecast", "arguments": arguments}, path=path)

    assert len(reply.content) < 4_000
    assert "city is missing" in reply.content.decode()
