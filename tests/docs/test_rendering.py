"""A page in the making: its components, its links and its navigation."""

from __future__ import annotations

import pytest

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.docs.links import page_link
from papertrade_site.docs.navigation import neighbours, sections, server_links
from papertrade_site.docs.pages import LANDING, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form, Rendering
from papertrade_site.docs.text import head_title, markdown_page
from papertrade_site.mcp.server import Server
from tests.docs.reading import PLACE, SERVERS, SITE, page_of, twin_of

OWN_HOST = Place(SITE, (("liquidations", f"{SITE}/liquidations"), ("analytics", SITE)))
every_server = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.slug)


def rendering(form: Form = Form.HTML) -> Rendering:
    return Rendering(form, ANALYTICS, page_of(ANALYTICS, "docs/mcp"), PLACE)


def test_components_stand_where_their_marks_stood_and_within_each_other() -> None:
    page = rendering()
    inner = page.component("<i>in</i>")
    outer = page.component(f"<b>{inner}</b>")
    assert page.completed(f"<p>{outer}</p>{inner}") == "<p><b><i>in</i></b></p><i>in</i>"


def test_a_component_is_put_in_as_it_is() -> None:
    page = rendering()
    mark = page.component("<b>\\1 <!-- x --></b>")
    assert page.completed(mark) == "<b>\\1 <!-- x --></b>"


def test_each_component_has_an_id_of_its_own() -> None:
    page = rendering()
    first = page.new_id("tabs")
    page.component("")
    assert first != page.new_id("tabs")


def test_a_link_is_a_path_for_people_and_the_twins_address_for_readers_of_twins() -> None:
    assert page_link(PLACE, "analytics", "docs/mcp#limits", is_twin=False) == "/analytics/docs/mcp#limits"
    assert page_link(PLACE, "analytics", "docs/mcp#limits", is_twin=True) == (
        f"{SITE}/analytics/docs/mcp.md#limits"
    )
    assert page_link(OWN_HOST, "analytics", "", is_twin=False) == "/"
    assert page_link(OWN_HOST, "analytics", "", is_twin=True) == f"{SITE}/index.md"
    assert page_link(PLACE, None, "", is_twin=False) == "/"


@pytest.mark.parametrize(
    ("server", "slug"), [("analytics", "docs/nothing"), ("nobody", "docs/mcp"), (None, "docs")]
)
def test_a_link_to_a_page_that_does_not_exist_fails(server: str | None, slug: str) -> None:
    with pytest.raises(LookupError):
        page_link(PLACE, server, slug, is_twin=False)


@every_server
def test_every_page_but_the_home_is_in_the_navigation_once(server: Server) -> None:
    here = page_of(server, "docs/concepts")
    links = [link for section in sections(server, here, PLACE) for link in section.links]
    pages = [page for page in pages_of(server) if page.slug]
    assert [link.address for link in links] == [PLACE.path(server.slug, page.path) for page in pages]
    assert [link.address for link in links if link.is_here] == [f"/{server.slug}/docs/concepts"]


@every_server
def test_pages_lead_on_in_the_order_of_the_navigation(server: Server) -> None:
    pages = [page for page in pages_of(server) if page.slug]
    for before, here, after in zip(pages, pages[1:], pages[2:], strict=False):
        found = [link.address if link else "" for link in neighbours(server, here, PLACE)]
        assert found == [PLACE.path(server.slug, before.path), PLACE.path(server.slug, after.path)]
    assert neighbours(server, pages[0], PLACE)[0] is None
    assert neighbours(server, pages[-1], PLACE)[1] is None
    assert neighbours(server, page_of(server, ""), PLACE) == (None, None)


def test_each_server_leads_to_the_other_and_the_landing_page_to_both() -> None:
    assert [link.is_here for link in server_links(LIQUIDATIONS, page_of(LIQUIDATIONS, ""), PLACE)] == [
        True,
        False,
    ]
    assert [link.is_here for link in server_links(None, LANDING, PLACE)] == [False, False]
    assert [link.address for link in server_links(None, LANDING, PLACE)] == ["/liquidations/", "/analytics/"]


@pytest.mark.parametrize(
    ("slug", "other"), [("docs/connect", "/docs/connect"), ("docs/tools/get_bust_map", "/")]
)
def test_the_other_server_is_reached_at_the_same_page_where_it_has_that(slug: str, other: str) -> None:
    links = server_links(LIQUIDATIONS, page_of(LIQUIDATIONS, slug), PLACE)
    assert [link.address for link in links] == [f"/liquidations/{slug}", f"/analytics{other}"]


def test_a_tab_of_the_browser_names_the_page_before_the_server() -> None:
    assert head_title(ANALYTICS, page_of(ANALYTICS, "docs/mcp")) == "MCP server · Papertrade Analytics"
    assert head_title(ANALYTICS, page_of(ANALYTICS, "")) == "Papertrade Analytics"
    tool = page_of(ANALYTICS, "docs/tools/get_history")
    assert head_title(ANALYTICS, tool) == "get_history: Protocol history series · Papertrade Analytics"
    assert head_title(None, LANDING).endswith(" · Papertrade MCP")


@every_server
def test_a_page_describes_itself_in_a_sentence_that_search_engines_show_whole(server: Server) -> None:
    for page in pages_of(server):
        assert page.description.endswith(".")
        assert len(page.description) <= 110


@pytest.mark.usefixtures("venue")
@every_server
def test_a_twin_has_no_gaps_but_within_code(server: Server) -> None:
    for page in pages_of(server):
        outside = markdown_page(server, page, PLACE).split("```")[::2]
        assert not [part for part in outside if "\n\n\n" in part], page.slug


@pytest.mark.usefixtures("venue")
def test_a_twin_keeps_the_empty_lines_of_code() -> None:
    assert "\n\n\nasync def main():\n" in twin_of(ANALYTICS, "docs/mcp")
