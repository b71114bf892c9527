"""Pages tell what an operator has set, at once."""

from __future__ import annotations

import pytest
from django.test import Client

from papertrade_site.upstream.resource import Lifetime
from tests.policies import InForce

pytestmark = pytest.mark.usefixtures("venue")
HOMES = ["/analytics/", "/liquidations/"]
HISTORY = "/analytics/docs/tools/get_history"
TRADERS = "/analytics/docs/tools/get_top_traders"
REASON = "Being mended until noon; use get_protocol_snapshot *instead*."


def read(client: Client, path: str) -> str:
    """A page's Markdown twin."""
    answer = client.get(path, headers={"accept": "text/markdown"})
    assert answer.status_code == 200
    return str(answer.content, "utf-8")


def shown(client: Client, path: str) -> str:
    """The page itself."""
    return str(client.get(path, headers={"accept": "text/html"}).content, "utf-8")


@pytest.mark.parametrize("page", ["docs/mcp", "docs/security"])
def test_a_kept_page_follows_a_changed_limit(client: Client, in_force: InForce, page: str) -> None:
    assert "| Messages of one client | 60 in 60 s |" in read(client, f"/analytics/{page}")
    in_force.server("analytics", requests_per_minute=7, batch_messages=3, body_bytes=2048)
    text = read(client, f"/analytics/{page}")
    assert "| Messages of one client | 7 in 60 s |" in text
    assert "| Messages in a batch, each of which counts | 3 |" in text
    assert "| Size of a body | 2,048 bytes |" in text
    assert "| Messages of one client | 30 in 60 s |" in read(client, f"/liquidations/{page}")


def test_limits_that_an_operator_adds_are_told(client: Client, in_force: InForce) -> None:
    page = "/analytics/docs/mcp"
    assert "one client at once" not in read(client, page)
    assert "all clients" not in read(client, page)
    in_force.server("analytics", burst_requests=20, all_clients_per_minute=900)
    assert "| Messages of one client at once | 20 in 10 s |" in read(client, page)
    assert "| Messages of all clients together | 900 in 60 s |" in read(client, page)


def test_a_changed_limit_of_pages_is_told(client: Client, in_force: InForce) -> None:
    in_force.set(pages_per_minute=700)
    assert "| 700 in 60 s, counted apart |" in read(client, "/analytics/docs/security")


def test_changed_upstream_requests_are_told(client: Client, in_force: InForce) -> None:
    in_force.server("liquidations", call_requests=3, book_call_requests=20)
    reference = read(client, "/liquidations/docs/mcp")
    assert "`get_bust_map` 20, `get_closest_to_bust` 21" in reference
    assert "`get_wallet_distance_to_bust` 3" in reference
    assert "at most 21 upstream requests" in read(client, "/liquidations/docs/security")


def test_changed_lifetimes_of_copies_are_told(client: Client, in_force: InForce) -> None:
    in_force.set(lifetimes={"exchange.trading": Lifetime(fresh_s=11, stale_s=222)})
    assert "| **exchange.trading** | 11 s | 222 s |" in read(client, "/analytics/status")
    assert "| `exchange.trading` | 11 s | 222 s |" in read(client, "/analytics/docs/tools/get_market_stats")


@pytest.mark.parametrize("tool", ["get_bust_map", "get_closest_to_bust", "get_bust_cluster_summary"])
def test_pages_tell_how_many_wallets_are_read_by_default(
    client: Client, in_force: InForce, tool: str
) -> None:
    page = f"/liquidations/docs/tools/{tool}"
    assert "Without `wallets`, the 44 largest are read" in read(client, page)
    in_force.server("liquidations", wallets_default=20)
    assert "Without `wallets`, the 20 largest are read" in read(client, page)
    assert "44, and 20 when a call names no number" in read(client, "/liquidations/docs/concepts")


@pytest.mark.parametrize("path", [*HOMES, HISTORY])
def test_nothing_is_said_of_switches_while_all_is_on(client: Client, path: str) -> None:
    assert "switched off" not in read(client, path)


class TestOff:
    def test_a_tool_that_is_off_says_so_on_its_page_and_on_the_home_page(
        self, client: Client, in_force: InForce
    ) -> None:
        in_force.set(switched_off={("analytics", "get_history"): REASON})
        assert "**This tool is switched off now.** Being mended until noon" in read(client, HISTORY)
        home = read(client, "/analytics/")
        assert "**Some tools are switched off now:** [get_history](" in home
        assert "Being mended until noon" in home
        for other in (TRADERS, "/liquidations/"):
            assert "switched off" not in read(client, other)

    def test_a_server_that_is_off_says_so_on_its_home_page_and_on_every_tool(
        self, client: Client, in_force: InForce
    ) -> None:
        in_force.server("analytics", is_on=False, off_message=REASON)
        for page in ("/analytics/", HISTORY, TRADERS):
            assert "**This server is switched off now.** Being mended until noon" in read(client, page)
        assert "switched off" not in read(client, "/liquidations/")

    def test_the_landing_page_tells_of_a_server_that_is_off_beside_its_name(
        self, client: Client, in_force: InForce
    ) -> None:
        assert "switched off" not in read(client, "/").lower()
        assert "switched off" not in shown(client, "/").lower()
        in_force.server("analytics", is_on=False, off_message="Back <b>soon</b>")
        liquidations, _, analytics = read(client, "/").partition("## Papertrade Analytics")
        assert "switched off" not in liquidations
        assert "**This server is switched off now.** Back " in analytics
        assert "<strong>Switched off now:</strong> Back &lt;b&gt;soon&lt;/b&gt;" in shown(client, "/")

    def test_the_operators_words_are_words_and_no_markup(self, client: Client, in_force: InForce) -> None:
        hostile = "<script>alert(1)</script> [click](https://evil.example) | **bold**"
        in_force.set(switched_off={("analytics", "get_history"): hostile})
        for page in (HISTORY, "/analytics/"):
            html = shown(client, page)
            assert "&lt;script&gt;alert(1)&lt;/script&gt; [click](https://evil.example) | **bold**" in html
            assert "<script>alert" not in html

    def test_pages_go_back_when_it_is_on_again(self, client: Client, in_force: InForce) -> None:
        in_force.set(switched_off={("analytics", "get_history"): REASON})
        assert "switched off" in read(client, HISTORY)
        in_force.set(switched_off={})
        assert "switched off" not in read(client, HISTORY)
