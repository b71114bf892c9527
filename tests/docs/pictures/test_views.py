"""The addresses of pictures."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from xml.etree import ElementTree

import pytest
from django.test import Client
from pytest_django import Settings

from mcp_liquidations.tools.get_bust_map import TOOL
from papertrade_site.limits.in_force import limits_for
from tests.docs.pictures.gallery import DRAWABLE
from tests.filled_venue import FilledVenue
from tests.policies import InForce

LADDER = "/liquidations/pictures/ladder"
SERVERS = {"ladder": "liquidations"}


def address(name: str, ending: str = "svg") -> str:
    return f"/{SERVERS.get(name, 'analytics')}/pictures/{name}.{ending}"


@pytest.mark.parametrize(("name", "query"), DRAWABLE)
def test_every_picture_has_an_address_for_people_and_one_for_programs(
    venue: FilledVenue, client: Client, name: str, query: dict[str, str]
) -> None:
    svg, data = (client.get(address(name, ending), query) for ending in ("svg", "json"))
    assert (svg.status_code, svg["Content-Type"]) == (200, "image/svg+xml")
    assert ElementTree.fromstring(svg.content).attrib["viewBox"]
    assert (data.status_code, data["Content-Type"]) == (200, "application/json")
    assert ElementTree.fromstring(json.loads(data.content)["svg"]).attrib["width"] == "100%"


def test_the_data_are_the_very_results_of_the_tools(venue: FilledVenue, client: Client) -> None:
    body = client.get(f"{LADDER}.json", {"market": "BTC", "cascadePercent": "1"}).json()
    wanted = venue.call(TOOL, {"market": "BTC", "cascadePercent": 1, "maxBuckets": 200})
    assert body["results"]["get_bust_map"] == wanted
    assert set(body["results"]) == {"get_bust_map", "get_bust_cluster_summary"}
    assert body["arguments"] == {"market": "BTC", "cascadePercent": "1"}
    assert body["drawnAt"] == "2026-11-30T12:00:00Z"


class TestCaching:
    @pytest.mark.parametrize("ending", ["svg", "json"])
    def test_a_picture_may_be_kept_for_seconds_and_is_not_sent_twice(
        self, venue: FilledVenue, client: Client, ending: str
    ) -> None:
        first = client.get(f"{LADDER}.{ending}", {"market": "BTC"})
        assert re.fullmatch(r"public, max-age=[1-9]", first["Cache-Control"])
        again = client.get(f"{LADDER}.{ending}", {"market": "BTC"}, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")

    def test_an_older_picture_is_another_one(self, venue: FilledVenue, client: Client) -> None:
        first = client.get(f"{LADDER}.svg", {"market": "BTC"})
        venue.clock.advance(1_000)
        later = client.get(f"{LADDER}.svg", {"market": "BTC"}, headers={"if-none-match": first["ETag"]})
        assert later.status_code == 200

    @pytest.mark.parametrize("ending", ["svg", "json"])
    def test_trouble_is_not_kept(self, venue: FilledVenue, client: Client, ending: str) -> None:
        refused = client.get(f"{LADDER}.{ending}", {"market": "DOGE"})
        venue.fail("exchange.trading")
        failed = client.get(f"{LADDER}.{ending}", {"market": "BTC"})
        assert (refused.status_code, failed.status_code) == (400, 503)
        for answer in (refused, failed):
            assert answer["Cache-Control"] == "no-store"
            assert "ETag" not in answer


class TestTrouble:
    def test_programs_are_told_what_is_wrong_and_pages_get_the_picture_of_it(
        self, venue: FilledVenue, client: Client
    ) -> None:
        body = client.get(f"{LADDER}.json", {"market": "DOGE"}).json()
        assert body["error"] == "Bad Request"
        assert body["message"] == (
            'This picture cannot be drawn: market is "DOGE": it must be one of BTC, ETH.'
        )
        assert "results" not in body
        assert "No such picture" in body["svg"]

    @pytest.mark.parametrize(
        "path",
        [
            "/liquidations/pictures/nothing.svg",
            "/liquidations/pictures/skew.svg",
            "/analytics/pictures/ladder.json",
            "/analytics/pictures/ladder.png",
            "/pictures/ladder.svg",
        ],
    )
    def test_where_there_is_no_picture_there_is_nothing(self, client: Client, path: str) -> None:
        assert client.get(path).status_code == 404

    @pytest.mark.parametrize("method", ["post", "put", "delete"])
    def test_a_picture_can_only_be_read(self, client: Client, method: str) -> None:
        answer = getattr(client, method)(f"{LADDER}.svg")
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")


class TestOtherSites:
    def test_any_site_may_show_and_read_it(self, venue: FilledVenue, client: Client) -> None:
        answer = client.get(f"{LADDER}.svg", {"market": "BTC"}, headers={"origin": "https://example.org"})
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert answer["X-Content-Type-Options"] == "nosniff"

    def test_opened_alone_it_may_use_its_own_style_and_nothing_else(
        self, venue: FilledVenue, client: Client
    ) -> None:
        answer = client.get(f"{LADDER}.svg", {"market": "BTC"})
        (style,) = re.findall(rb"<style>(.*?)</style>", answer.content, re.DOTALL)
        digest = b64encode(sha256(style).digest()).decode()
        assert answer["Content-Security-Policy"] == (
            f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors *; sandbox"
        )

    def test_trouble_opened_alone_may_do_no_more(self, venue: FilledVenue, client: Client) -> None:
        answer = client.get(f"{LADDER}.svg", {"market": "DOGE"})
        assert answer["Content-Security-Policy"].endswith("; sandbox")

    def test_no_cookie_is_set(self, venue: FilledVenue, client: Client) -> None:
        assert not client.get(f"{LADDER}.svg", {"market": "BTC"}).cookies

    def test_it_answers_at_the_root_of_its_servers_own_host(
        self, venue: FilledVenue, client: Client, settings: Settings
    ) -> None:
        settings.SERVER_HOSTS = {"busts.example.org": "liquidations"}
        settings.ALLOWED_HOSTS = ["busts.example.org"]
        body = client.get(
            "/pictures/ladder.json", {"market": "BTC"}, headers={"host": "busts.example.org"}
        ).json()
        assert 'data-address="/pictures/ladder.svg?market=BTC&amp;cascadePercent=1"' in body["choices"]


class TestLimit:
    def test_pictures_take_nothing_from_the_allowance_of_an_ai_client(
        self, venue: FilledVenue, client: Client
    ) -> None:
        for _ in range(limits_for("liquidations").requests_per_minute + 1):
            assert client.get(f"{LADDER}.svg", {"market": "DOGE"}).status_code == 400
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert client.post("/liquidations/mcp", ping, content_type="application/json").status_code == 200

    def test_who_reads_too_many_is_told_when_to_come_back(
        self, venue: FilledVenue, client: Client, in_force: InForce
    ) -> None:
        in_force.set(pages_per_minute=1)
        assert client.get(f"{LADDER}.svg", {"market": "BTC"}).status_code == 200
        refused = client.get(f"{LADDER}.json", {"market": "BTC"}, headers={"accept": "application/json"})
        assert refused.status_code == 429
        assert int(refused["Retry-After"]) >= 1
