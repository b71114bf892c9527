"""What machines read of the site."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from django.test import Client
from pytest_django import Settings

from papertrade_site.docs import kept, machines
from papertrade_site.docs.pages import pages_of
from papertrade_site.servers import SERVERS
from tests.clocks import ManualClock
from tests.discovery.places import HOSTS, PLACES, SHARED_HOST, Place
from tests.docs.reading import PLACE

XML: Final = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
TEXT: Final = "text/plain; charset=utf-8"

pytestmark = pytest.mark.usefixtures("venue")
every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.base)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch, same_moment: ManualClock) -> None:
    """Keep pages from one test to the next, as all of these only read them."""
    monkeypatch.setattr(kept, "process_clock", same_moment)


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.SERVER_HOSTS = HOSTS
    settings.ALLOWED_HOSTS = [SHARED_HOST, *HOSTS]
    settings.RATELIMIT_ENABLE = False


def read(client: Client, host: str, path: str, *, content_type: str = TEXT) -> str:
    answer = client.get(path, headers={"host": host})
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type), path
    return str(answer.content.decode())


def answers(client: Client, address: str) -> bool:
    parts = urlsplit(address)
    return client.get(parts.path, headers={"host": parts.netloc}).status_code == 200


@every_place
def test_llms_txt_has_the_form_that_its_readers_expect(client: Client, place: Place) -> None:
    lines = read(client, place.host, f"{place.prefix}/llms.txt").splitlines()
    assert lines[0] == f"# {place.server.title}"
    assert lines[2] == f"> {place.server.description}"
    titles = [line for line in lines if line.startswith("#")]
    assert titles[1:] == ["## Overview", "## Start", "## Tools", "## Optional"]
    assert f"{place.base}/mcp" in "\n".join(lines)


@every_place
def test_llms_txt_names_every_page_by_its_twin_and_every_address_answers(
    client: Client, place: Place
) -> None:
    named = re.findall(
        r"^- \[[^\]]+\]\(([^)]+)\): .+$", read(client, place.host, f"{place.prefix}/llms.txt"), re.M
    )
    assert {place.base + page.twin_path for page in pages_of(place.server)} < set(named)
    assert [address for address in named if not answers(client, address)] == []


@every_place
def test_llms_full_txt_joins_all_pages_but_those_of_the_moment(client: Client, place: Place) -> None:
    joined = read(client, place.host, f"{place.prefix}/llms-full.txt")
    for page in pages_of(place.server):
        assert (f"Canonical: {place.base}{page.path}\n" in joined) is not page.is_of_the_moment


def test_the_projects_llms_txt_leads_to_those_of_the_servers(client: Client) -> None:
    named = re.findall(r"\]\(([^)]+)\)", read(client, SHARED_HOST, "/llms.txt"))
    assert {f"http://{SHARED_HOST}/{server}/llms.txt" for server in HOSTS.values()} < set(named)
    assert [address for address in named if not answers(client, address)] == []


def test_the_projects_llms_full_txt_joins_both_servers(client: Client) -> None:
    joined = read(client, SHARED_HOST, "/llms-full.txt")
    for server in HOSTS.values():
        assert f"Canonical: http://{SHARED_HOST}/{server}/docs/mcp\n" in joined


@every_place
def test_llms_txt_is_the_same_where_some_readers_look_for_it(client: Client, place: Place) -> None:
    for name in ("llms.txt", "llms-full.txt"):
        found = read(client, place.host, f"{place.prefix}/{name}")
        assert read(client, place.host, f"{place.prefix}/.well-known/{name}") == found


def locations(text: str) -> list[str]:
    return [row.text or "" for row in ElementTree.fromstring(text).iter(f"{XML}loc")]


@every_place
def test_the_sitemap_has_every_page_and_its_day(client: Client, place: Place) -> None:
    text = read(client, place.host, f"{place.prefix}/sitemap.xml", content_type="application/xml")
    assert locations(text) == [place.base + page.path for page in pages_of(place.server)]
    days = [row.text or "" for row in ElementTree.fromstring(text).iter(f"{XML}lastmod")]
    assert len(days) == len(locations(text))
    assert all(datetime.fromisoformat(day).replace(tzinfo=UTC) <= datetime.now(UTC) for day in days)


def test_the_projects_sitemap_has_the_pages_of_both_servers(client: Client) -> None:
    found = locations(read(client, SHARED_HOST, "/sitemap.xml", content_type="application/xml"))
    assert found[0] == f"http://{SHARED_HOST}/"
    for place in PLACES:
        if place.host == SHARED_HOST:
            assert {place.base + page.path for page in pages_of(place.server)} < set(found)
    assert [address for address in found if not answers(client, address)] == []


@pytest.mark.parametrize("host", [SHARED_HOST, *HOSTS])
def test_robots_may_read_everything_and_are_shown_the_sitemap(client: Client, host: str) -> None:
    lines = read(client, host, "/robots.txt").splitlines()
    assert {"User-agent: *", "Allow: /", f"Sitemap: http://{host}/sitemap.xml"} <= set(lines)


@every_place
def test_security_txt_says_whom_to_tell_and_until_when_it_holds(
    client: Client, place: Place, settings: Settings
) -> None:
    settings.REPOSITORY_URL = None
    text = read(client, place.host, f"{place.prefix}/.well-known/security.txt")
    fields = dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert fields["Canonical"] == f"{place.base}/.well-known/security.txt"
    assert answers(client, fields["Contact"])
    left = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=30) < left < timedelta(days=365)


def test_security_txt_names_the_repository_that_is_set(settings: Settings) -> None:
    settings.REPOSITORY_URL = "https://github.com/someone/else"
    text = machines.security(None, PLACE, datetime(2026, 11, 30, 12, tzinfo=UTC))
    assert "Contact: https://github.com/someone/else/security/advisories/new\n" in text
    assert "Expires: 2027-05-29T00:00:00Z\n" in text


@every_place
def test_the_search_index_knows_every_page_and_tool_within_the_site(client: Client, place: Place) -> None:
    answer = client.get(f"{place.prefix}/search.json", headers={"host": place.host})
    rows = answer.json()
    own = [row for row in rows if "server" not in row]
    assert {row["address"] for row in own if not row["heading"]} == {
        place.prefix + page.path for page in pages_of(place.server)
    }
    (other,) = (server for server in SERVERS.values() if server is not place.server)
    elsewhere = {row["address"]: row["server"] for row in rows[len(own) :] if not row["heading"]}
    assert set(elsewhere) == {f"/{other.slug}{page.path}" for page in pages_of(other)}
    assert set(elsewhere.values()) == {other.title.removeprefix("Papertrade ")}
    for tool in place.server.tools:
        assert any(row["title"].startswith(f"{tool.name}: ") for row in rows)
    assert not [row for row in rows if place.host in row["text"] or "://" in row["address"]]


@every_place
def test_icon_and_picture_are_where_readers_guess_them(client: Client, place: Place) -> None:
    for name, kind in (("favicon.svg", "image/svg+xml"), ("og.png", "image/png")):
        answer = client.get(f"{place.prefix}/{name}", headers={"host": place.host})
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
        assert answer["Cache-Control"] == "public, max-age=3600"


def test_the_picture_for_links_has_the_size_that_they_are_shown_in(client: Client) -> None:
    picture = client.get("/og.png", headers={"host": SHARED_HOST}).content
    assert picture.startswith(b"\x89PNG")
    assert [int.from_bytes(picture[at : at + 4], "big") for at in (16, 20)] == [1200, 630]


def test_a_reader_that_has_a_file_is_told_so(client: Client) -> None:
    headers = {"host": SHARED_HOST}
    tag = client.get("/analytics/llms.txt", headers=headers)["ETag"]
    again = client.get("/analytics/llms.txt", headers={**headers, "if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
