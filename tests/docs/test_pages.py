"""The pages as a reader gets them over HTTP: at every place, in both forms, with all headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from papertrade_site.docs import kept
from papertrade_site.docs.pages import LANDING, Page, pages_of
from tests.clocks import ManualClock
from tests.discovery.places import HOSTS, PLACES, SHARED_HOST, Place
from tests.docs.markup import Element, content_of, elements_of
from tests.docs.reading import links_of

HTML, MARKDOWN = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
BROWSER: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
MOST_BYTES: Final = 150_000

pytestmark = pytest.mark.usefixtures("venue")


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch, same_moment: ManualClock) -> None:
    """Keep pages from one test to the next, as all of these only read them."""
    monkeypatch.setattr(kept, "process_clock", same_moment)


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.SERVER_HOSTS = HOSTS
    settings.ALLOWED_HOSTS = [SHARED_HOST, *HOSTS]
    settings.RATELIMIT_ENABLE = False


every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.base)


def get(client: Client, place: Place, path: str, **headers: str) -> HttpResponse:
    answer = client.get(path, headers={"host": place.host, **headers})
    assert isinstance(answer, HttpResponse)
    return answer


def pages_at(place: Place) -> Iterator[tuple[Page, str]]:
    for page in pages_of(place.server):
        yield page, place.prefix + page.path


def links(answer: HttpResponse) -> dict[str, str]:
    return {match[2]: match[1] for match in re.finditer(r'<([^>]*)>; rel="([^"]*)"', answer["Link"])}


@every_place
def test_every_page_answers_in_both_forms(client: Client, place: Place) -> None:
    for page, path in pages_at(place):
        shown, twin = get(client, place, path), get(client, place, place.prefix + page.twin_path)
        assert (shown.status_code, shown["Content-Type"]) == (200, HTML)
        assert (twin.status_code, twin["Content-Type"]) == (200, MARKDOWN)
        assert twin.content.decode().startswith(f"# {page.title}\n\n> {page.description}\n")


@every_place
def test_a_page_names_itself_its_twin_and_what_machines_read_in_head_and_headers(
    client: Client, place: Place
) -> None:
    for page, path in pages_at(place):
        answer = get(client, place, path)
        head = {
            each["rel"]: each["href"] for each in elements_of(answer.content.decode()) if each.tag == "link"
        }
        named = links(answer)
        assert named["canonical"] == head["canonical"] == place.base + page.path
        assert named["alternate"] == head["alternate"] == place.base + page.twin_path
        assert named["describedby"] == head["describedby"] == f"{place.base}/llms.txt"
        assert named["mcp-server-card"] == f"{place.base}/.well-known/mcp/server-card.json"


@every_place
def test_a_link_to_a_page_is_shown_elsewhere_with_its_title_a_short_sentence_and_a_picture(
    client: Client, place: Place
) -> None:
    for page, path in pages_at(place):
        elements = elements_of(get(client, place, path).content.decode())
        told = {each["property"] or each["name"]: each["content"] for each in elements if each.tag == "meta"}
        assert page.title in told["og:title"], path
        assert told["og:description"] == told["description"]
        assert 40 <= len(told["description"]) <= 160, (path, told["description"])
        assert told["og:url"] == place.base + page.path
        assert (told["og:type"], told["og:site_name"]) == ("website", "Papertrade MCP")
        assert told["twitter:card"] == "summary_large_image"
        assert told["og:image:alt"]
    image = client.get(urlsplit(told["og:image"]).path, headers={"host": place.host})
    assert urlsplit(told["og:image"]).netloc == place.host
    content = content_of(image)
    size = tuple(int.from_bytes(content[at : at + 4]) for at in (16, 20))
    assert (image["Content-Type"], content[:4], size) == ("image/png", b"\x89PNG", (1200, 630))
    assert (told["og:image:width"], told["og:image:height"]) == ("1200", "630")


@every_place
def test_a_page_asks_for_no_file_twice(client: Client, place: Place) -> None:
    for path in [path for _, path in pages_at(place)] + ["/"]:
        elements = elements_of(get(client, place, path).content.decode())
        asked = [address for each in elements if each.tag != "img" for address in loaded(each)]
        assert len(asked) == len(set(asked)), path


@every_place
def test_whoever_would_rather_read_markdown_gets_it_at_the_pages_own_address(
    client: Client, place: Place
) -> None:
    path = f"{place.prefix}/docs/connect"
    for accept, form in [
        ("text/markdown", MARKDOWN),
        ("text/markdown, text/html;q=0.5", MARKDOWN),
        (BROWSER, HTML),
        ("*/*", HTML),
        ("text/html, text/markdown", HTML),
        ("image/png", HTML),
    ]:
        answer = get(client, place, path, accept=accept)
        assert (answer["Content-Type"], answer["Vary"]) == (form, "Accept, Accept-Encoding"), accept


def test_the_landing_page_answers_in_both_forms(client: Client) -> None:
    for path, form in (("/", HTML), (LANDING.twin_path, MARKDOWN)):
        answer = client.get(path, headers={"host": SHARED_HOST})
        assert (answer.status_code, answer["Content-Type"]) == (200, form)
        for server in ("liquidations", "analytics"):
            assert f"http://{SHARED_HOST}/{server}/mcp" in answer.content.decode()


def test_a_servers_own_host_opens_at_its_home(client: Client) -> None:
    answer = get(client, PLACES[2], "/")
    assert links(answer)["canonical"] == "http://analytics.example/"


@every_place
def test_a_reader_that_has_a_page_is_told_so(client: Client, place: Place) -> None:
    path = f"{place.prefix}/docs/security"
    tag = get(client, place, path)["ETag"]
    again = get(client, place, path, **{"if-none-match": tag})
    assert (again.status_code, again.content, again["ETag"], again["Vary"]) == (304, b"", tag, "Accept")


def test_pages_may_be_kept_for_a_minute_and_those_of_the_moment_for_seconds(client: Client) -> None:
    told = {page.slug: get(client, PLACES[1], path)["Cache-Control"] for page, path in pages_at(PLACES[1])}
    assert told["docs/mcp"] == "public, max-age=60"
    assert told["status"] == "public, max-age=5"


@pytest.mark.parametrize("path", ["/", "/index.md", "/analytics/status", "/analytics/status.md"])
def test_what_is_another_each_second_has_no_tag(client: Client, path: str) -> None:
    answer = client.get(path, headers={"host": PLACES[1].host, "if-none-match": "*"})
    assert (answer.status_code, answer.has_header("ETag")) == (200, False)


@every_place
def test_no_page_needs_more_than_its_own_site(client: Client, place: Place) -> None:
    for _, path in pages_at(place):
        answer = get(client, place, path)
        policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert not answer.cookies
        for element in elements_of(answer.content.decode()):
            assert not is_inline(element), element
            for address in loaded(element):
                assert urlsplit(address).netloc in {"", place.host}, element


def is_inline(element: Element) -> bool:
    """Whether an element holds a style or a script of its own, which the policy refuses."""
    names = set(element.attributes)
    is_code = element.tag == "script" and element["type"] != "application/json" and "src" not in names
    return (
        element.tag == "style" or is_code or "style" in names or any(name.startswith("on") for name in names)
    )


def loaded(element: Element) -> list[str]:
    """What a browser fetches for an element by itself."""
    if element.tag in {"img", "script", "iframe", "source"}:
        return [element["src"]]
    return [element["href"]] if element["rel"] in {"stylesheet", "icon"} else []


@every_place
def test_every_link_within_the_site_leads_somewhere(client: Client, place: Place) -> None:
    @cache
    def elements_at(address: str) -> list[Element]:
        path = urlsplit(address)._replace(scheme="", netloc="").geturl()
        answer = client.get(path, headers={"host": place.host})
        content = content_of(answer)
        assert (answer.status_code, bool(content)) == (200, True), address
        return elements_of(content.decode()) if answer["Content-Type"] == HTML else []

    @cache
    def ids_at(address: str) -> set[str]:
        return {each["id"] for each in elements_at(address)}

    for _, path in pages_at(place):
        start = f"http://{place.host}{path}"
        for element in elements_at(start):
            target, anchor = urldefrag(urljoin(start, element["href"] or element["src"]))
            if urlsplit(target).netloc == place.host:
                ids = ids_at(target)
                assert not anchor or anchor in ids, (path, element)


@every_place
def test_every_link_of_a_twin_leads_somewhere(client: Client, place: Place) -> None:
    asked: set[str] = set()
    for page, _ in pages_at(place):
        twin = get(client, place, place.prefix + page.twin_path).content.decode()
        parts = (urlsplit(link) for link in links_of(twin))
        asked |= {
            each._replace(scheme="", netloc="", fragment="").geturl()
            for each in parts
            if each.netloc == place.host
        }
    assert f"{place.prefix}/docs/mcp.md" in asked
    assert [path for path in asked if get(client, place, path).status_code != 200] == []


@every_place
def test_a_page_weighs_little(client: Client, place: Place) -> None:
    for page, path in pages_at(place):
        if page.tool is not None and page.tool.name == "get_history":
            continue  # it has the chart that zooms
        html = get(client, place, path).content
        files = {address for each in elements_of(html.decode()) for address in loaded(each)}
        weight = len(html) + sum(size(client, place, address) for address in files)
        assert weight <= MOST_BYTES, (path, weight)


def size(client: Client, place: Place, address: str) -> int:
    answer = client.get(address, headers={"host": place.host})
    assert answer.status_code == 200, address
    return len(content_of(answer))


@pytest.mark.parametrize("server", ["liquidations", "analytics"])
def test_a_slash_too_many_or_too_few_leads_to_the_page(client: Client, server: str) -> None:
    for asked, found in [
        (f"/{server}", f"/{server}/"),
        (f"/{server}/docs", f"/{server}/docs/mcp"),
        (f"/{server}/docs/", f"/{server}/docs/mcp"),
        (f"/{server}/docs/connect/", f"/{server}/docs/connect"),
        (f"/{server}/status/", f"/{server}/status"),
    ]:
        answer = client.get(asked, headers={"host": SHARED_HOST})
        assert (answer.status_code, answer["Location"]) == (301, found)


def test_a_redirect_keeps_what_is_asked_of_the_page_unless_that_is_too_long(client: Client) -> None:
    asked, found = "/analytics/docs/tools/get_history/", "/analytics/docs/tools/get_history"
    for query, left in [
        ("?metric=tvl&history-interval=1d", "?metric=tvl&history-interval=1d"),
        ("?a=%22%3E%0d%0aX-Evil:%201", "?a=%22%3E%0d%0aX-Evil:%201"),
        ("?a=//evil.example", "?a=//evil.example"),
        ("?", ""),
        ("?a=" + "b" * 2_000, "?a=" + "b" * 2_000),
        ("?a=" + "b" * 20_000, ""),
    ]:
        answer = client.get(asked + query, headers={"host": SHARED_HOST})
        assert (answer.status_code, answer["Location"]) == (301, found + left)


def test_a_redirect_stays_on_a_servers_own_host(client: Client) -> None:
    answer = client.get("/docs", headers={"host": "analytics.example"})
    assert answer["Location"] == "/docs/mcp"


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pages_are_only_read(client: Client, method: str) -> None:
    answer = getattr(client, method)("/liquidations/docs/mcp", headers={"host": SHARED_HOST})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")


def test_simulated_figures_are_never_shown_without_a_word(client: Client, settings: Settings) -> None:
    for place in PLACES:
        for page, path in pages_at(place):
            html = get(client, place, path).content.decode()
            twin = get(client, place, place.prefix + page.twin_path).content.decode()
            assert "<strong>Simulated data.</strong>" in html
            assert "**Simulated data**" in twin


def test_a_page_shows_its_picture_as_the_query_chooses_and_nothing_that_it_does_not_offer(
    client: Client,
) -> None:
    def drawn(query: str) -> str:
        html = client.get(f"/liquidations/{query}", headers={"host": SHARED_HOST}).content.decode()
        (address,) = re.findall(r'data-picture="([^"]*)"', html)
        return str(address).partition("?")[2].replace("&amp;", "&")

    assert drawn("") == drawn("?ladder-market=DOGE&ladder-wallets=1&market=ETH") == "market=BTC"
    assert drawn("?ladder-market=ETH&ladder-cascadePercent=1") == "market=ETH&cascadePercent=1"
    assert drawn("?ladder-cascadePercent=") == "market=BTC"
