"""Any page may read what is public, whatever is answered, and never with a credential."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.test import Client
from django.urls import path
from pytest_django import Settings

from papertrade_site.limits.gate import ClientGate
from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.mcp.server import Server
from papertrade_site.refusals import bad_request, not_found, read_only, server_error
from tests.limits.valkey import cache_at
from tests.protocol.sample import unrecorded

SERVER = Server(
    slug="liquidations",
    name="io.example/toy",
    info_name="example",
    title="Toy",
    version="1.0.0",
    description="A toy.",
    instructions="Play.",
    tools=(),
    bad_arguments_are_results=False,
    repeats_json=False,
)
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
PAGE = {"Origin": "https://page.example"}
PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


@read_only
def _page(_: HttpRequest) -> HttpResponse:
    return HttpResponse("a page")


def _broken(_: HttpRequest) -> HttpResponse:
    raise ValueError("unforeseen")


urlpatterns = [
    path(
        "mcp",
        Endpoint(
            SERVER, gate=ClientGate("liquidations"), describe=lambda _: {"title": "Toy"}, record=unrecorded
        ),
    ),
    path("card", _page),
    path("broken", _broken),
    path("admin/", _page),
    path("metrics", _page),
    path("administration", _page),
]
handler400, handler404, handler500 = bad_request, not_found, server_error

pytestmark = pytest.mark.urls(__name__)


@pytest.fixture(autouse=True)
def counted_in_this_process(settings: Settings, tmp_path: Path) -> None:
    cache_at(settings, "limits", f"unix://{tmp_path}/nobody.sock")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def _names(response: HttpResponseBase, header: str) -> set[str]:
    return {name.strip().lower() for name in response.headers.get(header, "").split(",")}


def _is_open(response: HttpResponseBase) -> bool:
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert "origin" not in _names(response, "Vary")
    is_exposed = _names(response, "Access-Control-Expose-Headers") == {
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "mcp-session-id",
        "x-request-id",
    }
    return is_exposed and response.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.requirement("transport:cors:headers", "transport:cors:preflight")
@pytest.mark.parametrize("origin", [PAGE, {"Origin": "null"}, {"Origin": "http://["}, {}], ids=str)
@pytest.mark.parametrize("address", ["/mcp", "/card"])
def test_a_preflight_is_answered_204_with_all_that_clients_send(
    client: Client, address: str, origin: dict[str, str]
) -> None:
    response = client.options(address, headers={**PREFLIGHT, **origin})
    assert response.status_code == 204
    assert response.content == b""
    assert not {"Content-Type", "Content-Length"} & set(response.headers)
    assert _is_open(response)
    assert _names(response, "Access-Control-Allow-Headers") == {
        "content-type",
        "accept",
        "authorization",
        "mcp-session-id",
        "mcp-protocol-version",
        "last-event-id",
        "mcp-method",
        "mcp-name",
    }
    assert _names(response, "Access-Control-Allow-Methods") == {"get", "head", "options", "post", "delete"}


@pytest.mark.parametrize(
    ("address", "allow"), [("/mcp", "GET, HEAD, OPTIONS, POST"), ("/card", "GET, HEAD, OPTIONS")]
)
def test_options_that_is_no_preflight_is_answered_204_by_the_view_with_the_same_headers(
    client: Client, address: str, allow: str
) -> None:
    response = client.options(address)
    assert response.status_code == 204
    assert response.content == b""
    assert response.headers["Allow"] == allow
    assert _is_open(response)
    assert "mcp-protocol-version" in _names(response, "Access-Control-Allow-Headers")


def test_a_preflight_never_costs_a_request(client: Client) -> None:
    for _ in range(40):
        client.options("/mcp", headers={**PREFLIGHT, **PAGE})
    response = client.post("/mcp", PING, content_type="application/json")
    assert response.headers["RateLimit"].startswith('"liquidations";r=29;')


@pytest.mark.requirement("transport:cors:origin", "endpoint:origin")
@pytest.mark.parametrize("origin", [PAGE, {"Origin": "null"}, {"Origin": "http://["}, {}], ids=str)
@pytest.mark.parametrize(
    ("status", "request_of"),
    [
        (200, {"method": "GET", "path": "/mcp"}),
        (200, {"method": "GET", "path": "/card"}),
        (200, {"data": PING}),
        (202, {"data": '{"jsonrpc":"2.0","method":"notifications/initialized"}'}),
        (400, {"data": "{"}),
        (400, {"data": "[]"}),
        (400, {"headers": {"Host": "elsewhere.example"}, "data": PING}),
        (404, {"method": "GET", "path": "/nowhere"}),
        (405, {"method": "DELETE"}),
        (405, {"method": "DELETE", "path": "/card"}),
        (405, {"method": "GET", "headers": {"Accept": "text/event-stream"}}),
        (413, {"data": " " * 65_537}),
        (415, {"data": PING, "content_type": "text/plain"}),
        (500, {"method": "GET", "path": "/broken"}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_every_answer_may_be_read_by_any_page(
    client: Client, status: int, request_of: dict[str, Any], origin: dict[str, str]
) -> None:
    request = {"method": "POST", "path": "/mcp", "data": "", "content_type": "application/json", **request_of}
    headers = {**request.pop("headers", {}), **origin}
    response = client.generic(**request, headers=headers)
    assert response.status_code == status
    assert _is_open(response)


@pytest.mark.usefixtures("wall")
def test_the_refusal_of_a_client_over_its_limit_may_be_read_by_any_page(client: Client) -> None:
    for _ in range(30):
        client.post("/mcp", PING, content_type="application/json", headers=PAGE)
    response = client.post("/mcp", PING, content_type="application/json", headers=PAGE)
    assert response.status_code == 429
    assert _is_open(response)
    assert response.headers["Retry-After"] == str(response.json()["error"]["data"]["retryAfterSeconds"])
    assert response.json()["id"] == 1


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_an_unknown_host_is_refused_in_json_without_its_name(client: Client, method: str) -> None:
    headers = {**PREFLIGHT, **PAGE, "Host": "elsewhere.example"}
    response = client.generic(method, "/mcp", PING, content_type="application/json", headers=headers)
    assert response.status_code == 400
    assert response.json()["message"]
    assert b"elsewhere" not in response.content
    assert not any("elsewhere" in value for value in response.headers.values())


@pytest.mark.parametrize("address", ["/admin/", "/metrics"])
def test_the_project_s_own_rooms_are_closed_to_other_origins(client: Client, address: str) -> None:
    for response in (
        client.get(address, headers=PAGE),
        client.options(address, headers={**PREFLIGHT, **PAGE}),
    ):
        assert not any(name.lower().startswith("access-control-") for name in response.headers)


def test_only_the_very_names_of_those_rooms_are_closed(client: Client) -> None:
    assert _is_open(client.get("/administration", headers=PAGE))
