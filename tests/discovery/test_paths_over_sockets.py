"""Tricks with the request line, through gunicorn: none reaches another view, a file or another host."""

from __future__ import annotations

import json

import pytest

from tests.discovery.served import Site


def name_of(body: bytes) -> object:
    return json.loads(body).get("name")


@pytest.mark.parametrize(
    "path", ["/mcp", "/mcp/", "/%6dcp", "/mcp%2f", "/analytics/mcp", "/analytics/%6Dcp/"]
)
def test_one_address_however_it_is_encoded_is_one_endpoint(site: Site, path: str) -> None:
    status, body = site.ask(f"GET {path}")
    assert (status, name_of(body)) == (200, "io.github.nirholas/papertrade-analytics")


@pytest.mark.parametrize(
    "path",
    [
        "//mcp",
        "//analytics.localhost/mcp",
        "/mcp//",
        "/mcp%00",
        "/mcp%0a",
        "/mcp%20",
        "/mcp;x=1",
        "/MCP",
        "/./mcp",
        "/docs/../healthz",
        "/mcp/../healthz",
        "/mcp/..%2fhealthz",
        "/mcp/..%2f..%2f..%2fetc/passwd",
        "/mcp/..%252fhealthz",
        "/analytics/../healthz",
        "/analytics/..%2fhealthz",
        "/analytics/%2e%2e/healthz",
        "/analytics/.well-known/mcp/../../healthz",
        "/mcp\\..\\healthz",
        "/%ff%fe",
    ],
)
def test_a_path_trick_is_a_404_that_reaches_nothing_and_repeats_nothing(site: Site, path: str) -> None:
    status, body = site.ask(f"GET {path}")
    assert status == 404
    told = json.loads(body)
    assert told == {
        "error": "Not Found",
        "message": "There is nothing at this address; / shows what there is.",
        "requestId": told["requestId"],
    }


@pytest.mark.parametrize(
    "target",
    [
        "http://evil.example/mcp",
        "https://evil.example/mcp",
        "http://analytics.localhost@evil.example/mcp",
        "http://evil.example@analytics.localhost/mcp",
        "http://127.0.0.1/mcp",
        "http:///mcp",
        "http://[::1/mcp",
        "*",
    ],
)
def test_a_request_line_with_the_address_of_another_host_is_refused(site: Site, target: str) -> None:
    status, body = site.ask(f"GET {target}")
    assert status == 400
    assert b"evil" not in body


def test_a_request_line_with_the_address_of_the_host_itself_is_answered(site: Site) -> None:
    assert site.ask("GET http://analytics.localhost/mcp")[0] == 200
    assert site.ask("GET http://ANALYTICS.localhost/mcp")[0] == 200


def test_a_foreign_host_is_refused_and_a_forwarded_one_is_not_looked_at(site: Site) -> None:
    assert site.ask("GET /mcp", host="evil.example")[0] == 400
    status, body = site.ask("GET /mcp", "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example")
    assert status == 200
    assert b"evil" not in body


@pytest.mark.parametrize("path", ["/mcp", "/.well-known/mcp/server-card.json", "/server.json", "/nothing"])
def test_head_has_no_body_on_the_wire(site: Site, path: str) -> None:
    assert site.ask(f"HEAD {path}")[1] == b""


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/analytics/mcp", "/analytics/mcp/", "/liquidations/mcp/"])
def test_a_post_is_answered_at_once_with_and_without_a_slash(site: Site, path: str) -> None:
    ping = '{"jsonrpc":"2.0","id":"a","method":"ping"}'
    status, body = site.post(path, ping, {"Host": "analytics.localhost", "Content-Type": "application/json"})
    assert (status, json.loads(body)) == (200, {"jsonrpc": "2.0", "id": "a", "result": {}})
