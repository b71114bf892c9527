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
from papertrade_site.refusals import read_only

TABLES = ["papertrade_site.urls", "papertrade_site.host_urls.liquidations"]
INSIDE = {"/readyz", "/metrics"}
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
