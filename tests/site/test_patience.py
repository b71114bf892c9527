"""The time of one HTTP request, which the calls in it share."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import RequestFactory

from papertrade_site import patience
from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.mcp.tool import Answer, Tool
from papertrade_site.patience import REQUEST_S, one_request, seconds_left
from tests.clocks import ManualClock
from tests.protocol.sample import NoArguments, OpenGate, Stations, declare, unrecorded


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    clock = ManualClock()
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=clock.monotonic))
    return clock


def test_what_is_left_of_a_request_shrinks_as_time_passes(clock: ManualClock) -> None:
    assert seconds_left(50.0) == 50.0
    with one_request():
        left = []
        for _ in range(3):
            left.append(seconds_left(50.0))
            clock.advance(5)
        assert left == [REQUEST_S, REQUEST_S - 5, REQUEST_S - 10]
        assert seconds_left(50.0) < 0
        assert seconds_left(-9.0) == -9.0
    assert seconds_left(50.0) == 50.0


def test_the_calls_of_a_batch_share_the_time_of_one_request_and_the_next_request_has_its_own(
    clock: ManualClock,
) -> None:
    given: list[float] = []

    def hang(_: NoArguments) -> Answer:
        given.append(max(seconds_left(REQUEST_S), 0.0))
        clock.advance(given[-1] if len(given) > 1 else 5.0)
        return Answer(Stations(stations=[]), "It took its time.")

    tool: Tool[Any] = Tool(
        name="hang",
        title="Hang",
        description="Takes all the time that there is.",
        arguments=NoArguments,
        result=Stations,
        call=hang,
    )
    server = replace(declare(bad_arguments_are_results=True), tools=(tool,))
    view = Endpoint(server, gate=OpenGate(), describe=lambda _: {}, record=unrecorded)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hang"}}
    batch = RequestFactory().post("/mcp", json.dumps([call] * 5), "application/json")
    assert len(json.loads(view(batch).content)) == 5
    assert given == [REQUEST_S, REQUEST_S - 5, 0, 0, 0]
    view(RequestFactory().post("/mcp", json.dumps(call), "application/json"))
    assert given[5:] == [REQUEST_S]
