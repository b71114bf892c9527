"""Making the embedded exchange misbehave while it runs."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from papertrade_site.simulator.faults import FAULTS
from papertrade_site.simulator.protocol import Request
from papertrade_site.simulator.server import ExchangeServer


def call(
    server: ExchangeServer,
    method: str,
    path: str,
    *,
    body: str | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, Any]:
    """Send one request; return its status and its document."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request(method, path, body=body, headers=headers or {})
    response = connection.getresponse()
    document = json.loads(response.read())
    connection.close()
    return response.status, document


def test_a_fault_is_put_listed_met_and_cleared_at_run_time(scripted_exchange: ExchangeServer) -> None:
    wanted = json.dumps({"path": "/state", "fault": "too_many_requests", "argument": 2})
    status, put = call(scripted_exchange, "POST", "/_simulator/faults", body=wanted)
    assert status == 200
    in_force = {"path": "/state", "fault": "too_many_requests", "argument": 2}
    assert put["inForce"] == [{**in_force, "met": 0}]
    assert call(scripted_exchange, "GET", "/state")[0] == 429
    _, listed = call(scripted_exchange, "GET", "/_simulator/faults")
    assert listed["inForce"] == [{**in_force, "met": 1}]
    _, cleared = call(scripted_exchange, "DELETE", "/_simulator/faults")
    assert cleared["inForce"] == []
    assert call(scripted_exchange, "GET", "/state")[0] == 200


def test_the_faults_there_are_come_with_what_they_do(scripted_exchange: ExchangeServer) -> None:
    _, listed = call(scripted_exchange, "GET", "/_simulator/faults")
    assert listed["known"] == {name: fault.summary for name, fault in FAULTS.items()}


def test_requests_are_counted_by_path_without_the_controls_own(
    scripted_exchange: ExchangeServer, seen: list[Request]
) -> None:
    for path in ("/state?a=1", "/state", "/missing"):
        call(scripted_exchange, "GET", path)
    assert call(scripted_exchange, "GET", "/_simulator/requests") == (
        200,
        {"requests": {"/state": 2, "/missing": 1}},
    )
    assert call(scripted_exchange, "DELETE", "/_simulator/requests") == (200, {"requests": {}})
    assert [request.path for request in seen] == ["/state", "/state", "/missing"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "send an object"),
        ("[]", "send an object"),
        ("{}", "send an object"),
        ('"text"', "send an object"),
        ('{"path": "/state"}', "send an object"),
        ('{"path": "/state", "fault": "delay", "argument": "2"}', "send an object"),
        ('{"path": "/state", "fault": "sulk"}', "There is no fault 'sulk'"),
        ('{"path": "/state", "fault": "delay", "argument": true}', "send an object"),
        ('{"path": "/state", "fault": "delay", "argument": false}', "send an object"),
        ('{"path": ["/state"], "fault": "hang"}', "send an object"),
        ("[" * 100_000, "send an object"),
        ('{"path": "/state", "fault": "delay", "argument": ' + "[" * 100_000, "send an object"),
        ('{"path": "state", "fault": "hang"}', "beginning of a path"),
        ('{"path": "/state", "fault": "delay", "argument": NaN}', "must be above 0"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(
    scripted_exchange: ExchangeServer, body: str, message: str
) -> None:
    status, document = call(scripted_exchange, "POST", "/_simulator/faults", body=body)
    assert status == 400
    assert message in document["error"]
    assert scripted_exchange.board.active() == ()


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/_simulator/"), ("POST", "/_simulator/requests"), ("GET", "/_simulator/x")]
)
def test_there_are_no_other_controls(scripted_exchange: ExchangeServer, method: str, path: str) -> None:
    assert call(scripted_exchange, method, path)[0] == 404


def test_a_web_page_cannot_reach_the_controls(scripted_exchange: ExchangeServer) -> None:
    wanted = json.dumps({"path": "/state", "fault": "hang"})
    origin = {"Origin": "http://elsewhere.invalid"}
    status, _ = call(scripted_exchange, "POST", "/_simulator/faults", body=wanted, headers=origin)
    assert status == 403
    assert scripted_exchange.board.active() == ()
