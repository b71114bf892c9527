from __future__ import annotations

import pytest
from django.test import RequestFactory

from papertrade_site.handler import Request


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset*=x''y",
        "application/json; charset*=utf-8''%00",
        'a/b; charset="a\0"',
    ],
    ids=["unknown encoding", "NUL by percent", "NUL"],
)
def test_a_content_type_that_makes_no_sense_is_none(content_type: str) -> None:
    environ = {**RequestFactory().generic("POST", "/x").META, "CONTENT_TYPE": content_type}

    request = Request(environ)

    assert (request.content_type, request.META["CONTENT_TYPE"], request.path) == ("", "", "/x")


def test_every_other_content_type_is_kept() -> None:
    environ = {
        **RequestFactory().generic("POST", "/x").META,
        "CONTENT_TYPE": "application/json; charset=utf-8",
    }

    assert Request(environ).content_type == "application/json"
