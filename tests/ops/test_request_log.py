"""One line about every request, and the request's name on its answer."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from papertrade_site.mcp.admission import Exchange, Handled, Outcome
from papertrade_site.ops import health, request_log
from papertrade_site.ops.request_lines import CHUNK_BYTES, Answered, Line
from papertrade_site.ops.request_log import HTTP_METHODS, told_of
from papertrade_site.request_id import RequestIdFilter
from papertrade_site.servers import SERVERS
from papertrade_site.usage.record import EXCHANGE

NAME = re.compile(r"[0-9a-f]{16}")
ANSWERED_MS = (0, 60_000)
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "quote_position_outcome"}}
PAGE = {"accept": "text/html"}
MOST_BYTES = 2048


class Lines(list[Line]):
    """Keeps what would be written."""

    def put(self, answered: Answered) -> None:
        self.append(answered.line())

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line.text) for line in self]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    lines = Lines()
    monkeypatch.setattr(request_log, "process_lines", lines)
    return lines


def _post(client: Client, body: object, **headers: str) -> HttpResponse:
    return client.post(  # type: ignore[return-value]
        "/analytics/mcp", json.dumps(body), content_type="application/json", headers=headers or None
    )


def test_a_call_of_a_tool_is_told_with_all_that_is_known_of_it(client: Client, lines: Lines) -> None:
    answer = _post(client, CALL)
    (row,) = lines.rows
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row.pop("time"))
    assert re.fullmatch("[0-9a-f]{12}", row.pop("client"))
    assert ANSWERED_MS[0] < row.pop("ms") < ANSWERED_MS[1]
    assert row == {
        "id": answer["X-Request-Id"],
        "http": "POST",
        "route": "analytics/mcp",
        "server": "analytics",
        "status": 200,
        "bytes": len(answer.content),
        "messages": 1,
        "methods": ["tools/call"],
        "tools": ["quote_position_outcome"],
        "outcome": "failed",
    }


def test_a_batch_names_each_method_and_tool_once(client: Client, lines: Lines) -> None:
    _post(client, [{**CALL, "id": number} for number in range(4)] + [{**CALL, "id": 9, "method": "ping"}])
    (row,) = lines.rows
    assert (row["messages"], row["methods"], row["tools"]) == (
        5,
        ["tools/call", "ping"],
        ["quote_position_outcome"],
    )


def test_nothing_that_a_stranger_makes_up_is_in_the_line(client: Client, lines: Lines) -> None:
    word = "zq9hostile"
    call = {**CALL, "id": word, "method": word, "params": {"name": word, "arguments": {word: word}}}
    headers = {"user-agent": word, "x-forwarded-for": word, "x-request-id": word, "origin": word}
    _post(client, call, **headers)
    _post(client, {**call, "method": "tools/call"}, **headers)
    client.get(f"/{word}?{word}={word}", headers=headers)
    client.generic(word.upper(), f"/analytics/mcp?{word}", headers=headers)
    assert [row["http"] for row in lines.rows] == ["POST", "POST", "GET", "other"]
    assert not [line for line in lines if word in line.text.lower()]
    assert not [line for line in lines if "127.0.0.1" in line.text]


@pytest.mark.parametrize(
    ("address", "host", "route", "server"),
    [
        ("/healthz", "both.example", "healthz", None),
        ("/analytics/nothing", "both.example", None, None),
        ("/static/docs/site.css", "both.example", "static", None),
        ("/liquidations/llms.txt", "both.example", "liquidations/llms.txt", "liquidations"),
        ("/llms.txt", "analytics.example", "llms.txt", "analytics"),
        ("/healthz", "unknown.example", None, None),
    ],
)
def test_a_page_is_told_by_its_pattern_and_its_server(
    client: Client, lines: Lines, settings: Settings, address: str, host: str, route: str, server: str
) -> None:
    settings.ALLOWED_HOSTS = ["both.example", "analytics.example"]
    settings.SERVER_HOSTS = {"analytics.example": "analytics"}
    client.get(address, headers={"host": host}).getvalue()
    (row,) = lines.rows
    assert (row["route"], row["server"], row["http"]) == (route, server, "GET")
    assert "methods" not in row


def test_bytes_are_those_of_the_body_that_is_sent(client: Client, lines: Lines) -> None:
    page = client.get("/analytics/llms.txt")
    client.head("/analytics/llms.txt")
    client.options("/analytics/mcp", headers={"origin": "https://a.example"})
    assert [row["bytes"] for row in lines.rows] == [len(page.content), 0, 0]


def test_what_is_told_of_a_batch_is_remembered_by_its_names_whatever_their_number(rf: RequestFactory) -> None:
    request_log._told.cache_clear()
    for count in range(1, 40):
        request = rf.post("/")
        handled = (Handled("ping", None, Outcome.OK, 0.0, reused=False),) * count
        request.META[EXCHANGE] = ("analytics", Exchange(handled, Outcome.OK))
        line = told_of(request, HttpResponse(), name="0", seconds=0).line()
        assert json.loads(line.text)["messages"] == count
    assert request_log._told.cache_info().currsize == 1


def test_the_longest_line_is_below_two_kilobytes_and_goes_out_in_one_piece(rf: RequestFactory) -> None:
    server = max(SERVERS.values(), key=lambda server: sum(len(tool.name) for tool in server.tools))
    methods = [
        "initialize",
        "ping",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ]
    handled = [
        Handled(method, None, Outcome.LIMITED, 0.0, reused=False) for method in [*methods, "other"] * 50
    ]
    handled += [
        Handled("tools/call", tool.name, Outcome.FAILED, 0.0, reused=False) for tool in server.tools
    ] * 9
    request = rf.post("/")
    request.META[EXCHANGE] = (server.slug, Exchange(tuple(handled), Outcome.LIMITED, None, None))
    line = told_of(request, HttpResponse("x" * 60_000), name="f" * 16, seconds=99_999.0).line()
    assert len(line.text) < MOST_BYTES < CHUNK_BYTES
    assert json.loads(line.text)["messages"] == len(handled)


def test_every_answer_has_a_name_of_its_own_whatever_the_client_sends(client: Client, lines: Lines) -> None:
    answers = [
        client.get("/healthz", headers={"x-request-id": "mine"}),
        client.get("/nothing"),
        client.get("/healthz", headers={"host": "unknown.example"}),
        client.get("/static/docs/site.css"),
        client.options(
            "/analytics/mcp",
            headers={"origin": "https://a.example", "access-control-request-method": "POST"},
        ),
        _post(client, CALL),
    ]
    names = [answer["X-Request-Id"] for answer in answers]
    for answer in answers:
        answer.getvalue()
    assert all(NAME.fullmatch(name) for name in names)
    assert len(set(names)) == len(names)
    assert [row["id"] for row in lines.rows] == names


@pytest.mark.parametrize(
    ("address", "host", "status"),
    [("/nothing", "testserver", 404), ("/healthz", "unknown.example", 400)],
)
def test_a_refusal_in_json_repeats_the_name(client: Client, address: str, host: str, status: int) -> None:
    answer = client.get(address, headers={"host": host})
    assert (answer.status_code, answer.json()["requestId"]) == (status, answer["X-Request-Id"])


def test_a_page_about_nothing_shows_the_name(client: Client) -> None:
    answer = client.get("/nothing", headers=PAGE)
    assert answer.status_code == 404
    assert answer["X-Request-Id"] in answer.text


@pytest.mark.parametrize("headers", [PAGE, {}], ids=["page", "json"])
def test_a_view_that_fails_shows_the_name_and_the_log_has_the_reason_under_it(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, headers: dict[str, str]
) -> None:
    def failing() -> None:
        raise LookupError("secret")

    monkeypatch.setattr(health, "current_sources", failing)
    client.raise_request_exception = False
    caplog.handler.addFilter(RequestIdFilter())
    answer = client.get("/readyz", headers=headers)
    name = answer["X-Request-Id"]
    assert (answer.status_code, answer["Cache-Control"]) == (500, "no-store")
    assert name in answer.text
    assert "secret" not in answer.text
    assert answer["Content-Type"].startswith("text/html" if headers else "application/json")
    (record,) = [record for record in caplog.records if record.exc_info]
    assert getattr(record, "request_id", None) == f" [{name}]"


def test_a_line_of_the_log_outside_of_requests_has_no_name() -> None:
    record = logging.LogRecord("a", logging.INFO, "", 0, "text", None, None)
    assert RequestIdFilter().filter(record)
    assert record.__dict__["request_id"] == ""


def test_methods_of_http_are_told_by_name(rf: RequestFactory) -> None:
    for method in HTTP_METHODS:
        request: HttpRequest = rf.generic(method, "/")
        line = told_of(request, HttpResponse(), name="0", seconds=0).line()
        assert json.loads(line.text)["http"] == method
