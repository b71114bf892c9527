from __future__ import annotations

import json
from http import HTTPStatus

from django.http import HttpResponse
from django.test import RequestFactory

from papertrade_site.mcp.endpoint import Endpoint
from tests.protocol.sample import OpenGate, declare, endpoint

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


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
    )

    assert json.loads(view(RequestFactory().get("/mcp")).content) == {"host": "testserver"}


def test_a_get_costs_nothing() -> None:
    gate = OpenGate()

    endpoint(gate=gate)(RequestFactory().get("/mcp"))

    assert gate.costs == []
