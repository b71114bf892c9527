"""The site for whoever has scripts switched off."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import expect

from papertrade_site.docs.pages import pages_of
from papertrade_site.servers import SERVERS
from tests.browser.visits import Visitors

pytestmark = pytest.mark.slow

PATHS: Final = [
    "/",
    *(f"/{slug}{page.path}" for slug, server in SERVERS.items() for page in pages_of(server)),
]


def test_every_page_shows_its_content_and_no_control_that_would_do_nothing(visit: Visitors) -> None:
    reader = visit(has_scripts=False)
    for path in PATHS:
        reader.go(path)
        expect(reader.page.locator("h1")).to_be_visible()
        assert len(reader.page.locator(".prose").inner_text()) > 200, path
        assert reader.page.locator("button:visible").count() == 0, path


def test_pictures_are_drawn(visit: Visitors) -> None:
    reader = visit(has_scripts=False)
    for path in ("/liquidations/", "/analytics/", "/analytics/docs/tools/get_history"):
        reader.go(path)
        for drawing in reader.page.locator(".picture svg.pic").all():
            expect(drawing).to_be_visible()
            assert drawing.locator("rect, path, polyline").count() > 2, path


def test_choices_lead_to_the_same_page_with_the_picture_that_was_chosen(visit: Visitors) -> None:
    reader = visit("/liquidations/", has_scripts=False)
    for name in ("1 %", "ETH"):
        choice = reader.page.locator(".picture-choices").get_by_role("link", name=name, exact=True)
        choice.click()
        expect(choice).to_have_attribute("aria-current", "true")
    assert reader.path == "/liquidations/"
    expect(reader.page.locator(".picture").first).to_be_in_viewport()
    drawing = reader.page.locator(".picture-drawing")
    expect(drawing).to_contain_text("ETH bust ladder")
    expect(drawing).to_contain_text("+1 % busts")


def test_links_lead_from_the_landing_page_to_a_tool(visit: Visitors) -> None:
    reader = visit("/", has_scripts=False)
    reader.page.get_by_role("navigation", name="Servers").get_by_role("link").first.click()
    reader.page.locator('.prose a[href$="/docs/tools/get_bust_map"]').first.click()
    reader.page.wait_for_url("**/liquidations/docs/tools/get_bust_map")


def test_tabs_change_by_the_keyboard(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/mcp", has_scripts=False)
    group = reader.page.locator(".tabs").first
    blocks = group.locator(".block")
    expect(blocks.nth(0)).to_be_visible()
    group.get_by_role("radio").first.focus()
    reader.page.keyboard.press("ArrowRight")
    expect(blocks.nth(0)).to_be_hidden()
    expect(blocks.nth(1)).to_be_visible()


def test_a_tool_can_be_called_by_a_command_instead(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/tools/get_bust_map", has_scripts=False)
    expect(reader.page.locator(".playground")).to_be_hidden()
    expect(reader.page.locator("noscript .block")).to_contain_text("curl")


def test_instructions_for_every_client_stand_open(visit: Visitors) -> None:
    reader = visit("/analytics/docs/connect", has_scripts=False)
    for client in reader.page.locator("[data-chooser] a").all():
        expect(reader.page.locator(str(client.get_attribute("href")))).to_be_visible()
