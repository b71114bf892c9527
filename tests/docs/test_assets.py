"""Static files: kept for ever under a name that changes with their content."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.test import Client
from pytest_django import Settings

from papertrade_site.docs.assets import StaticFilesMiddleware, hashed_name
from tests.docs.markup import content_of

FOREVER = "max-age=315360000, public, immutable"
CODE = ("docs/tokens.css", "docs/site.css", "docs/site.js", "docs/search.js", "docs/theme.js")


@pytest.mark.parametrize("name", CODE)
def test_a_page_names_a_file_by_its_content_and_browsers_keep_it_for_ever(client: Client, name: str) -> None:
    address = static(name)
    stem, ending = name.rsplit(".", 1)
    assert re.fullmatch(rf"/static/{stem}\.[0-9a-f]{{12}}\.{ending}", address)
    answer = client.get(address)
    assert (answer.status_code, answer["Cache-Control"]) == (200, FOREVER)
    assert content_of(answer) == Path(finders.find(name) or "").read_bytes()


def test_a_file_has_its_plain_name_too_under_which_it_may_change(client: Client) -> None:
    answer = client.get("/static/docs/site.css")
    content_of(answer)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "max-age=60, public")


def test_a_name_of_another_release_gets_the_file_of_this_one_for_a_while(client: Client) -> None:
    answer = client.get("/static/docs/site.0123456789ab.css")
    content_of(answer)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "max-age=60, public")


@pytest.mark.parametrize("path", ["/static/docs/nothing.css", "/static/docs/", "/static/../settings.py"])
def test_there_is_nothing_else_among_the_static_files(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_request_for_anything_else_passes_unchanged() -> None:
    seen: list[str] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(request.path_info)
        return HttpResponse()

    request = HttpRequest()
    request.method, request.path_info = "POST", "/analytics/mcp"
    StaticFilesMiddleware(view)(request)
    assert seen == ["/analytics/mcp"]


def test_a_name_that_no_file_has_stays_as_it_is() -> None:
    assert hashed_name("docs/nothing.css") == "docs/nothing.css"


def test_files_under_work_have_their_plain_names(settings: Settings) -> None:
    settings.DEBUG = True
    assert static("docs/site.css") == "/static/docs/site.css"


def test_style_and_scripts_of_the_layout_are_small() -> None:
    sizes = {name: Path(finders.find(name) or "").stat().st_size for name in CODE}
    assert sizes.pop("docs/site.css") <= 25_000
    assert sum(sizes.values()) <= 15_000
