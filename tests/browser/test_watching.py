"""Live pictures: they refresh by themselves, answer to the pointer, and zoom."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.visits import Visit, Visitors

pytestmark = pytest.mark.slow

LADDER: Final = "GET /liquidations/pictures/ladder.json"
HISTORY: Final = "/analytics/docs/tools/get_history"
LONGER_THAN_BETWEEN_TWO_MS: Final = 11_000
PART_TOLD_OF: Final = """() => {
  const told = document.querySelector(".pic-told");
  return (told.localName === "g" ? told.children[0] : told).getBoundingClientRect().toJSON();
}"""
"""Where the figure that is told stands; of a group its first part, as a group is where its parts are."""

HIDE: Final = "(is) => Object.defineProperty(document, 'hidden', { value: is, configurable: true })"


@pytest.fixture
def watcher(visit: Visitors) -> Visit:
    """A reader with the bust ladder in sight, whose clock the test moves."""
    reader = visit()
    reader.page.clock.install()
    reader.go("/liquidations/")
    reader.page.locator(".picture").scroll_into_view_if_needed()
    expect(reader.page.locator(".picture")).to_be_in_viewport()
    return reader


def test_a_picture_refreshes_without_a_call_of_a_tool(watcher: Visit) -> None:
    for times in (1, 2):
        _see_refresh(watcher)
        assert watcher.asked.count(LADDER) == times
    assert [each for each in watcher.asked if each.startswith("POST") or each.endswith("/mcp")] == []
    expect(watcher.page.locator(".picture svg.pic")).to_be_visible()
    expect(watcher.page.locator(".picture-state")).to_be_empty()


def test_a_picture_rests_while_nobody_sees_it(watcher: Visit) -> None:
    watcher.page.evaluate(HIDE, True)
    watcher.page.clock.fast_forward(6 * LONGER_THAN_BETWEEN_TWO_MS)
    watcher.page.evaluate(HIDE, False)
    _see_refresh(watcher)
    assert watcher.asked.count(LADDER) == 1


def test_a_picture_rests_while_it_is_paused(watcher: Visit) -> None:
    watcher.page.get_by_role("button", name="Pause updates").click()
    watcher.page.clock.fast_forward(6 * LONGER_THAN_BETWEEN_TWO_MS)
    watcher.page.get_by_role("button", name="Resume updates").click()
    _see_refresh(watcher)
    assert watcher.asked.count(LADDER) == 1


def test_a_reader_who_would_have_nothing_move_starts_with_it_paused(visit: Visitors) -> None:
    reader = visit("/liquidations/", is_still=True)
    expect(reader.page.get_by_role("button", name="Resume updates")).to_be_visible()


def test_a_choice_is_drawn_within_the_page(watcher: Visit) -> None:
    for name in ("ETH", "1 %"):
        choice = watcher.page.locator(".picture-choices").get_by_role("link", name=name, exact=True)
        choice.click()
        expect(choice).to_have_attribute("aria-current", "true")
        expect(choice).to_be_focused()
    assert watcher.path == "/liquidations/"
    assert watcher.page.url.endswith("/liquidations/?ladder-market=ETH&ladder-cascadePercent=1")
    with watcher.page.expect_response("**/ladder.json?market=ETH&cascadePercent=1"):
        watcher.page.clock.fast_forward(LONGER_THAN_BETWEEN_TWO_MS)


def test_a_choice_made_while_another_is_on_its_way_is_added_to_it(watcher: Visit) -> None:
    _hold_first(watcher)
    choices = watcher.page.locator(".picture-choices")
    for name in ("ETH", "1 %"):
        with watcher.page.expect_request("**/pictures/ladder.json*") as sent:
            choices.get_by_role("link", name=name, exact=True).click()
    assert sent.value.url.endswith("/ladder.json?market=ETH&cascadePercent=1")
    for name in ("ETH", "1 %"):
        expect(choices.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "true")


def test_a_choice_that_is_slow_is_not_given_up_for_a_refresh(watcher: Visit) -> None:
    _hold_first(watcher)
    choice = watcher.page.locator(".picture-choices").get_by_role("link", name="ETH", exact=True)
    with watcher.page.expect_request("**/pictures/ladder.json*"):
        choice.click()
    with watcher.page.expect_request("**/pictures/ladder.json*") as sent:
        watcher.page.clock.fast_forward(LONGER_THAN_BETWEEN_TWO_MS)
    assert "market=ETH" in sent.value.url
    expect(choice).to_have_attribute("aria-current", "true")


def test_what_a_proxy_in_front_answers_is_told_as_what_it_is(watcher: Visit) -> None:
    page = "<html><h1>502 Bad Gateway</h1></html>"
    watcher.page.route(
        "**/pictures/ladder.json*",
        lambda route: route.fulfill(status=502, content_type="text/html", body=page),
    )
    with watcher.page.expect_response("**/pictures/ladder.json*"):
        watcher.page.clock.fast_forward(LONGER_THAN_BETWEEN_TWO_MS)
    state = watcher.page.locator(".picture-state")
    expect(state).to_have_text("Not refreshed: the site answered 502 Bad Gateway.")
    watcher.forgive("status of 502")


def test_a_site_that_cannot_be_reached_is_told_as_such(watcher: Visit) -> None:
    watcher.page.route("**/pictures/ladder.json*", lambda route: route.abort())
    watcher.page.clock.fast_forward(LONGER_THAN_BETWEEN_TWO_MS)
    expect(watcher.page.locator(".picture-state")).to_have_text("Not refreshed: the site cannot be reached.")
    watcher.forgive("net::ERR_FAILED")


def test_a_choice_outlives_a_reload(visit: Visitors) -> None:
    reader = visit("/liquidations/")
    reader.page.locator(".picture-choices").get_by_role("link", name="ETH", exact=True).click()
    expect(reader.page.locator(".picture-drawing")).to_contain_text("ETH bust ladder")
    reader.page.reload()
    expect(reader.page.locator(".picture-drawing")).to_contain_text("ETH bust ladder")


def test_a_pictures_figures_are_read_by_pointer_and_by_key(watcher: Visit) -> None:
    watcher.page.get_by_role("button", name="Pause updates").click()  # shapes stay where they are
    tip = watcher.page.locator(".picture-tip")
    watcher.page.locator(".picture-drawing").focus()
    watcher.page.keyboard.press("ArrowDown")
    expect(tip).to_be_visible()
    expect(tip).not_to_be_empty()
    shape = watcher.page.evaluate(PART_TOLD_OF)
    watcher.page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    watcher.page.mouse.move(shape["x"] + shape["width"] / 2, shape["y"] + shape["height"] / 2, steps=4)
    expect(tip).to_be_visible()


def test_the_history_is_drawn_zooms_and_tells_its_points(visit: Visitors) -> None:
    reader = visit(HISTORY)
    picture = reader.page.locator('.picture[data-kind="history"]')
    expect(picture.locator("canvas")).to_be_visible()
    drawn = _pixels(picture)
    picture.get_by_role("button", name="24 h").click()
    expect(picture.get_by_role("button", name="24 h")).to_have_attribute("aria-pressed", "true")
    zoomed = _wait_for_other_pixels(reader, picture, drawn)
    picture.get_by_role("button", name="All").click()
    whole = _wait_for_other_pixels(reader, picture, zoomed)
    box = picture.locator(".u-over").bounding_box()
    assert box is not None
    reader.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    expect(picture.locator(".picture-readout")).to_contain_text("UTC")
    expect(picture.locator(".picture-tip")).to_be_hidden()
    _drag(reader, picture)
    dragged = _wait_for_other_pixels(reader, picture, whole)
    everything = picture.get_by_role("button", name="Show all")
    expect(everything).to_have_attribute("aria-pressed", "false")
    everything.click()
    _wait_for_other_pixels(reader, picture, dragged)
    expect(picture.get_by_role("button", name="All", exact=True)).to_have_attribute("aria-pressed", "true")


def test_what_was_dragged_over_stays_when_the_history_refreshes(visit: Visitors) -> None:
    reader = visit()
    reader.page.clock.install()
    reader.go(HISTORY)
    picture = reader.page.locator('.picture[data-kind="history"]')
    picture.scroll_into_view_if_needed()
    expect(picture.locator("canvas")).to_be_visible()
    _drag(reader, picture)
    reader.page.clock.run_for(100)
    expect(picture.get_by_role("button", name="Show all")).to_be_visible()
    with reader.page.expect_response("**/pictures/history.json*"):
        reader.page.clock.fast_forward(LONGER_THAN_BETWEEN_TWO_MS)
    reader.page.clock.run_for(100)
    expect(picture.get_by_role("button", name="Show all")).to_be_visible()


def test_the_history_is_read_by_key(visit: Visitors) -> None:
    reader = visit(HISTORY)
    picture = reader.page.locator('.picture[data-kind="history"]')
    expect(picture.locator("canvas")).to_be_visible()
    picture.locator(".picture-drawing").focus()
    readout = picture.locator(".picture-readout")
    told: list[str] = []
    for _ in range(3):
        reader.page.keyboard.press("ArrowRight")
        expect(readout).not_to_have_text(told[-1] if told else "")
        told.append(readout.inner_text())
    assert told == sorted(set(told))
    expect(picture.locator(".picture-tip")).to_be_hidden()


def test_another_history_is_drawn_in_its_place(visit: Visitors) -> None:
    reader = visit(HISTORY)
    picture = reader.page.locator('.picture[data-kind="history"]')
    expect(picture.locator("canvas")).to_be_visible()
    before = _pixels(picture)
    picture.locator(".picture-choices").get_by_role("link", name="tvl", exact=True).click()
    _wait_for_other_pixels(reader, picture, before)
    assert picture.locator("canvas").count() == 1


def _hold_first(watcher: Visit) -> None:
    """Leave the first picture that is asked for from now on unanswered."""
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    watcher.page.route("**/pictures/ladder.json*", hold)


def _see_refresh(watcher: Visit) -> None:
    """Let the time between two refreshes pass, and wait for the next one."""
    with watcher.page.expect_response("**/pictures/ladder.json*") as answer:
        watcher.page.clock.fast_forward(LONGER_THAN_BETWEEN_TWO_MS)
    assert answer.value.ok


def _drag(reader: Visit, picture: Locator) -> None:
    """Drag over a third of the chart."""
    box = picture.locator(".u-over").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    reader.page.mouse.move(box["x"] + box["width"] * 0.3, middle)
    reader.page.mouse.down()
    reader.page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
    reader.page.mouse.up()


def _pixels(picture: Locator) -> str:
    return str(picture.locator("canvas").evaluate("(canvas) => canvas.toDataURL()"))


def _wait_for_other_pixels(reader: Visit, picture: Locator, before: str) -> str:
    """What is drawn once it is no more what it was."""
    reader.page.wait_for_function(
        "(before) => document.querySelector('.picture canvas')?.toDataURL() !== before", arg=before
    )
    return _pixels(picture)
