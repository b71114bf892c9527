from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import DisallowedHost
from django.test import RequestFactory

from papertrade_site.handler import Request


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
