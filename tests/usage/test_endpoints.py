"""Requests to both servers, counted as they are answered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import Client

from papertrade_site.mcp.admission import Exchange, Outcome
from papertrade_site.servers import SERVERS
from papertrade_site.usage import store
from papertrade_site.usage.buffer import Batch
from papertrade_site.usage.families import Family
from papertrade_site.usage.record import EXCHANGE
from tests.policies import InForce

pytestmark = pytest.mark.usefixtures("no_valkey", "uncounted")


@pytest.fixture
def uncounted() -> None:
    """Begin as a new process does."""
    store.process_store.flush()


def _post(server: str, body: str | dict[str, Any], **headers: str) -> HttpRequest:
    """Send a body, and give the request as the server saw it."""
    text = body if isinstance(body, str) else json.dumps(body)
    response = Client().post(f"/{server}/mcp", text, content_type="application/json", headers=headers)
    request: HttpRequest = response.wsgi_request
    return request


def _call(tool: str) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": {"x": 1}},
    }


def _outcome(request: HttpRequest) -> Outcome:
    """What the log of requests finds."""
    _, exchange = request.META[EXCHANGE]
    assert isinstance(exchange, Exchange)
    return exchange.outcome


def _counted() -> tuple[Batch, dict[tuple[str, ...], int]]:
    batch = store.process_store.flush()
    return batch, {tuple(subject[1:]): counts.messages for subject, counts in batch.messages.items()}


@pytest.mark.parametrize("server", SERVERS)
def test_each_message_counts_at_its_server_by_method_and_tool(server: str) -> None:
    tool = SERVERS[server].tools[0].name
    for body in (_call(tool), _call("<b>evil</b>"), {"jsonrpc": "2.0", "id": 1, "method": "evil"}, "{evil"):
        _post(server, body)
    _, counted = _counted()
    assert counted == {
        (server, "tools/call", tool): 1,
        (server, "tools/call", ""): 1,
        (server, "other", ""): 1,
        (server, "", ""): 1,
    }


def test_a_client_is_a_few_digits_and_the_family_that_it_names() -> None:
    info = {"name": "claude-ai", "version": "<script>"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    connects = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    _post("analytics", connects, **{"User-Agent": "curl/8"})
    batch, _ = _counted()
    ((key, counts),) = batch.clients.items()
    assert len(key.client) == 12
    assert int(key.client, 16) >= 0
    assert counts.family is Family.CLAUDE


def test_the_log_of_requests_finds_what_became_of_one() -> None:
    assert _post("analytics", "{").META[EXCHANGE] == ("analytics", Exchange((), Outcome.REFUSED))


@pytest.mark.parametrize("server", SERVERS)
def test_a_call_of_what_the_operator_has_switched_off_is_blocked_and_no_error(
    server: str, in_force: InForce
) -> None:
    off, on, *_ = (tool.name for tool in SERVERS[server].tools)
    in_force.set(switched_off={(server, off): "Being mended."})
    assert _outcome(_post(server, _call(off))) is Outcome.BLOCKED
    in_force.server(server, is_on=False, off_message="We move house.")
    assert _outcome(_post(server, json.dumps([_call(off), _call(on)]))) is Outcome.BLOCKED
    batch, _ = _counted()
    counted = {subject.tool: (counts.blocked, counts.answered) for subject, counts in batch.messages.items()}
    assert counted == {off: (2, 0), on: (1, 0)}


def test_a_batch_of_which_some_calls_are_blocked_fails_as_a_whole(in_force: InForce) -> None:
    tool = SERVERS["analytics"].tools[0].name
    in_force.set(switched_off={("analytics", tool): "Being mended."})
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert _outcome(_post("analytics", json.dumps([_call(tool), ping]))) is Outcome.FAILED
