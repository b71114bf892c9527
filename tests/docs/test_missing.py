"""Where there is nothing: a page for people, JSON for programs."""

from __future__ import annotations

import pytest
from django.test import Client

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
HOSTILE = "/docs/%3Cscript%3Ealert(1)%3C/script%3E"


def test_a_browser_gets_a_page_that_repeats_nothing_of_the_address(client: Client) -> None:
    answer = client.get(HOSTILE, headers={"accept": BROWSER})
    assert (answer.status_code, answer["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "alert" not in answer.content.decode()
    assert answer["Content-Security-Policy"].startswith("default-src 'none'")
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "shown", "unshown"),
    [
        ("/liquidations/docs/nothing", "get_bust_map", "get_history"),
        ("/analytics/nothing", "get_history", "get_bust_map"),
        ("/nothing", "/liquidations/", "get_bust_map"),
    ],
)
def test_below_a_server_the_way_to_its_pages_stands_beside_it(
    client: Client, path: str, shown: str, unshown: str
) -> None:
    html = client.get(path, headers={"accept": BROWSER}).content.decode()
    assert shown in html
    assert unshown not in html
    assert "data-theme-switch" in html
    assert ("data-search" in html) is (path != "/nothing")


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/html"])
def test_a_program_gets_json(client: Client, accept: str) -> None:
    answer = client.get(HOSTILE, headers={"accept": accept})
    assert (answer.status_code, answer.json()["error"]) == (404, "Not Found")
