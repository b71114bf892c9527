"""Addresses that can only be read: which methods they take, and that none of the site's is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from pytest_django import Settings

from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.refusals import SECURITY_HEADERS, read_only

TABLES = ["papertrade_site.urls", "papertrade_site.host_urls.liquidations"]
INSIDE = {"/readyz", "/metrics"}
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
WRITING = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"]


@read_only
def _page(_: HttpRequest, text: str) -> HttpResponse:
    return HttpResponse(text)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_view_is_asked_by_a_method_that_reads(rf: RequestFactory, method: str) -> None:
    answer = _page(rf.generic(method, "/"), "a page")
    assert isinstance(answer, HttpResponse)
    assert answer.content == b"a page"


def test_options_gets_the_methods_there_are_and_nothing_else(rf: RequestFactory) -> None:
    answer = _page(rf.options("/"), "a page")
    assert isinstance(answer, HttpResponse)
    assert (answer.status_code, answer.content, dict(answer.headers)) == (
        204,
        b"",
        {"Allow": "GET, HEAD, OPTIONS"},
    )


def _read_only_addresses(patterns: Sequence[URLPattern | URLResolver], prefix: str = "/") -> Iterator[str]:
    """Every address of a table but endpoints, sets of addresses where nothing is, and the operators'."""
    for entry in patterns:
        if not isinstance(entry.pattern, RoutePattern) or str(entry.pattern).startswith("admin"):
            continue
        address = re.sub("<[^>]*>", "any", f"{prefix}{entry.pattern}")
        if isinstance(entry, URLResolver):
            yield from _read_only_addresses(entry.url_patterns, address)
        elif not isinstance(entry.callback, Endpoint):
            yield address


@pytest.mark.parametrize("path", ["/", "/analytics/docs/mcp", "/liquidations/docs"])
def test_a_browser_that_writes_to_a_page_is_refused_on_one(client: Client, path: str) -> None:
    answer = client.post(path, {"a": "b"}, headers={"accept": BROWSER})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("text/html; charset=utf-8", "no-store")
    assert SECURITY_HEADERS.items() <= answer.headers.items()
    assert "<h1>This page can only be read</h1>" in answer.content.decode()


@pytest.mark.parametrize("path", ["/analytics/pictures/skew.svg", "/analytics/llms.txt", "/analytics/mcp"])
def test_nobody_is_refused_on_a_page_where_there_is_none(client: Client, path: str) -> None:
    answer = client.put(path, headers={"accept": BROWSER})
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/json")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", WRITING)
def test_every_address_but_the_endpoints_refuses_a_method_that_writes_in_json(
    client: Client, table: str, method: str, settings: Settings
) -> None:
    settings.ROOT_URLCONF = table
    addresses = list(_read_only_addresses(get_resolver(table).url_patterns))
    assert {"/", "/healthz", "/readyz", "/analytics/server.json", "/.well-known/mcp.json"} <= set(addresses)
    for address in addresses:
        answer = client.generic(method, address)
        assert (address, answer.status_code, answer["Allow"]) == (address, 405, "GET, HEAD, OPTIONS")
        assert answer["Content-Type"] == "application/json"
        assert answer.json()["error"] == "Method Not Allowed"
        assert answer.get("Access-Control-Allow-Origin") == (None if address in INSIDE else "*")
