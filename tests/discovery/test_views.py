"""The addresses of discovery over HTTP: the same by path and by host, cached, and read-only."""

from __future__ import annotations

import json

import pytest
from django.http import HttpResponseBase
from django.test import Client, RequestFactory
from django.urls import resolve

from mcp_analytics.server import SERVER as ANALYTICS
from papertrade_site.discovery import documents
from papertrade_site.discovery.views import KEPT_ADDRESSES, Discovery
from papertrade_site.mcp.server import Server
from tests.discovery.places import Place

CARDS = {
    "/.well-known/mcp/server-card.json": "application/json",
    "/.well-known/mcp.json": "application/json",
    "/.well-known/mcp": "application/json",
    "/mcp/server-card": "application/mcp-server-card+json",
}
DOCUMENTS = {**CARDS, "/server.json": "application/json", "/icon.svg": "image/svg+xml"}

EVERY_DOCUMENT = pytest.mark.parametrize("path", DOCUMENTS)


@pytest.mark.requirement("card:address")
def test_one_card_is_served_at_each_of_its_addresses_in_the_type_of_each(
    client: Client, place: Place
) -> None:
    answers = {path: client.get(place.prefix + path, headers={"host": place.host}) for path in CARDS}
    assert {path: answer["Content-Type"] for path, answer in answers.items()} == CARDS
    assert len({answer.content for answer in answers.values()}) == 1
    assert json.loads(answers["/mcp/server-card"].content)["name"] == place.server.name


@EVERY_DOCUMENT
def test_the_answers_by_path_and_by_host_differ_in_their_addresses_only(
    client: Client, both_places: list[Place], path: str
) -> None:
    own, shared = both_places
    by_host = client.get(path, headers={"host": own.host})
    by_path = client.get(shared.prefix + path, headers={"host": shared.host})
    assert own.neutral(by_host.content) == shared.neutral(by_path.content)
    assert shared.host.encode() not in by_host.content
    assert own.host.encode() not in by_path.content
    differing = ("Content-Length", "ETag", "X-Request-Id")
    assert headers_but(by_host, *differing) == headers_but(by_path, *differing)


@pytest.mark.requirement("endpoint:address")
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_the_endpoint_answers_alike_by_path_and_by_host_with_and_without_a_slash(
    client: Client, both_places: list[Place], path: str
) -> None:
    own, shared = both_places
    by_host = client.get(path, headers={"host": own.host})
    by_path = client.get(shared.prefix + path, headers={"host": shared.host})
    assert (by_host.status_code, by_path.status_code) == (200, 200)
    assert own.neutral(by_host.content) == shared.neutral(by_path.content)


def test_the_slash_leads_to_the_same_endpoint_and_not_to_a_redirect(place: Place) -> None:
    urlconf = None if place.prefix else f"papertrade_site.host_urls.{place.server.slug}"
    bare, slashed = (resolve(f"{place.prefix}{path}", urlconf) for path in ("/mcp", "/mcp/"))
    assert bare.func is slashed.func
    assert resolve(f"/{place.server.slug}/mcp").func is bare.func


def test_a_servers_own_host_has_every_address_of_the_project_too(client: Client) -> None:
    own = {"host": "liquidations.example"}
    assert client.get("/healthz", headers=own).json() == {"status": "ok"}
    assert client.get("/analytics/mcp", headers=own).json()["name"] == ANALYTICS.name
    assert client.get("/analytics/mcp", headers=own).json()["endpoint"] == (
        "http://liquidations.example/analytics/mcp"
    )
    by_path = client.get("/liquidations/mcp", headers=own).json()
    assert by_path == client.get("/mcp", headers=own).json()


@pytest.mark.usefixtures("venue")
def test_a_home_page_shows_its_endpoint_and_leads_to_the_other_server(client: Client) -> None:
    shared = client.get("/", headers={"host": "both.example"}).text
    assert "http://both.example/liquidations/mcp" in shared
    assert "http://both.example/analytics/mcp" in shared
    own = client.get("/", headers={"host": "liquidations.example"}).text
    assert "http://liquidations.example/mcp" in own
    assert 'href="/analytics/"' in own


