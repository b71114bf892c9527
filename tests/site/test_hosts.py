"""Which server a host stands for, and the absolute addresses that follow from it."""

from __future__ import annotations

import pytest
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from papertrade_site.hosts import ServerHostMiddleware, base_url, own_server, site_url


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.SERVER_HOSTS = {"l.example": "liquidations"}
    settings.ALLOWED_HOSTS = ["both.example", "[::1]", "l.example"]
    settings.PUBLIC_SCHEME = None


def asked(rf: RequestFactory, host: str, *, secure: bool = False, **meta: str) -> HttpRequest:
    request = rf.get("/mcp", secure=secure, headers={"host": host})
    request.META.update(meta)
    return request


@pytest.mark.parametrize(
    ("host", "server", "address"),
    [
        ("l.example", "liquidations", "http://l.example/mcp"),
        ("l.example", "analytics", "http://l.example/analytics/mcp"),
        ("both.example", "liquidations", "http://both.example/liquidations/mcp"),
        ("both.example:8000", "analytics", "http://both.example:8000/analytics/mcp"),
        ("L.EXAMPLE.:8000", "liquidations", "http://l.example:8000/mcp"),
        ("both.example:80", "analytics", "http://both.example/analytics/mcp"),
        ("[::1]:8000", "analytics", "http://[::1]:8000/analytics/mcp"),
    ],
)
def test_an_address_stays_in_the_form_that_the_request_came_in(
    rf: RequestFactory, host: str, server: str, address: str
) -> None:
    assert f"{base_url(asked(rf, host), server)}/mcp" == address


@pytest.mark.parametrize("secure", [False, True])
def test_the_scheme_is_the_setting_whatever_the_request_came_by(
    rf: RequestFactory, settings: Settings, secure: bool
) -> None:
    assert site_url(asked(rf, "both.example:80", secure=secure)) == "http://both.example"
    settings.PUBLIC_SCHEME = "https"
    assert base_url(asked(rf, "l.example:443", secure=secure), "liquidations") == "https://l.example"


@pytest.mark.parametrize("port", ["0", "00", "65536", "99999", "080", "9" * 5000])
def test_a_host_with_a_port_that_cannot_be_is_malformed(client: Client, port: str) -> None:
    answer = client.get("/analytics/mcp", headers={"host": f"both.example:{port}"})
    assert (answer.status_code, answer.json()["message"]) == (400, "This request is malformed.")


@pytest.mark.parametrize("port", ["1", "80", "65535"])
def test_a_host_may_name_every_port_that_can_be(client: Client, port: str) -> None:
    assert client.get("/analytics/mcp", headers={"host": f"both.example:{port}"}).status_code == 200


def test_no_header_but_host_and_no_scheme_of_a_stranger_goes_into_an_address(rf: RequestFactory) -> None:
    request = asked(
        rf,
        "both.example",
        HTTP_X_FORWARDED_HOST="evil.example",
        HTTP_X_FORWARDED_PROTO="https",
        HTTP_X_FORWARDED_PORT="1",
        HTTP_FORWARDED="host=evil.example;proto=https",
    )
    assert site_url(request) == "http://both.example"


def test_a_host_that_is_not_ours_has_no_server_and_no_address(rf: RequestFactory) -> None:
    with pytest.raises(DisallowedHost):
        own_server(asked(rf, "evil.example"))
    with pytest.raises(DisallowedHost):
        base_url(asked(rf, "evil.example"), "analytics")


def through_the_middleware(request: HttpRequest) -> tuple[int, object]:
    """Status of the answer, and the table of addresses that the request went on with."""
    tables: list[object] = []

    def view(request: HttpRequest) -> HttpResponse:
        tables.append(getattr(request, "urlconf", None))
        return HttpResponse()

    status = ServerHostMiddleware(view)(request).status_code
    return status, (tables or ["never went on"])[0]


def test_a_servers_own_host_opens_at_that_server_and_every_other_at_the_project(rf: RequestFactory) -> None:
    own = through_the_middleware(asked(rf, "L.Example:8000"))
    assert own == (200, "papertrade_site.host_urls.liquidations")
    assert through_the_middleware(asked(rf, "both.example")) == (200, None)


@pytest.mark.parametrize(
    ("target", "goes_on"),
    [
        ("/mcp", True),
        ("//evil.example/mcp", True),
        ("http://both.example/mcp", True),
        ("https://BOTH.example/mcp", True),
        ("http://both.example:81/mcp", False),
        ("http://evil.example/mcp", False),
        ("http://both.example@evil.example/mcp", False),
        ("http://[/mcp", False),
        ("both.example:80", False),
        ("", False),
    ],
)
def test_a_request_line_may_name_no_other_host_than_the_header(
    rf: RequestFactory, target: str, goes_on: bool
) -> None:
    status, _ = through_the_middleware(asked(rf, "both.example", RAW_URI=target))
    assert status == (200 if goes_on else 400)
