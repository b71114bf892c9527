"""What is not there, in JSON and without a word of the request."""

from __future__ import annotations

import pytest
from django.template import Template
from django.test import Client
from pytest_django import Settings

from papertrade_site.discovery import documents
from papertrade_site.refusals import SECURITY_HEADERS
from tests.discovery.places import Place

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PROBES = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/analytics/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/liquidations/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/.well-known/oauth-",
]
BELOW_THE_ENDPOINT = ["/mcp/.well-known/openid-configuration", "/mcp/.well-known/oauth-authorization-server"]


@pytest.mark.requirement("endpoint:no-authorization")
@pytest.mark.parametrize("path", [*PROBES, *BELOW_THE_ENDPOINT])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_client_that_looks_for_an_authorization_server_is_told_that_there_is_none(
    client: Client, place: Place, path: str, method: str
) -> None:
    for prefix in (place.prefix, ""):
        answer = client.generic(method, prefix + path, headers={"host": place.host})
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
        assert "WWW-Authenticate" not in answer
    if method == "GET":
        answer = client.get(place.prefix + path, headers={"host": place.host})
        assert answer.json()["message"] == "No authorization is needed or offered: connect without a token."


def test_it_is_told_so_in_json_while_debugging_too(client: Client, settings: Settings) -> None:
    settings.DEBUG = True
    answer = client.get("/.well-known/oauth-protected-resource", headers={"host": "both.example"})
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")


@pytest.mark.parametrize("host", ["both.example", "analytics.example"])
def test_an_unknown_address_is_a_404_in_json_that_does_not_repeat_it(client: Client, host: str) -> None:
    answer = client.get("/<script>alert(1)</script>?x=reflected", headers={"host": host})
    assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (
        404,
        "application/json",
        "no-store",
    )
    assert answer.json() == {
        "error": "Not Found",
        "message": "There is nothing at this address; / shows what there is.",
        "requestId": answer["X-Request-Id"],
    }


@pytest.mark.parametrize(
    "path", ["/nothing", "/.well-known/oauth-protected-resource", "/analytics/server.json"]
)
def test_what_a_stranger_asks_for_in_vain_is_not_logged(
    client: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert client.post(path, headers={"host": "both.example"}).status_code in {404, 405}
    assert caplog.records == []


@pytest.mark.parametrize("host", ["evil.example", "both.example.evil.example", "a b", "both.example:x", ""])
@pytest.mark.parametrize("debug", [False, True])
def test_a_host_that_is_not_ours_is_a_400_in_json_that_does_not_repeat_it(
    client: Client, host: str, debug: bool, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.DEBUG = debug
    settings.ALLOWED_HOSTS = ["both.example"]
    answer = client.get("/analytics/mcp", headers={"host": host, "x-forwarded-host": "both.example"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/json")
    assert answer.json() == {
        "error": "Bad Request",
        "message": "This request is meant for a host that is not here.",
        "requestId": answer["X-Request-Id"],
    }
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "evil" not in caplog.text


def test_a_request_that_django_finds_malformed_is_a_400_in_json(client: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.discovery.failing_urls"
    answer = client.get("/malformed", headers={"host": "both.example"})
    assert (answer.status_code, answer.json()["error"]) == (400, "Bad Request")
    assert "secret" not in answer.text


def test_a_browser_is_told_on_a_page_that_its_request_is_malformed(client: Client) -> None:
    answer = client.get(
        "/analytics/docs/tools/get_history?" + "a&" * 1_001,
        headers={"accept": BROWSER, "host": "both.example"},
    )
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")
    assert SECURITY_HEADERS.items() <= answer.headers.items()


@pytest.mark.parametrize("path", ["/analytics/docs/mcp", "/"])
def test_a_browser_is_told_of_a_failure_on_a_page_that_no_template_can_spoil(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def failing(*_: object, **__: object) -> str:
        raise LookupError("secret")

    monkeypatch.setattr(Template, "render", failing)
    client.raise_request_exception = False
    answer = client.get(path, headers={"accept": BROWSER, "host": "both.example"})
    assert (answer.status_code, answer["Content-Type"]) == (500, "text/html; charset=utf-8")
    assert SECURITY_HEADERS.items() <= answer.headers.items()
    assert answer["Cache-Control"] == "no-store"
    assert "<h1>Something went wrong here</h1>" in answer.text
    assert "secret" not in answer.text


@pytest.mark.parametrize("accept", ["*/*", BROWSER])
def test_an_endpoint_that_fails_is_a_500_in_json_that_says_nothing_of_why(
    client: Client, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    def failing(*_: object) -> None:
        raise LookupError("secret")

    monkeypatch.setattr(documents, "description", failing)
    client.raise_request_exception = False
    answer = client.get("/analytics/mcp", headers={"host": "both.example", "accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (500, "application/json")
    assert answer.json()["error"] == "Internal Server Error"
    assert "secret" not in answer.text
