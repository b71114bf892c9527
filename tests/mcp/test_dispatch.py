from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from papertrade_site.mcp.dispatch import UNFORESEEN, Dispatcher
from papertrade_site.mcp.jsonrpc import Call, read_message
from papertrade_site.mcp.tool import Answer, Tool
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
        ask("tools/call", {"name": "get_forecast", "arguments": {"city": "Oslo"}})


class Counted(BaseModel):
    number: int = 0


class Counting:
    """A tool that counts its calls, and says as long as it is told to that nothing has changed."""

    def __init__(self) -> None:
        self.calls = 0
        self.is_current = True
        tool = Tool(
            name="count",
            title="Count",
            description="Counts its calls.",
            arguments=Counted,
            result=Counted,
            call=self._call,
        )
        self.dispatcher = Dispatcher(replace(declare(bad_arguments_are_results=True), tools=(tool,)))

    def _call(self, arguments: Counted) -> Answer:
        self.calls += 1
        return Answer(Counted(number=self.calls), "Counted.", is_current=lambda: self.is_current)

    def ask(self, **arguments: int) -> int:
        message = self.dispatcher.answer(Call(1, "tools/call", {"name": "count", "arguments": arguments}))
        assert message is not None
        return int(json.loads(message)["result"]["structuredContent"]["number"])


def test_a_result_is_sent_again_as_long_as_it_is_current() -> None:
    counting = Counting()
    assert [counting.ask(), counting.ask(number=0)] == [1, 1]
    counting.is_current = False
    assert [counting.ask(), counting.ask()] == [2, 3]


def test_a_result_is_sent_again_for_the_same_arguments_alone() -> None:
    counting = Counting()
    assert [counting.ask(number=1), counting.ask(number=2), counting.ask(number=1)] == [1, 2, 1]


def test_a_result_that_nobody_vouches_for_is_never_sent_again() -> None:
    counting = Counting()
    counting.is_current = False
    assert [counting.ask(), counting.ask()] == [1, 2]
    counting.is_current = True
    assert counting.ask() == 3