def test_a_host_of_neither_server_has_no_endpoint_at_its_root(client: Client) -> None:
    assert client.get("/mcp", headers={"host": "both.example"}).status_code == 404


@EVERY_DOCUMENT
def test_a_document_may_be_kept_for_an_hour_and_is_asked_for_again_by_its_tag(
    client: Client, place: Place, path: str
) -> None:
    first = client.get(place.prefix + path, headers={"host": place.host})
    assert first["Cache-Control"] == "public, max-age=3600"
    for tags in (first["ETag"], f'"other", W/{first["ETag"]}', "*"):
        again = client.get(place.prefix + path, headers={"host": place.host, "if-none-match": tags})
        assert (again.status_code, again.content) == (304, b"")
        assert (again["ETag"], again["Cache-Control"]) == (first["ETag"], first["Cache-Control"])
    other = client.get(place.prefix + path, headers={"host": place.host, "if-none-match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_the_directory_is_kept_and_asked_for_again_like_a_document(client: Client) -> None:
    first = client.get("/.well-known/mcp.json", headers={"host": "both.example"})
    assert first["Cache-Control"] == "public, max-age=3600"
    again = {"host": "both.example", "if-none-match": first["ETag"]}
    assert client.get("/.well-known/mcp.json", headers=again).status_code == 304


@EVERY_DOCUMENT
def test_head_tells_what_get_would_without_the_body(client: Client, path: str) -> None:
    got = client.get(f"/analytics{path}", headers={"host": "both.example"})
    asked = client.head(f"/analytics{path}", headers={"host": "both.example"})
    assert asked.content == b""
    assert headers_but(asked, "X-Request-Id") == headers_but(got, "X-Request-Id")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"])
@EVERY_DOCUMENT
def test_a_document_refuses_every_method_that_does_not_read(client: Client, path: str, method: str) -> None:
    answer = client.generic(method, f"/analytics{path}", headers={"host": "both.example"})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert answer.json()["error"] == "Method Not Allowed"


@pytest.mark.requirement("endpoint:no-cookies")
@EVERY_DOCUMENT
def test_any_page_of_any_origin_may_read_a_document_and_no_cookie_is_set(client: Client, path: str) -> None:
    answer = client.get(f"/analytics{path}", headers={"host": "both.example", "origin": "https://x.example"})
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer
    assert not answer.cookies


@pytest.fixture
def renderings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The address of each card that is made."""
    made: list[str] = []

    make = documents.server_card

    def server_card(server: Server, base: str) -> documents.Document:
        made.append(base)
        return make(server, base)

    monkeypatch.setattr(documents, "server_card", server_card)
    return made


def test_a_card_is_made_once_for_an_address_however_often_it_is_asked_for(
    rf: RequestFactory, renderings: list[str]
) -> None:
    discovery = Discovery(ANALYTICS)
    for _ in range(3):
        discovery.card(rf.get("/", headers={"host": "both.example"}))
        discovery.card_of_its_own_type(rf.get("/", headers={"host": "analytics.example"}))
    assert renderings == ["http://both.example/analytics", "http://analytics.example"]


def test_made_up_ports_cannot_fill_the_memory_with_cards(rf: RequestFactory, renderings: list[str]) -> None:
    discovery = Discovery(ANALYTICS)
    for port in [*range(1000, 1000 + KEPT_ADDRESSES + 1), 1000]:
        discovery.card(rf.get("/", headers={"host": f"both.example:{port}"}))
    assert renderings.count("http://both.example:1000/analytics") == 2


def headers_but(answer: HttpResponseBase, *names: str) -> dict[str, str]:
    return {name: value for name, value in answer.items() if name not in names}
