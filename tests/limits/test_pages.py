"""The limit of what is read with GET."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network

import pytest
import time_machine
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from papertrade_site.limits import pages
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.ops import health
from papertrade_site.patience import seconds_left
from tests.policies import InForce

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
BROWSER = "text/html,*/*;q=0.8"
pytestmark = pytest.mark.usefixtures("no_valkey", "wall")
READ = ["/analytics/docs/mcp", "/analytics/llms.txt", "/analytics/.well-known/mcp/server-card.json"]


@pytest.fixture
def two_pages(in_force: InForce, no_valkey: None, wall: time_machine.Traveller) -> None:
    in_force.set(pages_per_minute=2)


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
@pytest.mark.parametrize("path", ["/analytics/pictures/skew.svg", READ[1], READ[2]])
def test_a_browser_is_told_so_in_json_where_there_are_no_pages(client: Client, path: str) -> None:
    for _ in range(3):
        client.get(READ[0])
    refused = client.get(path, headers={"accept": BROWSER})
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/json")


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


BLOCKED = NetworkRule(network=ip_network("127.0.0.1/32"), is_blocked=True, reason="<b>Floods</b>")


@pytest.mark.parametrize("path", READ)
def test_a_network_that_is_blocked_everywhere_reads_nothing_and_is_told_why(
    client: Client, in_force: InForce, path: str
) -> None:
    in_force.set(networks=Networks((BLOCKED,)))
    refused = client.get(path)
    assert refused.status_code == 403
    assert refused["Cache-Control"] == "no-store"
    assert refused.json()["message"].startswith("This network is blocked: <b>Floods</b>. Nothing")


def test_a_blocked_browser_is_told_so_on_a_page_that_is_made_of_text(
    client: Client, in_force: InForce
) -> None:
    in_force.set(networks=Networks((BLOCKED,)))
    page = client.get(READ[0], headers={"accept": BROWSER})
    assert (page.status_code, page["Content-Type"]) == (403, "text/html; charset=utf-8")
    assert "blocked: &lt;b&gt;Floods&lt;/b&gt;. Nothing" in page.content.decode()


def test_a_network_that_one_server_blocks_may_read(client: Client, in_force: InForce) -> None:
    in_force.set(networks=Networks((replace(BLOCKED, server="analytics"),)))
    assert client.get(READ[1]).status_code == 200
    assert client.post("/analytics/mcp", PING, content_type="application/json").status_code == 403


def test_the_allowance_is_generous() -> None:
    assert policy().pages_per_minute == 600


def test_nobody_is_limited_while_the_limiter_is_off(client: Client, settings: Settings) -> None:
    settings.RATELIMIT_ENABLE = False
    assert client.get(READ[1]).status_code == 200


def test_all_that_a_page_reads_of_sources_shares_a_few_seconds() -> None:
    @pages.reading
    def view(_: HttpRequest) -> HttpResponse:
        return HttpResponse(str(seconds_left(12)))

    left = float(view(RequestFactory().get("/")).getvalue())
    assert 0 < left <= pages.READING_S < seconds_left(12)


@pytest.mark.usefixtures("two_pages")
@pytest.mark.parametrize("method", ["get", "head"])
def test_what_an_endpoint_tells_of_itself_counts_as_a_page(client: Client, method: str) -> None:
    statuses = [getattr(client, method)("/analytics/mcp").status_code for _ in range(2)]
    refused = client.get("/analytics/mcp")
    assert [*statuses, refused.status_code] == [200, 200, 429]
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["Cache-Control"] == "no-store"
    assert "2 a minute are allowed" in refused.json()["error"]["message"]
    assert client.post("/analytics/mcp", PING, content_type="application/json").status_code == 200


@pytest.mark.usefixtures("two_pages")
def test_strangers_may_ask_for_readiness_as_often_as_for_pages_and_insiders_without_end(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "current_sources", list)
    for _ in range(3):
        client.get("/analytics/mcp", REMOTE_ADDR="203.0.113.7")  # pages, which are counted apart

    def statuses(address: str) -> list[int]:
        return [client.get("/readyz", REMOTE_ADDR=address).status_code for _ in range(3)]

    assert statuses("203.0.113.7") == [200, 200, 429]
    assert 429 not in statuses("127.0.0.1")
