"""Each page on a phone and on a desk; each type of page light and dark, and for everybody."""

from __future__ import annotations

from typing import Final

import pytest

from papertrade_site.docs.pages import Page, pages_of
from papertrade_site.mcp.server import Server
from papertrade_site.servers import SERVERS
from tests.browser.barriers import barriers, resize
from tests.browser.visits import DESK, PHONE, Visitors

pytestmark = pytest.mark.slow

NARROW: Final = 320
LAPTOP: Final = 1280
MOST_BYTES: Final = 150_000
LANDING: Final = "/"
HISTORY: Final = "/analytics/docs/tools/get_history"
"""The page with the history chart, which it may weigh more by."""
NOWHERE: Final = "/analytics/nothing"
OVERFLOW: Final = "document.documentElement.scrollWidth - innerWidth"
WEIGHT: Final = """() => ["navigation", "resource"]
  .flatMap((type) => performance.getEntriesByType(type))
  .filter(({ name }) => !/uPlot|\\/history\\b/.test(new URL(name).pathname))
  .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)"""
CUT: Final = """(tables) => [...document.querySelectorAll(tables)]
  .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText.slice(0, 60))"""
"""Tables of which a part is off-screen."""

TABLES_OF_WORDS: Final = ".stacking .table, .sources"

BLOCKS: Final = 'document.querySelectorAll("main :is(pre, .table, .endpoint code)").length'
WRONG_STOPS: Final = """() => [...document.querySelectorAll("main :is(pre, .table, .endpoint code)")]
  .filter((each) => (each.tabIndex === 0)
    !== (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight))
  .map((each) => each.outerHTML.slice(0, 100))"""


def _is_of_a_type_of_its_own(page: Page, server: Server) -> bool:
    return page.tool is None or page.tool is server.tools[0]


PATHS: Final = {
    slug: [f"/{slug}{page.path}" for page in pages_of(server)] for slug, server in SERVERS.items()
}
TYPES: Final = [
    LANDING,
    HISTORY,
    *(
        f"/{slug}{page.path}"
        for slug, server in SERVERS.items()
        for page in pages_of(server)
        if _is_of_a_type_of_its_own(page, server)
    ),
]


@pytest.mark.parametrize("path", TYPES)
def test_a_page_keeps_nobody_from_reading_it(visit: Visitors, axe: str, path: str) -> None:
    assert barriers(visit(path, is_still=True).page, axe) == []


def test_the_page_for_a_wrong_address_keeps_nobody_from_reading_it(visit: Visitors, axe: str) -> None:
    reader = visit(NOWHERE, is_still=True)
    reader.forgive("status of 404")
    assert barriers(reader.page, axe) == []


@pytest.mark.parametrize("slug", SERVERS)
def test_every_page_is_small_fits_the_window_and_cuts_no_table_of_words(visit: Visitors, slug: str) -> None:
    reader = visit(scheme="dark")
    for path in [LANDING, *PATHS[slug]]:
        reader.go(path)
        assert reader.page.evaluate(WEIGHT) <= MOST_BYTES, path
        for width in (NARROW, PHONE, LAPTOP, DESK):
            resize(reader.page, width)
            assert reader.page.evaluate(OVERFLOW) == 0, (path, width)
            assert width == NARROW or reader.page.evaluate(CUT, TABLES_OF_WORDS) == [], (path, width)


@pytest.mark.parametrize("path", ["/liquidations/docs/security", "/analytics/status"])
def test_a_phone_shows_limits_and_lifetimes_whole(visit: Visitors, path: str) -> None:
    reader = visit(path, width=PHONE)
    assert reader.page.evaluate(CUT, ".table") == []


@pytest.mark.parametrize("path", ["/", "/analytics/docs/mcp", "/liquidations/docs/tools/get_bust_map"])
def test_the_keyboard_stops_at_the_blocks_that_scroll_and_at_no_others(visit: Visitors, path: str) -> None:
    reader = visit(path, is_still=True)
    for width in (PHONE, DESK):
        resize(reader.page, width)
        reader.page.wait_for_function(f"() => !({WRONG_STOPS})().length")
        assert reader.page.evaluate(WRONG_STOPS) == []
    assert reader.page.evaluate(BLOCKS) > 0
