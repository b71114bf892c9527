"""What is found to be wrong with an answer."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from mcp_analytics.server import SERVER as ANALYTICS
from papertrade_site.clock import iso
from papertrade_site.mcp.dispatch import UNFORESEEN
from tests.soak.answers import Finding, finding
from tests.soak.asks import Ask, Form, Mix

SENT_MS = 1_796_040_000_000
CALL = Mix(Random(1), ["0x" + "1" * 40]).call(ANALYTICS, ANALYTICS.tools[0])


def _row(name: str, *, age_s: float, state: str) -> dict[str, Any]:
    return {"name": name, "fetchedAt": iso(SENT_MS - round(age_s * 1000)), "state": state}


def _result(*rows: dict[str, Any], as_of_s: float = 0) -> bytes:
    freshness = {"asOf": iso(SENT_MS - round(as_of_s * 1000)), "degraded": True, "sources": rows}
    result = {"content": [], "structuredContent": {"freshness": freshness}, "isError": False}
    return json.dumps({"jsonrpc": "2.0", "id": 0, "result": result}).encode()


def _fault(body: bytes, *, ask: Ask = CALL, status: int = 200) -> str | None:
    return finding(ask, status, body, sent_at_ms=SENT_MS).fault


def test_a_result_within_its_limits_is_right() -> None:
    rows = (
        _row("hyperliquid.book", age_s=15, state="stale"),
        _row("exchange.trading", age_s=600, state="stale"),
        _row("exchange.history", age_s=60, state="fresh"),
        {"name": "hyperevm.paper", "fetchedAt": None, "state": "stale", "note": "It failed."},
    )
    found = finding(CALL, 200, _result(*rows, as_of_s=600), sent_at_ms=SENT_MS)
    assert found == Finding(None, has_figures=True, is_degraded=True)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (_row("hyperliquid.book", age_s=17, state="stale"), "hyperliquid.book is stale and 17.0 s old"),
        (_row("exchange.trading", age_s=602, state="stale"), "exchange.trading is stale and 602.0 s old"),
        (_row("exchange.history", age_s=62, state="fresh"), "exchange.history is fresh and 62.0 s old"),
    ],
)
def test_an_answer_older_than_its_limit_is_found(row: dict[str, Any], words: str) -> None:
    assert words in (_fault(_result(row)) or "")


def test_figures_that_speak_of_long_ago_are_found() -> None:
    row = _row("exchange.trading", age_s=1, state="fresh")
    assert "it is as of 700.0 s ago" in (_fault(_result(row, as_of_s=700)) or "")


def test_an_event_stream_is_read_as_its_message_is() -> None:
    event = b"event: message\ndata: " + _result(_row("exchange.queue", age_s=1, state="fresh")) + b"\n\n"
    assert _fault(event) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no JSON"),
        (b"<html>", "no JSON"),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', "answers other messages"),
        (b'{"jsonrpc":"2.0","id":"0","result":{}}', "answers other messages"),
        (b'[{"jsonrpc":"2.0","id":0,"result":{}},7]', "answers other messages"),
        (b'{"jsonrpc":"1.0","id":0,"result":{}}', "no JSON-RPC"),
        (b'{"jsonrpc":"2.0","id":0}', "neither result nor error"),
        (b'{"jsonrpc":"2.0","id":0,"error":{}}', "an error without a code"),
        (b'{"jsonrpc":"2.0","id":0,"error":{"code":-32603}}', "-32603"),
        (b'{"jsonrpc":"2.0","id":0,"result":{}}', "not the form of a result"),
        (b'{"jsonrpc":"2.0","id":0,"result":[]}', "not the form of a result"),
        (b'{"jsonrpc":"2.0","id":0,"result":{"isError":false}}', "not the form of a result"),
    ],
)
def test_what_is_no_right_json_rpc_is_found(body: bytes, words: str) -> None:
    assert words in (_fault(body) or "")


def test_the_same_id_of_another_type_is_another_id() -> None:
    ask = Ask(kind="ping", path="/", client="10.0.0.1", ids=(1,))
    assert "answers other messages" in (_fault(b'{"jsonrpc":"2.0","id":true,"result":{}}', ask=ask) or "")


@pytest.mark.parametrize("status", [500, 502, 503, 404])
def test_a_status_that_is_not_stated_is_found(status: int) -> None:
    assert f"HTTP {status}" in (_fault(b"{}", status=status) or "")


def test_an_error_that_is_told_is_right_and_a_bug_is_not() -> None:
    def failed(text: str) -> bytes:
        result = {"content": [{"type": "text", "text": text}], "isError": True}
        return json.dumps({"jsonrpc": "2.0", "id": 0, "result": result}).encode()

    assert _fault(failed("Try again in 3 s.")) is None
    assert UNFORESEEN in (_fault(failed(UNFORESEEN)) or "")


def test_what_has_no_form_of_its_own_is_there_or_not() -> None:
    page = Ask(kind="page", path="/", client="10.0.0.1", form=Form.ANYTHING)
    notification = Ask(kind="notification", path="/", client="10.0.0.1", form=Form.NOTHING)
    assert _fault(b"text", ask=page) is None
    assert _fault(b"", ask=page) == "page: no body"
    assert _fault(b"", ask=notification) is None
    assert _fault(b"{}", ask=notification) == "notification: a body where none belongs"
