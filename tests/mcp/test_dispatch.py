from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from papertrade_site.mcp import dispatch
from papertrade_site.mcp.admission import Handled, Outcome
from papertrade_site.mcp.dispatch import UNFORESEEN, Dispatcher
from papertrade_site.mcp.jsonrpc import Call, read_message
from papertrade_site.mcp.tool import Answer, Tool
from tests.protocol.sample import TOOLS, declare

DISPATCHER = Dispatcher(declare(bad_arguments_are_results=True))
SHUT = Dispatcher(
    declare(bad_arguments_are_results=False),
    closed={"get_forecast": "Closed today. Come back later."}.get,
)


def _call(tool: str, **arguments: str) -> dict[str, Any]:
    return {"id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


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


class TestClosed:
    def test_a_closed_tool_answers_why_whatever_its_arguments_are(self) -> None:
        for arguments in ({"city": "Oslo"}, {"city": 7}, "none"):
            answer, handled = SHUT.handle(
                Call(1, "tools/call", {"name": "get_forecast", "arguments": arguments})
            )
            assert json.loads(answer or b"")["result"] == {
                "content": [{"type": "text", "text": "Closed today. Come back later."}],
                "isError": True,
            }
            assert (handled.tool, handled.outcome) == ("get_forecast", Outcome.BLOCKED)

    def test_an_unknown_tool_is_still_unknown_and_the_others_are_open(self) -> None:
        unknown, _ = SHUT.handle(Call(1, "tools/call", {"name": "nope"}))
        assert json.loads(unknown or b"")["error"]["code"] == -32602
        _, handled = SHUT.handle(Call(1, "tools/call", {"name": "list_stations"}))
        assert handled.outcome is Outcome.OK

    def test_everything_else_answers_as_usual(self) -> None:
        for method in ("initialize", "ping", "tools/list"):
            assert SHUT.answer(Call(1, method, {})) == DISPATCHER.answer(Call(1, method, {}))

    def test_a_kept_result_is_not_sent_while_its_tool_is_closed(self) -> None:
        shut: dict[str, str] = {}
        counting = Counting(closed=shut.get)
        assert [counting.ask(), counting.ask()] == [1, 1]
        shut["count"] = "Closed."
        _, handled = counting.dispatcher.handle(Call(1, "tools/call", {"name": "count"}))
        assert (handled.outcome, handled.reused, counting.calls) == (Outcome.BLOCKED, False, 1)
        shut.clear()
        assert counting.ask() == 1


class TestHandled:
    @pytest.mark.parametrize(
        ("document", "handled"),
        [
            ({"method": "ping", "id": 1}, ("ping", None, Outcome.OK)),
            ({"method": "nope", "id": 1}, ("other", None, Outcome.FAILED)),
            (
                {"method": "nope", "id": 1, "params": {"name": "get_forecast"}},
                ("other", None, Outcome.FAILED),
            ),
            ({"method": "ping", "id": 1, "params": {"name": "get_forecast"}}, ("ping", None, Outcome.OK)),
            ({"method": "notifications/initialized"}, ("notification", None, Outcome.OK)),
            ({"id": 1, "result": {}}, ("notification", None, Outcome.OK)),
            ({"id": 1}, ("other", None, Outcome.REFUSED)),
            (_call("get_forecast", city="Oslo"), ("tools/call", "get_forecast", Outcome.OK)),
            (_call("get_forecast", city="Rome"), ("tools/call", "get_forecast", Outcome.FAILED)),
            (_call("make_trouble", kind="refusal"), ("tools/call", "make_trouble", Outcome.FAILED)),
            (_call("make_trouble", kind="bug"), ("tools/call", "make_trouble", Outcome.FAILED)),
            (_call("<script>"), ("tools/call", None, Outcome.FAILED)),
            (
                {"method": "tools/call", "id": 1, "params": {"name": ["x"]}},
                ("tools/call", None, Outcome.FAILED),
            ),
            ({"method": "tools/call", "id": 1, "params": [1]}, ("tools/call", None, Outcome.FAILED)),
            ({"method": "tools/call", "id": 1}, ("tools/call", None, Outcome.FAILED)),
        ],
    )
    @pytest.mark.parametrize("results", [True, False])
    def test_each_message_is_told_by_names_of_ours(
        self, document: dict[str, Any], handled: tuple[str, str | None, Outcome], results: bool
    ) -> None:
        dispatcher = Dispatcher(declare(bad_arguments_are_results=results))
        message = read_message({"jsonrpc": "2.0", **document})
        answer, told = dispatcher.handle(message)
        assert (told.method, told.tool, told.outcome, told.reused) == (*handled, False)
        assert told.seconds >= 0
        assert (answer is None) == (told.method == "notification")
        away = dispatcher.turned_away(message, Outcome.LIMITED)
        assert away == Handled(handled[0], handled[1], Outcome.LIMITED, 0.0, reused=False)

    def test_an_earlier_result_is_told_from_a_new_one(self) -> None:
        counting = Counting()
        call = Call(1, "tools/call", {"name": "count"})
        assert [counting.dispatcher.handle(call)[1].reused for _ in range(3)] == [False, True, True]
        counting.is_current = False
        assert not counting.dispatcher.handle(call)[1].reused

    def test_the_time_is_that_of_the_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dispatch, "perf_counter", iter([10.0, 10.25]).__next__)
        assert DISPATCHER.handle(Call(1, "ping", None))[1].seconds == 0.25


class Counted(BaseModel):
    number: int = 0


class Counting:
    """A tool that counts its calls, and says as long as it is told to that nothing has changed."""

    def __init__(self, *, closed: Callable[[str], str | None] = lambda _: None) -> None:
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
        server = replace(declare(bad_arguments_are_results=True), tools=(tool,))
        self.dispatcher = Dispatcher(server, closed=closed)

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
