from __future__ import annotations

import json
from http import HTTPStatus
from io import BytesIO

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from papertrade_site.mcp.admission import CLIENT_TEXT_CHARACTERS, Exchange, Outcome
from papertrade_site.mcp.endpoint import Endpoint
from tests.protocol.sample import OpenGate, declare, endpoint, unrecorded

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
BUG = {**PING, "method": "tools/call", "params": {"name": "make_trouble", "arguments": {"kind": "bug"}}}
NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def post(view: Endpoint, document: object) -> HttpResponse:
    return view(RequestFactory().post("/mcp", json.dumps(document), "application/json"))


def test_limits_are_those_of_the_gate_at_the_time_of_each_request() -> None:
    gate = OpenGate()
    view = endpoint(gate=gate)
    batch = [PING] * 5
    before = post(view, batch).status_code

    gate.batch_messages = 4
    shorter = post(view, batch).status_code
    gate.body_bytes = 10
    smaller = post(view, PING).status_code

    assert (before, shorter, smaller) == (
        HTTPStatus.OK,
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    )


def test_a_request_that_is_turned_away_runs_nothing() -> None:
    gate = OpenGate(refuses=True)
    call = {"name": "make_trouble", "arguments": {"kind": "bug"}}

    response = post(endpoint(gate=gate), [{**PING, "method": "tools/call", "params": call}] * 3)

    assert response.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert b"result" not in response.content
    assert gate.costs == [3]


def test_what_a_get_shows_is_told_the_request() -> None:
    view = Endpoint(
        declare(bad_arguments_are_results=True),
        gate=OpenGate(),
        describe=lambda request: {"host": request.META["SERVER_NAME"]},
        record=unrecorded,
    )

    assert json.loads(view(RequestFactory().get("/mcp")).content) == {"host": "testserver"}


def test_a_get_costs_nothing() -> None:
    gate = OpenGate()

    endpoint(gate=gate)(RequestFactory().get("/mcp"))

    assert gate.costs == []


class Unread(BytesIO):
    """A body that takes down how often it was asked for."""

    asked = 0

    def read(self, _: int | None = -1, /) -> bytes:
        self.asked += 1
        return b""


class TestBlocked:
    def test_a_blocked_client_is_told_so_and_costs_nothing(self) -> None:
        gate, told = OpenGate(blocked="This network is blocked."), Told()
        view = endpoint(gate=gate, record=told)

        answers = [post(view, PING), post(view, [BUG]), view(RequestFactory().get("/mcp"))]

        assert [answer.status_code for answer in answers] == [HTTPStatus.FORBIDDEN] * 3
        assert [json.loads(answer.content) for answer in answers] == [
            {
                "jsonrpc": "2.0",
                "id": None,
                "error": {"code": -32000, "message": "This network is blocked."},
            }
        ] * 3
        assert {answer["Cache-Control"] for answer in answers} == {"no-store"}
        assert gate.costs == []
        assert told.lines() == [
            (Outcome.BLOCKED, []),
            (Outcome.BLOCKED, []),
        ]

    def test_nothing_of_its_body_is_read(self) -> None:
        told = Told()
        view = endpoint(gate=OpenGate(blocked="Blocked."), record=told)
        request = RequestFactory().post("/mcp", json.dumps(PING), "application/json")
        sent = request.environ["wsgi.input"] = request._stream = Unread()

        answer = view(request)

        assert (answer.status_code, told.lines()) == (HTTPStatus.FORBIDDEN, [(Outcome.BLOCKED, [])])
        assert sent.asked == 0


