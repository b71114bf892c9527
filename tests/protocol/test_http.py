"""Methods, negotiation and statuses of the endpoint, over the HTTP view."""

from __future__ import annotations

import json

import pytest

from tests.protocol import urls
from tests.protocol.conftest import JSON, Ask, Send

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
STREAM = "text/event-stream"


@pytest.mark.requirement("transport:stream")
@pytest.mark.parametrize("accept", [STREAM, "TEXT/Event-Stream", f"{STREAM};q=0.5", f"text/html, {STREAM}"])
def test_a_post_that_takes_only_a_stream_gets_one_message_event(send: Send, accept: str) -> None:
    reply = send(PING, accept=accept)

    assert reply.status == 200
    assert reply.content == b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
    assert reply.headers["Content-Type"] == STREAM
    assert reply.headers["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in reply.headers


@pytest.mark.requirement("transport:json")
@pytest.mark.parametrize(
    "accept",
    [
        JSON,
        "*/*",
        "*/*;q=0.1",
        "application/*",
        "application/*; q=0.8",
        f"{JSON}, {STREAM}",
        f"{STREAM}, {JSON};q=0.2",
        f"{STREAM}, */*",
        "",
        "text/html",
        "application/xml",
        ";,;,=",
        "ÿ" * 8_000,
        ",".join(["a/b"] * 2_000),
    ],
)
def test_every_other_accept_gets_json_and_never_406(send: Send, accept: str) -> None:
    reply = send(PING, accept=accept)

    assert (reply.status, reply.json()) == (200, PONG)
    assert reply.headers["Content-Type"] == JSON


def test_a_missing_accept_gets_json(send: Send) -> None:
    assert send(PING).headers["Content-Type"] == JSON


def test_no_text_of_a_tool_can_break_out_of_its_event(ask: Ask) -> None:
    reply = ask("tools/call", {"name": "get_forecast", "arguments": {"city": "Oslo"}}, accept=STREAM)

    event, data, *rest = reply.content.split(b"\n")
    assert (event, rest) == (b"event: message", [b"", b""])
    assert json.loads(data.removeprefix(b"data: "))["result"]["structuredContent"]["note"] == (
        "\u2028 é \r\n\n </x> 🌦"
    )
    assert reply.content.isascii()


@pytest.mark.requirement("notification:initialized", "notification:others")
@pytest.mark.parametrize("accept", [STREAM, JSON, "*/*", "image/png", ""])
@pytest.mark.parametrize(
    "message",
    [
        INITIALIZED,
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "no/such/thing"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": "wrong"},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "no"}},
        [INITIALIZED, {"jsonrpc": "2.0", "id": 9, "result": {}}],
    ],
    ids=["initialized", "cancelled", "unknown", "bad params", "result", "error", "batch of them"],
)
def test_what_wants_no_answer_gets_an_empty_202(send: Send, message: object, accept: str) -> None:
    reply = send(message, accept=accept)

    assert (reply.status, reply.content) == (202, b"")
    assert "Content-Type" not in reply.headers


@pytest.mark.requirement("notification:others")
def test_a_notification_to_call_a_tool_does_no_work(send: Send, caplog: pytest.LogCaptureFixture) -> None:
    params = {"name": "make_trouble", "arguments": {"kind": "bug"}}

    assert send({"jsonrpc": "2.0", "method": "tools/call", "params": params}).status == 202
    assert not caplog.records


@pytest.mark.requirement("transport:content-type")
@pytest.mark.parametrize(
    "content_type",
    [
        JSON,
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;charset=UTF-8",
        'application/json; charset="utf8"; profile=x',
        "application/json; charset=utf-16",
        "application/json ;",
        "application/json; charset=base64",
        "application/json; charset=no-such-thing",
    ],
)
def test_the_media_type_counts_without_case_and_its_parameters_do_not(send: Send, content_type: str) -> None:
    body = json.dumps(PING).encode()

    assert send(body, content_type=content_type).json() == PONG


@pytest.mark.requirement("transport:content-type")
@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "application/xml",
        "application/jsonp",
        "multipart/form-data; boundary=x",
        "json",
        "*/*",
    ],
)
def test_a_body_of_another_type_is_415(send: Send, content_type: str) -> None:
    reply = send(json.dumps(PING).encode(), content_type=content_type)

    assert (reply.status, reply.code) == (415, -32600)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_a_body_in_another_encoding_is_refused_whatever_its_charset_says(send: Send, encoding: str) -> None:
    text = json.dumps({**PING, "id": "é~"}, ensure_ascii=False)

    reply = send(text.encode(encoding), content_type=f"application/json; charset={encoding}")

    assert (reply.status, reply.code) == (400, -32700)


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "zstd", "x-gzip", "identity, gzip", "GZIP"])
def test_an_encoded_body_is_415(send: Send, coding: str) -> None:
    reply = send(PING, content_encoding=coding)

    assert (reply.status, reply.code) == (415, -32600)


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
def test_a_body_that_says_it_is_not_encoded_is_read(send: Send, coding: str) -> None:
    assert send(PING, content_encoding=coding).json() == PONG


def test_a_body_whose_chunks_the_server_put_together_is_read_by_its_length(send: Send) -> None:
    assert send(PING, transfer_encoding="chunked").json() == PONG


