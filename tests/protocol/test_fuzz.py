"""Whatever bytes come, the answer is JSON-RPC or an empty 202, and never a 5xx."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import given, settings, strategies as st

from papertrade_site.mcp.endpoint import Endpoint
from tests.protocol.sample import endpoint

ENDPOINTS = [endpoint(results=True), endpoint(results=False)]
STATUSES = {200, 202, 400, 413, 415}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**310)
    | st.floats()
    | st.text(max_size=80)
    | st.sampled_from(["Oslo", "Lima", "2.0", "get_forecast", "5", "1e999", "\ud800", "\x00", "null"])
)
documents = st.recursive(
    scalars,
    lambda children: (
        st.lists(children, max_size=7) | st.dictionaries(st.text(max_size=9), children, max_size=5)
    ),
    max_leaves=20,
)
arguments = st.dictionaries(
    st.sampled_from(["city", "days", "height", "metric", "station", "kind", "_x", "tool", "x" * 99]),
    documents,
)
calls = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["get_forecast", "list_stations", "make_trouble"]) | documents,
        "arguments": arguments | documents,
        "_meta": documents,
    },
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | scalars,
        "id": st.integers() | st.text(max_size=9) | documents,
        "method": st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "notifications/x"])
        | scalars,
        "params": calls | documents,
        "result": documents,
        "error": documents,
    },
)
sound_calls = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": st.integers(), "method": st.just("tools/call"), "params": calls}
)
bodies = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    (messages | sound_calls | st.lists(messages | sound_calls, max_size=6)).map(
        lambda body: json.dumps(body).encode()
    ),
)
accepts = st.sampled_from(["", "application/json", "text/event-stream"]) | st.text(
    st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=60
)


def post(view: Endpoint, body: bytes, headers: dict[str, str] | None = None) -> HttpResponse:
    request = RequestFactory().generic("POST", "/mcp", body, "application/json", headers=headers)
    return view(request)


def check_answer(response: HttpResponse) -> None:
    """Fail unless the response is empty by right, or holds JSON-RPC answers alone."""
    assert response.status_code in STATUSES
    assert response.content.isascii()
    if response.status_code == 202:
        assert response.content == b""
        return
    content = response.content
    if response["Content-Type"] == "text/event-stream":
        content = content.removeprefix(b"event: message\ndata: ").removesuffix(b"\n\n")
        assert b"\n" not in content
    document = json.loads(content)
    for answer in document if isinstance(document, list) else [document]:
        check_message(answer)
    assert len(content) < 60 * 1_024


def check_message(answer: dict[str, Any]) -> None:
    assert answer["jsonrpc"] == "2.0"
    assert type(answer["id"]) in {int, str, type(None)}
    assert set(answer) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    if "error" in answer:
        assert answer["error"]["code"] in {-32700, -32600, -32601, -32602}
        assert isinstance(answer["error"]["message"], str)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.sampled_from(ENDPOINTS), bodies, accepts, st.sampled_from(["2025-06-18", "2025-11-25", "x", None]))
def test_any_body_gets_json_rpc_or_an_empty_202(
    view: Endpoint, body: bytes, accept: str, version: str | None
) -> None:
    headers = {"Accept": accept} | ({} if version is None else {"MCP-Protocol-Version": version})

    check_answer(post(view, body, headers))


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "CONTENT_TYPE",
                "CONTENT_LENGTH",
                "HTTP_CONTENT_ENCODING",
                "HTTP_TRANSFER_ENCODING",
                "HTTP_ACCEPT",
            ]
        ),
        st.text(st.characters(max_codepoint=255), max_size=40),
    )
)
def test_any_header_gets_json_rpc_and_no_500(headers: dict[str, str]) -> None:
    request = RequestFactory().generic(
        "POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', "application/json"
    )
    request.META.update(headers)

    check_answer(ENDPOINTS[0](request))


@settings(max_examples=80, deadline=None)
@given(st.lists(messages | sound_calls, min_size=1, max_size=5))
def test_a_batch_is_answered_message_by_message_as_each_is_alone(batch: list[object]) -> None:
    alone = [post(ENDPOINTS[1], json.dumps(message).encode()) for message in batch]
    together = post(ENDPOINTS[1], json.dumps(batch).encode())

    answers = [json.loads(response.content) for response in alone if response.content]
    if any("error" in answer and answer["error"]["code"] == -32700 for answer in answers):
        assert together.status_code == 400
        return
    assert (json.loads(together.content) if together.content else []) == answers
