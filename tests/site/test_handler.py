from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import DisallowedHost
from django.http import HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from papertrade_site.handler import Handler, Request


def _environ(**changed: str) -> dict[str, Any]:
    return {**RequestFactory().generic("POST", "/x").META, **changed}


@pytest.mark.parametrize(
    ("content_type", "kept"),
    [
        ("application/json; charset*=x''y", "application/json"),
        ("application/json; charset*=utf-8''%00", "application/json"),
        ('a/b; charset="a\0"', "a/b"),
    ],
    ids=["unknown encoding", "NUL by percent", "NUL"],
)
def test_a_content_type_loses_parameters_that_make_no_sense(content_type: str, kept: str) -> None:
    request = Request(_environ(CONTENT_TYPE=content_type))

    assert (request.content_type, request.META["CONTENT_TYPE"], request.path) == (kept, kept, "/x")


def test_every_other_content_type_is_kept() -> None:
    request = Request(_environ(CONTENT_TYPE="application/json; charset=utf-8"))

    assert request.content_type == "application/json"
    assert request.META["CONTENT_TYPE"] == "application/json; charset=utf-8"


def test_http_1_1_has_to_name_a_host_and_http_1_0_need_not() -> None:
    assert Request(_environ(HTTP_HOST="testserver")).get_host() == "testserver"
    assert Request(_environ(SERVER_PROTOCOL="HTTP/1.0")).get_host() == "testserver"
    with pytest.raises(DisallowedHost):
        Request(_environ(SERVER_PROTOCOL="HTTP/1.1")).get_host()


@pytest.mark.parametrize(("public", "is_secure"), [("https", True), ("http", False), (None, False)])
def test_the_scheme_is_the_one_that_clients_know(
    settings: Settings, public: str | None, *, is_secure: bool
) -> None:
    settings.PUBLIC_SCHEME = public
    request = Request(_environ(HTTP_HOST="testserver"))
    assert (request.is_secure(), request.scheme) == (is_secure, public or "http")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("origin", "status"), [("https://testserver", "200 OK"), ("https://evil.example", "403 Forbidden")]
)
def test_a_form_is_taken_from_our_own_page_behind_a_proxy_that_ends_tls(
    settings: Settings, origin: str, status: str
) -> None:
    settings.PUBLIC_SCHEME = "https"
    token = "a" * 32
    environ = _environ(
        PATH_INFO="/admin/login/",
        HTTP_HOST="testserver",
        HTTP_ORIGIN=origin,
        HTTP_COOKIE=f"csrftoken={token}",
        HTTP_X_CSRFTOKEN=token,
    )
    told: list[str] = []

    def start(line: str, *_: object) -> Callable[[bytes], object]:
        told.append(line)
        return bytes.__len__

    answer = Handler()(environ, start)
    assert isinstance(answer, HttpResponse)
    answer.close()
    assert told == [status]
