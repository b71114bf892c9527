from __future__ import annotations

import json
from typing import Any

import pytest

from papertrade_site.mcp.dispatch import UNFORESEEN, Dispatcher
from papertrade_site.mcp.jsonrpc import Call, read_message
from tests.protocol.sample import TOOLS, declare

DISPATCHER = Dispatcher(declare(bad_arguments_are_results=True))


def ask(method: str, params: object = None) -> dict[str, Any]:
    answer = DISPATCHER.answer(Call(1, method, params))
    assert answer is not None
    document: dict[str, Any] = json.loads(answer)
    return document


def test_only_requests_and_what_is_no_message_are_answered() -> None:
    documents: list[object] = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        5,
    ]

    answers = [DISPATCHER.answer(read_message(document)) for document in documents]

    assert [answer is not None for answer in answers] == [True, False, False, True]


def test_lists_are_the_very_same_bytes_each_time() -> None:
    call = Call(1, "tools/list", {})

    assert DISPATCHER.answer(call) == DISPATCHER.answer(call)
    assert ask("tools/list")["result"] == {"tools": [tool.listing() for tool in TOOLS]}


def test_an_unknown_method_is_told_which_there_are() -> None:
    message = ask("nope")["error"]["message"]

    assert message.startswith('There is no method "nope"; this server has initialize, ping, tools/list')


def test_a_bug_in_a_tool_is_told_without_detail(caplog: pytest.LogCaptureFixture) -> None:
    result = ask("tools/call", {"name": "make_trouble", "arguments": {"kind": "bug"}})["result"]

    assert result == {"content": [{"type": "text", "text": UNFORESEEN}], "isError": True}
    assert "ZeroDivisionError: secret detail" in caplog.text


def test_a_process_that_is_told_to_end_inside_a_tool_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object) -> None:
        raise SystemExit(1)

    monkeypatch.setattr(type(TOOLS[0]), "answer", end)

    with pytest.raises(SystemExit):
        ask("tools/call", {"name": "get_forecast"})
