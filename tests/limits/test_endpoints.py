"""The limits as a client of the two servers meets them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

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


@pytest.mark.requirement("limit:body")
def test_a_body_holds_64_kb_and_not_one_byte_more(client: Client, address: str) -> None:
    body = json.dumps(_ping()).ljust(64 * 1024)
    assert client.post(address, body, content_type="application/json").status_code == 200
    assert client.post(address, f"{body} ", content_type="application/json").status_code == 413