@pytest.mark.requirement("limit:body")
def test_a_body_of_the_limit_is_read_and_one_byte_more_is_413(send: Send) -> None:
    ping = json.dumps(PING).encode()

    assert send(ping.ljust(65_536)).status == 200
    above = send(ping.ljust(65_537))
    assert (above.status, above.code) == (413, -32600)
    assert "65536 bytes" in above.error["message"]


@pytest.mark.parametrize("path", ["/results/mcp", "/results/mcp/"])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_the_address_answers_with_and_without_its_slash_and_never_redirects(
    send: Send, path: str, method: str
) -> None:
    assert send(PING, path=path, method=method).status == 200


@pytest.mark.requirement("transport:get:stream")
@pytest.mark.parametrize("accept", [STREAM, f"{JSON}, {STREAM}", f"*/*, {STREAM};q=0.1", STREAM.upper()])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_get_that_lists_a_stream_is_405_at_once(send: Send, accept: str, method: str) -> None:
    reply = send(method=method, accept=accept)

    assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    assert reply.headers["Vary"] == "Accept"


def test_what_is_refused_raises_no_alarm_in_the_log(send: Send, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    refused = [
        send(method="GET", accept=STREAM),
        send(method="DELETE"),
        send(b"{"),
        send(PING, path="/shut/mcp"),
    ]

    assert [reply.status for reply in refused] == [405, 405, 400, 429]
    assert not caplog.records


@pytest.mark.requirement("transport:get:description")
@pytest.mark.parametrize("accept", ["", "*/*", JSON, "text/html"])
def test_a_plain_get_describes_the_server(send: Send, accept: str) -> None:
    reply = send(method="GET", accept=accept)

    assert (reply.status, reply.json()) == (200, {"endpoint": "/results/mcp"})
    assert reply.headers["Content-Type"] == JSON
    assert reply.headers["Vary"] == "Accept"


def test_head_mirrors_get_without_a_body(send: Send) -> None:
    got, head = send(method="GET"), send(method="HEAD")

    assert head.status == got.status
    assert head.headers == got.headers
    assert head.content == b""


@pytest.mark.requirement("transport:delete")
@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "TRACE", "CONNECT", "FOO", "QUERY"])
def test_every_other_method_is_405_and_names_those_that_are_allowed(send: Send, method: str) -> None:
    reply = send(method=method)

    assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD, OPTIONS, POST")
    assert reply.code == -32600


@pytest.mark.requirement("transport:cors:preflight")
@pytest.mark.parametrize("path", ["/results/mcp", "/shut/mcp"])
def test_options_is_204_before_any_limit(send: Send, path: str) -> None:
    before = list(urls.SHUT_GATE.costs)

    reply = send(method="OPTIONS", path=path)

    assert (reply.status, reply.content) == (204, b"")
    assert "Content-Type" not in reply.headers
    assert urls.SHUT_GATE.costs == before


@pytest.mark.parametrize("body", [PING, INITIALIZED, b"{", [], [PING], {"jsonrpc": "2.0"}])
def test_no_answer_to_a_post_may_be_stored_and_each_tells_the_limits(send: Send, body: object) -> None:
    reply = send(body)

    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["Vary"] == "Accept"
    assert reply.headers["RateLimit"] == '"weather";r=0;t=7'


def test_a_refused_caller_is_told_how_long_to_wait_in_the_header_and_in_the_body(send: Send) -> None:
    reply = send(PING, path="/shut/mcp")

    assert (reply.status, reply.headers["Retry-After"]) == (429, "7")
    assert reply.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32000,
            "message": "Too many requests. Try again in 7 s.",
            "data": {"retryAfterSeconds": 7},
        },
    }


@pytest.mark.parametrize("body", [[PING, PING], b"nonsense", INITIALIZED])
def test_a_refusal_of_what_has_no_id_of_its_own_carries_null(send: Send, body: object) -> None:
    reply = send(body, path="/shut/mcp")

    assert (reply.status, reply.json()["id"]) == (429, None)


@pytest.mark.parametrize(
    ("body", "cost"),
    [(PING, 1), ([PING] * 4, 4), ([PING] * 6, 1), ([], 1), (b"nonsense", 1), (INITIALIZED, 1), ([1, 2], 2)],
)
def test_a_batch_costs_its_messages_and_all_else_one(send: Send, body: object, cost: int) -> None:
    send(body)

    assert urls.OPEN_GATE.costs[-1] == cost


@pytest.mark.requirement("endpoint:stateless")
@pytest.mark.parametrize("session", ["", "stale", "x" * 4_000])
def test_a_session_id_is_neither_looked_at_nor_echoed(send: Send, session: str) -> None:
    reply = send(PING, mcp_session_id=session)

    assert reply.json() == PONG
    assert "Mcp-Session-Id" not in reply.headers


@pytest.mark.requirement("endpoint:no-cookies", "endpoint:no-authorization")
def test_a_cookie_and_a_credential_change_nothing(send: Send) -> None:
    plain, dressed = send(PING), send(PING, cookie="a=b", authorization="Bearer x", origin="null")

    assert (dressed.status, dressed.headers, dressed.content) == (plain.status, plain.headers, plain.content)
    assert not {"Set-Cookie", "WWW-Authenticate"} & set(plain.headers)
