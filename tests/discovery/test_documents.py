"""Server card, registry entry, directory and description: what they hold, and that readers can use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client
from pytest_django import Settings

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.discovery import documents
from papertrade_site.limits.in_force import limits_for
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.server import Server
from tests.discovery.places import Place
from tests.policies import InForce

SCHEMAS = Path(__file__).parent / "schemas"
BOTH = pytest.mark.parametrize("server", [LIQUIDATIONS, ANALYTICS], ids=lambda server: server.slug)


def problems(document: object, *, schema: str) -> list[str]:
    validator = jsonschema_rs.validator_for(json.loads((SCHEMAS / schema).read_text(encoding="utf-8")))
    return [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(document)]


def answered(server: Server, method: str) -> dict[str, Any]:
    answer = Dispatcher(server).answer(Call(1, method, {"protocolVersion": "2025-06-18"}))
    result: dict[str, Any] = json.loads(answer or b"")["result"]
    return result


def card(server: Server, base: str = "https://x.example") -> dict[str, Any]:
    document: dict[str, Any] = json.loads(documents.server_card(server, base).content)
    return document


@BOTH
def test_the_card_is_valid_in_the_current_form_and_in_the_older_one(server: Server) -> None:
    assert problems(card(server), schema="server-card.json") == []
    assert problems(card(server), schema="older-server-card.json") == []


@pytest.mark.parametrize("schema", ["server-card.json", "older-server-card.json", "server.json"])
def test_each_form_refuses_a_document_that_lacks_any_field_it_requires(schema: str) -> None:
    whole = card(ANALYTICS) if "card" in schema else registry_entry(ANALYTICS)
    required = json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))["required"]
    for name in required:
        assert problems({key: whole[key] for key in whole if key != name}, schema=schema) != []


@pytest.mark.requirement("card:schemas", "initialize:server")
@BOTH
def test_the_card_tells_what_a_handshake_and_the_list_of_tools_would(server: Server) -> None:
    shown, handshake = card(server), answered(server, "initialize")
    assert {name: shown[name] for name in handshake} == handshake
    assert shown["tools"] == answered(server, "tools/list")["tools"]


@pytest.mark.requirement("endpoint:no-authorization")
@BOTH
def test_the_card_needs_no_authorization_and_names_one_address_in_both_forms(server: Server) -> None:
    shown = card(server, "https://x.example/prefix")
    assert shown["authentication"] == {"required": False, "schemes": []}
    assert shown["remotes"] == [
        {
            "type": "streamable-http",
            "url": "https://x.example/prefix/mcp",
            "supportedProtocolVersions": ["2025-06-18", "2025-03-26", "2024-11-05"],
        }
    ]
    assert shown["transport"] == {"type": "streamable-http", "endpoint": "/prefix/mcp"}


@BOTH
def test_every_server_is_described_in_at_most_100_characters(server: Server) -> None:
    assert 1 <= len(server.description) <= 100


def registry_entry(server: Server) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(documents.registry_entry(server, "https://x.example").content)
    return document


@BOTH
def test_the_registry_entry_is_valid_and_agrees_with_the_card(server: Server) -> None:
    entry, shown = registry_entry(server), card(server)
    assert problems(entry, schema="server.json") == []
    assert entry["remotes"][0]["url"] == shown["remotes"][0]["url"]
    same = ("name", "title", "version", "description", "websiteUrl", "icons")
    assert [entry[name] for name in same] == [shown[name] for name in same]


@pytest.mark.requirement("endpoint:registry-name")
def test_the_names_are_those_of_the_registry() -> None:
    assert card(LIQUIDATIONS)["name"] == "io.github.nirholas/papertrade-liquidations"
    assert card(ANALYTICS)["name"] == "io.github.nirholas/papertrade-analytics"


def test_the_repository_is_the_one_that_is_set(settings: Settings) -> None:
    settings.REPOSITORY_URL = "https://github.com/someone/else"
    named = {"url": "https://github.com/someone/else", "source": "github"}
    assert card(ANALYTICS)["repository"] == registry_entry(ANALYTICS)["repository"] == named


def test_no_repository_is_made_up_when_none_is_set(settings: Settings) -> None:
    settings.REPOSITORY_URL = None
    assert "repository" not in card(ANALYTICS)
    assert "repository" not in registry_entry(ANALYTICS)


def test_no_text_of_a_server_can_break_out_of_the_template() -> None:
    hostile = 'a "quote", a \\, a </script>, {{ braces }}, a line\nand half a surrogate \ud800'
    server = Server(
        slug="analytics",
        name=hostile,
        info_name=hostile,
        title=hostile,
        version=hostile,
        description=hostile,
        instructions=hostile,
        tools=(),
        bad_arguments_are_results=False,
        repeats_json=False,
    )
    shown = card(server)
    assert {shown[name] for name in ("name", "title", "version", "description", "instructions")} == {hostile}
    assert shown["serverInfo"] == {"name": hostile, "title": hostile, "version": hostile}


def test_a_tag_tells_different_bytes_apart_and_equal_ones_not() -> None:
    assert documents.Document.of(b"a") == documents.Document.of(b"a")
    assert documents.Document.of(b"a").etag != documents.Document.of(b"b").etag


def test_the_directory_lists_both_servers_with_card_and_address(client: Client) -> None:
    rows = client.get("/.well-known/mcp.json", headers={"host": "both.example"}).json()["servers"]
    assert [row["name"] for row in rows] == [LIQUIDATIONS.name, ANALYTICS.name]
    for row, slug in zip(rows, ("liquidations", "analytics"), strict=True):
        assert row["serverCard"] == f"http://both.example/{slug}/.well-known/mcp/server-card.json"
        assert row["remotes"][0]["url"] == f"http://both.example/{slug}/mcp"
        shown = client.get(f"/{slug}/.well-known/mcp/server-card.json", headers={"host": "both.example"})
        assert {**shown.json(), **row} == {**shown.json(), "serverCard": row["serverCard"]}


@pytest.mark.requirement("transport:get:description", "transport:get:links")
def test_a_plain_get_of_the_endpoint_describes_the_server(client: Client, place: Place) -> None:
    limits = limits_for(place.server.slug)
    answer = client.get(f"{place.prefix}/mcp", headers={"host": place.host, "accept": "*/*"})
    assert answer.status_code == 200
    assert answer.json() == {
        "name": place.server.name,
        "title": place.server.title,
        "version": place.server.version,
        "description": place.server.description,
        "endpoint": f"{place.base}/mcp",
        "transport": "streamable-http",
        "protocolVersions": ["2025-06-18", "2025-03-26", "2024-11-05"],
        "tools": [{"name": tool.name, "title": tool.title} for tool in place.server.tools],
        "switchedOff": None,
        "limits": {
            "requestsPerMinute": limits.requests_per_minute,
            "bodyBytes": 65_536,
            "batchMessages": limits.batch_messages,
        },
        "links": {
            "docs": f"{place.base}/docs/mcp",
            "connect": f"{place.base}/docs/connect",
            "serverCard": f"{place.base}/.well-known/mcp/server-card.json",
            "llms": f"{place.base}/llms.txt",
            "status": f"{place.base}/status",
        },
    }


def test_the_description_shows_the_limits_in_force_at_the_moment(client: Client, in_force: InForce) -> None:
    in_force.server("analytics", requests_per_minute=9, body_bytes=8, batch_messages=7)
    answer = client.get("/analytics/mcp", headers={"host": "both.example"})
    assert answer.json()["limits"] == {"requestsPerMinute": 9, "bodyBytes": 8, "batchMessages": 7}


def test_the_description_says_that_the_server_is_switched_off(client: Client, in_force: InForce) -> None:
    in_force.server("analytics", is_on=False, off_message="We move house.")
    on, off = (
        client.get(f"/{slug}/mcp", headers={"host": "both.example"}).json()["switchedOff"]
        for slug in ("liquidations", "analytics")
    )
    assert on is None
    assert "switched off all tools of this server: We move house." in off


@pytest.mark.requirement("transport:get:links")
@pytest.mark.usefixtures("venue", "db")
def test_every_link_answers(client: Client, place: Place) -> None:
    shown = client.get(f"{place.prefix}/.well-known/mcp.json", headers={"host": place.host}).json()
    described = client.get(f"{place.prefix}/mcp", headers={"host": place.host}).json()
    links = described["links"] | {
        "website": shown["websiteUrl"],
        "icon": shown["icons"][0]["src"],
        "endpoint": shown["remotes"][0]["url"],
    }
    site = f"http://{place.host}"
    statuses = {
        name: client.get(link.removeprefix(site), headers={"host": place.host}).status_code
        for name, link in links.items()
    }
    assert set(statuses.values()) == {200}, statuses
