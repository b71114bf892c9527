"""The limit of what is read with GET."""

from __future__ import annotations

import pytest
import time_machine
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from papertrade_site.limits import pages
from papertrade_site.limits.charge import Charge
from papertrade_site.limits.counter import count_request
from papertrade_site.limits.policy import PAGES_PER_MINUTE, limits_for
from papertrade_site.patience import seconds_left

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
BROWSER = "text/html,*/*;q=0.8"
pytestmark = pytest.mark.usefixtures("no_valkey", "wall")
READ = ["/analytics/docs/mcp", "/analytics/llms.txt", "/analytics/.well-known/mcp/server-card.json"]


@pytest.fixture
def two_pages(no_valkey: None, wall: time_machine.Traveller) -> None:
    """Let the client have read all but two of the pages that it may read in a window."""
    read = Charge(PAGES_PER_MINUTE - 2, PAGES_PER_MINUTE)
    count_request(RequestFactory().get("/"), group=pages.GROUP, charge=read)


@pytest.mark.usefixtures("two_pages")
@pytest.mark.parametrize("path", READ)
def test_a_client_that_reads_too_much_is_told_when_to_come_back(client: Client, path: str) -> None:
    statuses = [client.get(path).status_code for _ in range(3)]
    refused = client.get(path)
    assert statuses == [200, 200, 429]
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["Cache-Control"] == "no-store"
    assert refused.json()["error"] == "Too Many Requests"


@pytest.mark.usefixtures("two_pages")
def test_a_browser_is_told_so_on_a_page(client: Client) -> None:
    for _ in range(3):
        refused = client.get(READ[0], headers={"accept": BROWSER})
    assert (refused.status_code, refused["Content-Type"]) == (429, "text/html; charset=utf-8")
    assert f"Try again in {refused['Retry-After']} s" in refused.content.decode()
    assert refused["Content-Security-Policy"].startswith("default-src 'none'")
    assert refused["Cache-Control"] == "no-store"


@pytest.mark.usefixtures("two_pages")
def test_readers_and_callers_of_tools_have_allowances_of_their_own(client: Client) -> None:
    def call() -> int:
        return client.post("/analytics/mcp", PING, content_type="application/json").status_code

    assert {call() for _ in range(limits_for("analytics").requests_per_minute)} == {200}
    assert client.get(READ[0]).status_code == 200
    assert call() == 429
    assert [client.get(READ[0]).status_code for _ in range(2)] == [200, 429]


@pytest.mark.usefixtures("two_pages")
def test_asking_what_may_be_done_counts_for_nothing(client: Client) -> None:
    assert {client.options(READ[0]).status_code for _ in range(4)} == {204}
    assert client.get(READ[0]).status_code == 200


def test_the_allowance_is_generous() -> None:
    assert PAGES_PER_MINUTE == 600


def test_nobody_is_limited_while_the_limiter_is_off(client: Client, settings: Settings) -> None:
    settings.RATELIMIT_ENABLE = False
    assert client.get(READ[1]).status_code == 200


def test_all_that_a_page_reads_of_sources_shares_a_few_seconds() -> None:
    @pages.reading
    def view(_: HttpRequest) -> HttpResponse:
        return HttpResponse(str(seconds_left(12)))

    left = float(view(RequestFactory().get("/")).getvalue())
    assert 0 < left <= pages.READING_S < seconds_left(12)
