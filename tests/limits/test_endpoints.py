"""The limits as a client of the two servers meets them."""

from __future__ import annotations

import json
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from papertrade_site.limits.networks import NetworkRule, Networks
from tests.policies import InForce

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

ADDRESSES = {"/liquidations/mcp": (30, 5), "/analytics/mcp": (60, 10)}

pytestmark = pytest.mark.usefixtures("wall", "valkey")


@pytest.fixture(params=ADDRESSES)
def address(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _ping(message_id: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "method": "ping"}


def _post(client: Client, address: str, body: object) -> _MonkeyPatchedWSGIResponse:
    return client.post(address, json.dumps(body), content_type="application/json")


@pytest.mark.requirement("limit:requests:analytics", "limit:requests:liquidations")
def test_the_request_after_the_last_is_refused_with_a_time_that_is_the_same_everywhere(
    client: Client, address: str
) -> None:
    limit, _ = ADDRESSES[address]
    statuses = {_post(client, address, _ping()).status_code for _ in range(limit)}
    refused = _post(client, address, _ping(7))
    assert (statuses, refused.status_code) == ({200}, 429)
    error = json.loads(refused.content)
    wait = int(refused.headers["Retry-After"])
    assert (error["id"], error["error"]["code"]) == (7, -32000)
    assert error["error"]["data"] == {"retryAfterSeconds": wait}
    assert refused.headers["RateLimit"].endswith(f";r=0;t={wait}")
    assert 1 <= wait <= 60


def test_a_client_that_one_server_refuses_is_served_by_the_other(client: Client, address: str) -> None:
    (other,) = ADDRESSES.keys() - {address}
    for _ in range(ADDRESSES[address][0] + 1):
        _post(client, address, _ping())
    assert _post(client, other, _ping()).status_code == 200


def test_a_batch_that_does_not_fit_is_refused_whole_and_a_smaller_one_is_answered(
    client: Client, address: str
) -> None:
    limit, batch = ADDRESSES[address]
    for _ in range(limit - batch + 1):
        _post(client, address, _ping())
    refused = _post(client, address, [_ping(n) for n in range(batch)])
    assert refused.status_code == 429
    assert json.loads(refused.content)["id"] is None
    answered = _post(client, address, [_ping(n) for n in range(batch - 2)])
    assert [answer["id"] for answer in json.loads(answered.content)] == list(range(batch - 2))
    assert _post(client, address, _ping()).status_code == 429


def test_a_request_that_cannot_be_read_costs_1(client: Client, address: str) -> None:
    client.post(address, "{", content_type="application/json")
    client.post(address, "{}", content_type="text/plain")
    _post(client, address, [])
    left = _post(client, address, _ping()).headers["RateLimit"]
    assert f";r={ADDRESSES[address][0] - 4};" in left


def test_looking_at_a_server_costs_nothing(client: Client, address: str) -> None:
    for _ in range(70):
        client.get(address)
        client.options(address)
        client.delete(address)
    left = _post(client, address, _ping()).headers["RateLimit"]
    assert f";r={ADDRESSES[address][0] - 1};" in left


@pytest.mark.requirement("limit:batch:analytics", "limit:batch:liquidations")
def test_a_batch_holds_what_its_server_says_and_not_one_message_more(client: Client, address: str) -> None:
    _, batch = ADDRESSES[address]
    assert _post(client, address, [_ping(n) for n in range(batch)]).status_code == 200
    refused = _post(client, address, [_ping(n) for n in range(batch + 1)])
    assert (refused.status_code, json.loads(refused.content)["error"]["code"]) == (400, -32600)


def test_a_limit_that_is_lowered_within_a_window_holds_at_once_and_the_answers_say_so(
    client: Client, address: str, in_force: InForce
) -> None:
    slug = address.split("/")[1]
    for _ in range(10):
        _post(client, address, _ping())
    in_force.server(slug, requests_per_minute=12, batch_messages=2)
    answers = [_post(client, address, _ping()) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {f'"{slug}";q=12;w=60'}
    assert _post(client, address, [_ping(n) for n in range(3)]).status_code == 429
    in_force.server(slug, requests_per_minute=100)
    assert _post(client, address, [_ping(n) for n in range(3)]).status_code == 400
    assert _post(client, address, [_ping(n) for n in range(2)]).status_code == 200


def test_a_body_limit_that_is_lowered_holds_at_once(client: Client, address: str, in_force: InForce) -> None:
    body = json.dumps(_ping()).ljust(2048)
    assert client.post(address, body, content_type="application/json").status_code == 200
    in_force.server(address.split("/")[1], body_bytes=2047)
    assert client.post(address, body, content_type="application/json").status_code == 413


def test_which_limit_was_too_small_is_told(client: Client, address: str, in_force: InForce) -> None:
    slug = address.split("/")[1]
    in_force.server(slug, burst_requests=5, all_clients_per_minute=5)
    for _ in range(5):
        _post(client, address, _ping())
    stranger = client.post(
        address, json.dumps(_ping()), content_type="application/json", REMOTE_ADDR="198.51.100.7"
    )
    error, wait = json.loads(stranger.content)["error"], stranger.headers["Retry-After"]
    assert stranger.status_code == 429
    assert error["message"] == f"Too many requests of all clients together. Try again in {wait} s."
    in_force.server(slug, all_clients_per_minute=None)
    hasty = _post(client, address, _ping())
    assert json.loads(hasty.content)["error"]["message"].startswith("Too many requests within 10 s. Try")
    assert 1 <= int(hasty.headers["Retry-After"]) <= 10


def test_a_blocked_network_gets_a_403_with_the_reason_and_its_requests_are_not_counted(
    client: Client, address: str, in_force: InForce
) -> None:
    rule = NetworkRule(network=ip_network("127.0.0.0/8"), is_blocked=True, reason="A test")
    in_force.set(networks=Networks((rule,)))
    answers = [_post(client, address, _ping()) for _ in range(70)]
    assert {answer.status_code for answer in answers} == {403}
    error = json.loads(answers[0].content)
    assert (error["id"], error["error"]["code"]) == (None, -32000)
    assert error["error"]["message"].startswith("This network is blocked: A test.")
    assert client.get(address).status_code == 403
    in_force.set(networks=Networks())
    left = _post(client, address, _ping()).headers["RateLimit"]
    assert f";r={ADDRESSES[address][0] - 1};" in left


def test_a_server_that_is_off_still_introduces_itself_and_says_why_nothing_can_be_called(
    client: Client, address: str, in_force: InForce
) -> None:
    slug = address.split("/")[1]
    usual = {
        method: _post(client, address, {**_ping(), "method": method}).content
        for method in ("initialize", "ping", "tools/list")
    }
    in_force.server(slug, is_on=False, off_message="We move house.")
    for method, content in usual.items():
        assert _post(client, address, {**_ping(), "method": method}).content == content
    for tool in json.loads(usual["tools/list"])["result"]["tools"]:
        params = {"name": tool["name"], "arguments": {"never": "looked at"}}
        called = _post(client, address, {**_ping(), "method": "tools/call", "params": params})
        assert called.status_code == 200
        result = json.loads(called.content)["result"]
        assert (result["isError"], result.keys()) == (True, {"isError", "content"})
        assert "switched off all tools of this server: We move house. Do not" in result["content"][0]["text"]


@pytest.mark.requirement("limit:body")
def test_a_body_holds_64_kb_and_not_one_byte_more(client: Client, address: str) -> None:
    body = json.dumps(_ping()).ljust(64 * 1024)
    assert client.post(address, body, content_type="application/json").status_code == 200
    assert client.post(address, f"{body} ", content_type="application/json").status_code == 413