class Told:
    """Takes down what is told of each request."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def __call__(self, _: HttpRequest, exchange: Exchange) -> None:
        self.exchanges.append(exchange)

    def lines(self) -> list[tuple[Outcome, list[str]]]:
        """The outcome of each request, and its messages in words."""
        return [
            (
                exchange.outcome,
                [" ".join(filter(None, (row.method, row.tool, row.outcome))) for row in exchange.handled],
            )
            for exchange in self.exchanges
        ]


class TestRecord:
    @pytest.mark.parametrize(
        ("document", "outcome", "handled"),
        [
            (PING, Outcome.OK, ["ping ok"]),
            ([PING, PING], Outcome.OK, ["ping ok", "ping ok"]),
            (NOTIFICATION, Outcome.OK, ["notification ok"]),
            ([NOTIFICATION, PING], Outcome.OK, ["notification ok", "ping ok"]),
            (BUG, Outcome.FAILED, ["tools/call make_trouble failed"]),
            ([PING, BUG], Outcome.FAILED, ["ping ok", "tools/call make_trouble failed"]),
            ({**PING, "method": "nope"}, Outcome.FAILED, ["other failed"]),
            ({"id": 1}, Outcome.REFUSED, ["other refused"]),
            ([PING, {"id": 1}], Outcome.FAILED, ["ping ok", "other refused"]),
            ([], Outcome.REFUSED, []),
            ([PING] * 6, Outcome.REFUSED, []),
        ],
    )
    def test_it_is_told_of_each_request_once(
        self, document: object, outcome: Outcome, handled: list[str]
    ) -> None:
        told = Told()

        post(endpoint(record=told), document)

        assert told.lines() == [(outcome, handled)]

    @pytest.mark.parametrize(
        ("body", "content_type"),
        [("{", "application/json"), ("{}", "text/plain"), ("x" * 70_000, "application/json")],
    )
    def test_it_is_told_of_what_cannot_be_read(self, body: str, content_type: str) -> None:
        told = Told()

        endpoint(record=told)(RequestFactory().post("/mcp", body, content_type))

        assert told.lines() == [(Outcome.REFUSED, [])]

    def test_it_is_told_which_messages_were_turned_away(self) -> None:
        told = Told()

        post(endpoint(gate=OpenGate(refuses=True), record=told), [PING, BUG])

        assert told.lines() == [(Outcome.LIMITED, ["ping limited", "tools/call make_trouble limited"])]
        assert [row.seconds for row in told.exchanges[0].handled] == [0.0, 0.0]

    def test_a_version_that_is_not_spoken_refuses_the_messages(self) -> None:
        told = Told()
        headers = {"Mcp-Protocol-Version": "1999-01-01"}

        endpoint(record=told)(
            RequestFactory().post("/mcp", json.dumps(PING), "application/json", headers=headers)
        )

        assert told.lines() == [(Outcome.REFUSED, ["ping refused"])]

    @pytest.mark.parametrize(
        ("info", "client"),
        [
            ({"name": "claude-ai", "version": "0.1.0"}, ("claude-ai", "0.1.0")),
            ({"name": "x" * 5000, "version": 7}, ("x" * CLIENT_TEXT_CHARACTERS, None)),
            ({"name": "<script>\u202e\x00"}, ("<script>\u202e\x00", None)),
            ({"name": ["a"]}, (None, None)),
            ("claude-ai", (None, None)),
            (None, (None, None)),
        ],
    )
    def test_a_client_that_connects_is_told_as_it_calls_itself_and_no_longer(
        self, info: object, client: tuple[str | None, str | None]
    ) -> None:
        told = Told()
        params = {"protocolVersion": "2025-06-18", "clientInfo": info}

        post(endpoint(record=told), {**PING, "method": "initialize", "params": params})
        post(endpoint(record=told), [PING, {**PING, "method": "initialize", "params": params}])
        post(endpoint(record=told), {**PING, "method": "initialize", "params": [info]})
        post(endpoint(record=told), {**PING, "params": params})

        assert [(row.client_name, row.client_version) for row in told.exchanges] == [
            client,
            client,
            (None, None),
            (None, None),
        ]

    def test_only_a_post_is_recorded(self) -> None:
        told = Told()
        view, requests = endpoint(record=told), RequestFactory()

        for request in (requests.get("/mcp"), requests.options("/mcp"), requests.delete("/mcp")):
            view(request)

        assert told.lines() == []

    def test_a_record_that_fails_costs_no_answer(self, caplog: pytest.LogCaptureFixture) -> None:
        def fail(_: HttpRequest, __: Exchange) -> None:
            raise ZeroDivisionError("full")

        answer = post(endpoint(record=fail), PING)

        assert json.loads(answer.content) == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert "an exchange could not be recorded" in caplog.text


def test_a_closed_tool_is_told_by_the_gate_at_each_call() -> None:
    gate = OpenGate()
    view = endpoint(gate=gate)
    call = {**PING, "method": "tools/call", "params": {"name": "list_stations"}}
    gate.shut["list_stations"] = "Closed."
    shut = json.loads(post(view, call).content)["result"]
    gate.shut.clear()

    assert (shut["isError"], shut["content"][0]["text"]) == (True, "Closed.")
    assert not json.loads(post(view, call).content)["result"]["isError"]
