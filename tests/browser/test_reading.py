"""Finding one's way about the site: by the keyboard, by search, and with what is remembered."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Route, expect

from tests.browser.visits import PHONE, Visit, Visitors

pytestmark = pytest.mark.slow

MAP: Final = "/liquidations/docs/tools/get_bust_map"
INTEREST: Final = "/analytics/docs/tools/get_open_interest"


@pytest.mark.parametrize("path", ["/liquidations/", MAP])
def test_the_first_key_leads_past_the_navigation(visit: Visitors, path: str) -> None:
    reader = visit(path)
    reader.page.keyboard.press("Tab")
    skip = reader.page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    reader.page.keyboard.press("Enter")
    expect(reader.page.locator("#content")).to_be_focused()


def test_search_opens_by_a_key_finds_a_tool_and_goes_there(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/security")
    reader.page.keyboard.press("Control+k")
    expect(reader.page.get_by_role("combobox", name="Search")).to_be_focused()
    reader.page.keyboard.type("bust map")
    expect(reader.page.get_by_role("option", selected=True)).to_contain_text("Bust map")
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_url(f"**{MAP}")


def test_enter_is_remembered_until_the_search_index_has_come(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/security")
    coming = _open_the_search(reader)
    reader.page.get_by_role("combobox", name="Search").fill("bust map")
    reader.page.keyboard.press("Enter")
    coming[0].continue_()
    reader.page.wait_for_url(f"**{MAP}")


@pytest.mark.parametrize("key", ["Escape", "x"])
def test_enter_is_forgotten_when_the_search_is_left_or_goes_on(visit: Visitors, key: str) -> None:
    reader = visit("/liquidations/docs/security")
    coming = _open_the_search(reader)
    reader.page.get_by_role("combobox", name="Search").fill("bust map")
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press(key)
    with reader.page.expect_response("**/search.json"):
        coming[0].continue_()
    status = reader.page.locator("dialog.search [role=status]")
    expect(status).not_to_have_text("Loading …")
    assert reader.path == "/liquidations/docs/security"


def test_search_says_that_nothing_is_found_and_closes_by_a_key(visit: Visitors) -> None:
    reader = visit(MAP)
    reader.page.keyboard.press("/")
    reader.page.keyboard.type("<img src=x onerror=alert(1)> zzz")
    dialog = reader.page.get_by_role("dialog", name="Search the documentation")
    expect(dialog.get_by_role("status")).to_contain_text("Nothing found")
    reader.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert reader.path == MAP


def test_search_that_was_refused_its_index_asks_again(visit: Visitors) -> None:
    reader = visit(MAP)
    reader.page.route(
        "**/search.json", lambda route: route.fulfill(status=429, json={"error": "no"}), times=1
    )
    reader.page.keyboard.press("/")
    dialog = reader.page.get_by_role("dialog", name="Search the documentation")
    expect(dialog.get_by_role("status")).to_contain_text("could not be loaded")
    reader.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    reader.page.keyboard.press("Control+k")
    expect(dialog.get_by_role("option", selected=True)).to_be_visible()
    reader.forgive("status of 429")


def test_search_finds_pages_of_the_other_server_and_says_so(visit: Visitors) -> None:
    reader = visit("/liquidations/")
    reader.page.keyboard.press("/")
    reader.page.get_by_role("combobox", name="Search").fill("open interest")
    first = reader.page.get_by_role("option", selected=True)
    expect(first).to_contain_text("in Analytics")
    expect(first).to_have_attribute("href", INTEREST)


def test_search_shows_two_hits_of_a_page_at_most_and_whole_words(visit: Visitors) -> None:
    reader = visit(MAP)
    with reader.page.expect_response("**/search.json") as answer:
        reader.page.keyboard.press("/")
    texts = {row["text"] for row in answer.value.json()}
    reader.page.get_by_role("combobox", name="Search").fill("distance")
    options = reader.page.get_by_role("option")
    expect(options.nth(3)).to_be_visible()
    addresses = [str(option.get_attribute("href")).partition("#")[0] for option in options.all()]
    assert max(map(addresses.count, addresses)) <= 2
    words = {word for text in texts for word in text.split()}
    for excerpt in options.locator("small").all_inner_texts():
        assert set(excerpt.split()) <= words | {"…"}


def test_a_question_is_copied_by_its_button(visit: Visitors) -> None:
    reader = visit("/analytics/", has_clipboard=True)
    card = reader.page.locator(".ask > li").first
    question = card.locator("span").inner_text()
    card.get_by_role("button", name="Copy question").click()
    expect(card.get_by_role("button", name="Copied")).to_be_visible()
    assert _clipboard(reader) == question


def test_the_copy_button_of_code_is_seen_before_anything_points_at_it(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/mcp")
    assert reader.page.locator(".block > .copy").first.evaluate("(it) => getComputedStyle(it).opacity") == "1"


def test_on_a_phone_the_copy_button_has_a_line_of_its_own_above_many_lines(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/mcp", width=PHONE)
    block = reader.page.locator(".block:visible:not(.one-line)").first
    button, code = block.locator(".copy").bounding_box(), block.locator("code").bounding_box()
    assert button is not None
    assert code is not None
    assert button["y"] + button["height"] <= code["y"]


def test_the_scheme_that_is_chosen_holds_on_the_next_page(visit: Visitors) -> None:
    reader = visit("/liquidations/", scheme="light")
    light = _background(reader)
    reader.page.get_by_role("button", name="Switch between light and dark").click()
    reader.go("/analytics/docs/concepts")
    dark = _background(reader)
    assert _brightness(dark) < 60 < 200 < _brightness(light)
    reader.page.get_by_role("button", name="Switch between light and dark").click()
    reader.page.reload()
    assert _background(reader) == light


def test_a_tab_that_is_chosen_is_chosen_on_the_next_page_too(visit: Visitors) -> None:
    reader = visit(MAP)
    reader.page.locator(".playground .tabs > label", has_text="Python").click()
    expect(reader.page.locator('[data-form="python"]')).to_be_visible()
    expect(reader.page.locator('[data-form="curl"]')).to_be_hidden()
    reader.go("/analytics/docs/mcp")
    for group in reader.page.locator(".tabs").all():
        expect(group.get_by_label("Python")).to_be_checked()
    reader.go(INTEREST)
    expect(reader.page.locator('[data-form="python"]')).to_be_visible()


def test_code_is_copied_without_its_prompt(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/connect", has_clipboard=True)
    block = reader.page.locator(".block", has_text="claude mcp add ").first
    block.get_by_role("button", name="Copy").click()
    expect(block.get_by_role("button", name="Copied")).to_be_visible()
    assert _clipboard(reader).startswith("claude mcp add --transport http ")
    assert _clipboard(reader).rstrip().endswith(f"{reader.site}/liquidations/mcp")


def test_the_page_is_copied_as_markdown(visit: Visitors) -> None:
    reader = visit(MAP, has_clipboard=True)
    reader.page.get_by_role("button", name="Copy page").click()
    expect(reader.page.get_by_role("button", name="Copied")).to_be_visible()
    assert re.match(r"# .+\n\n", _clipboard(reader))
    assert "## Arguments" in _clipboard(reader)


@pytest.mark.parametrize(("width", "is_shown"), [(390, False), (1440, True)])
def test_on_a_phone_the_answer_over_a_ladder_has_its_line_to_itself(
    visit: Visitors, width: int, is_shown: bool
) -> None:
    beside = visit("/", width=width).page.locator(".pic-big + .pic-more").first
    expect(beside).to_be_visible(visible=is_shown)
    expect(beside).to_contain_text("of $")


def test_a_phone_has_all_pages_behind_one_button(visit: Visitors) -> None:
    reader = visit("/analytics/docs/concepts", width=PHONE)
    pages = reader.page.get_by_role("navigation", name="Pages")
    expect(pages).not_to_be_in_viewport()
    reader.page.get_by_role("link", name="All pages").click()
    pages.get_by_role("link", name="Security and limits").click()
    reader.page.wait_for_url("**/analytics/docs/security")


def _open_the_search(reader: Visit) -> list[Route]:
    """The request for the index of search, made, and held by the next step until it is told to go on."""
    coming: list[Route] = []
    reader.page.route("**/search.json", lambda route: coming.append(route))
    with reader.page.expect_request("**/search.json"):
        reader.page.keyboard.press("/")
    return coming


def _background(reader: Visit) -> str:
    return str(reader.page.evaluate("getComputedStyle(document.body).backgroundColor"))


def _brightness(colour: str) -> int:
    """The least of a colour's red, green and blue, of 255."""
    return min(map(int, re.findall(r"\d+", colour)[:3]))


def _clipboard(reader: Visit) -> str:
    return str(reader.page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("path", ["/liquidations/", MAP])
def test_paper_is_white_and_has_nothing_to_press(visit: Visitors, path: str) -> None:
    reader = visit(path, scheme="dark")
    reader.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    reader.page.emulate_media(media="print")
    body = reader.page.locator("body")
    assert body.evaluate("(body) => getComputedStyle(body).colorScheme") == "light"
    assert body.evaluate("(body) => getComputedStyle(body).backgroundColor") == "rgb(253, 252, 249)"
    for control in reader.page.locator("main :is(button, form, .picture-choices)").all():
        expect(control).to_be_hidden()
