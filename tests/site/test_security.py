"""What answers of every kind carry for the safety of their readers."""

from __future__ import annotations

import importlib

import pytest
from django.test import Client
from pytest_django import Settings

from papertrade_site import settings as project
from tests.docs.markup import content_of

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
HSTS = "Strict-Transport-Security"
ASKED = [
    ("GET", "/", {}),
    ("GET", "/analytics/docs/mcp", {}),
    ("GET", "/analytics/docs/mcp/", {}),
    ("GET", "/nothing", {"accept": "text/html"}),
    ("GET", "/healthz", {}),
    ("GET", "/static/docs/favicon.svg", {}),
    ("GET", "/analytics/mcp", {}),
    ("POST", "/analytics/mcp", {}),
    ("POST", "/analytics/docs/mcp", {}),
    ("GET", "/analytics/docs/mcp", {"host": "evil.example"}),
    ("OPTIONS", "/analytics/mcp", {"origin": "http://a.example", "access-control-request-method": "POST"}),
]


def ask(client: Client, method: str, path: str, headers: dict[str, str]) -> str | None:
    answer = client.generic(method, path, PING if method == "POST" else "", headers=headers)
    content_of(answer)
    return answer.headers.get(HSTS)


@pytest.mark.parametrize(("method", "path", "headers"), ASKED)
def test_browsers_keep_to_tls_where_the_site_is_reached_by_it(
    client: Client, settings: Settings, method: str, path: str, headers: dict[str, str]
) -> None:
    assert ask(client, method, path, headers) is None
    settings.SECURE_HSTS_SECONDS = 31_536_000
    assert ask(Client(), method, path, headers) == "max-age=31536000"


@pytest.mark.parametrize(("scheme", "seconds"), [("https", 31_536_000), ("http", 0), ("", 0)])
def test_the_public_scheme_says_whether_it_is(
    monkeypatch: pytest.MonkeyPatch, scheme: str, seconds: int
) -> None:
    monkeypatch.setenv("PAPERTRADE_PUBLIC_SCHEME", scheme)
    try:
        kept_to = importlib.reload(project).SECURE_HSTS_SECONDS
        assert kept_to == seconds
    finally:
        monkeypatch.undo()
        importlib.reload(project)


@pytest.mark.parametrize("path", ["/static/docs/favicon.svg", "/analytics/icon.svg"])
def test_a_picture_that_is_opened_alone_has_no_rights(client: Client, path: str) -> None:
    answer = client.get(path)
    content_of(answer)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    policy = answer["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "sandbox"} <= set(policy)
    assert answer["X-Content-Type-Options"] == "nosniff"
