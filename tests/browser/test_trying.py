"""Running a tool from its page."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Dialog, Download, Locator, Route, expect

from tests.browser.visits import Visit, Visitors
from tests.clients.official import HOSTS
from tests.clients.service import Service

pytestmark = pytest.mark.slow

TOOLS: Final = "/analytics/docs/tools"
MAP: Final = "/liquidations/docs/tools/get_bust_map"
CLOSEST: Final = "/liquidations/docs/tools/get_closest_to_bust"
TRADERS: Final = f"{TOOLS}/get_top_traders"
HOSTILE: Final = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
FORMULA: Final = '=HYPERLINK("http://127.0.0.1/","open")'
ENDPOINT: Final = "**/mcp"
IS_AT_MARK: Final = """(frame) => {
  const [outer, row] = [frame, frame.querySelector(".at-mark")].map((it) => it.getBoundingClientRect());
  return outer.top < row.top && row.top < outer.bottom;
}"""

Answering = Callable[[Route], None]


@pytest.mark.parametrize("path", [MAP, f"{TOOLS}/quote_position_outcome"])
def test_a_tool_is_run_and_its_result_is_shown_in_words_tables_and_data(visit: Visitors, path: str) -> None:
    reader = visit(path)
    _run(reader)
    expect(_status(reader)).to_contain_text("200 OK")
    expect(_status(reader)).to_contain_text("calls left")
    answer = _answer(reader)
    data = json.loads(answer.locator("details pre").last.text_content() or "")
    assert data["dataSource"] == "simulated"
    expect(answer.locator("p").first).not_to_be_empty()
    assert answer.locator("table tbody tr").count() > 3
    assert reader.asked.count(f"POST /{path.split('/')[1]}/mcp") == 1


def test_a_result_is_in_sight_above_the_code_and_a_map_begins_at_the_mark(visit: Visitors) -> None:
    reader = visit(MAP)
    _run(reader)
    expect(_status(reader)).to_contain_text("200 OK")
    expect(_answer(reader).locator("p").first).to_be_in_viewport()
    assert reader.page.evaluate(
        "document.querySelector('[data-part=answer]').compareDocumentPosition("
        "document.querySelector('.playground .tabs')) === Node.DOCUMENT_POSITION_FOLLOWING"
    )
    frame = _answer(reader).locator("div.table", has=reader.page.locator(".at-mark"))
    expect(frame).to_be_visible()
    assert frame.evaluate("(it) => it.scrollTop") > 0
    assert frame.evaluate(IS_AT_MARK)  # at one moment, as the page may be moving


def test_running_a_tool_keeps_what_was_chosen_of_the_picture_beside_it(visit: Visitors) -> None:
    reader = visit("/analytics/docs/tools/get_history?history-metric=tvl&history-mode=")
    _run(reader)
    expect(_status(reader)).to_contain_text("200 OK")
    assert "history-metric=tvl" in reader.page.url
    assert "metric=volume" in reader.page.url


def test_a_tool_is_run_on_the_servers_own_host(visit: Visitors, service: Service) -> None:
    reader = visit("/docs/tools/get_bust_map", site=f"http://{HOSTS['liquidations']}:{service.port}")
    _run(reader)
    expect(_status(reader)).to_contain_text("200 OK")
    assert "POST /mcp" in reader.asked


@pytest.mark.parametrize(("path", "argument", "value"), [(MAP, "wallets", "99999"), (TRADERS, "limit", "51")])
def test_a_refused_argument_is_told_at_its_field(
    visit: Visitors, path: str, argument: str, value: str
) -> None:
    reader = visit(path)
    field = reader.page.locator(f"#argument-{argument}")
    field.fill(value)
    _run(reader)
    expect(_status(reader)).to_contain_text("200 refused")
    expect(reader.page.locator(f"#argument-{argument}-fault")).not_to_be_empty()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    field.fill("1")
    _run(reader)
    expect(_status(reader)).to_contain_text("200 OK")
    expect(reader.page.locator(f"#argument-{argument}-fault")).to_be_empty()


def test_an_address_fills_the_form_and_running_writes_it(visit: Visitors) -> None:
    reader = visit(f"{TRADERS}?window=30d&limit=7", has_clipboard=True)
    assert reader.page.locator("#argument-limit").input_value() == "7"
    reader.page.locator("#argument-limit").fill("3")
    expect(reader.page.locator('[data-form="curl"]')).to_contain_text('"limit":3')
    _run(reader)
    assert reader.page.url == f"{reader.site}{TRADERS}?window=30d&limit=3"
    reader.page.get_by_role("button", name="Copy link to this call").click()
    expect(reader.page.get_by_role("button", name="Copied")).to_be_visible()
    assert reader.page.evaluate("navigator.clipboard.readText()") == reader.page.url


def test_an_address_can_say_that_no_argument_is_given(visit: Visitors) -> None:
    reader = visit(TRADERS)
    for field in reader.page.locator(".playground-field select").all():
        field.select_option("")
    for field in reader.page.locator(".playground-field input").all():
        field.fill("")
    curl = reader.page.locator('[data-form="curl"]')
    expect(curl).to_contain_text('"arguments":{}')
    _run(reader)
    reader.page.reload()
    expect(curl).to_contain_text('"arguments":{}')


def test_the_address_of_a_call_without_arguments_has_no_query(visit: Visitors) -> None:
    reader = visit(f"{TOOLS}/get_paper_economics")
    _run(reader)
    assert reader.page.url == f"{reader.site}{TOOLS}/get_paper_economics"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (MAP, {"market": HOSTILE, "wallets": HOSTILE, "__proto__": "1", "constructor": "2"}),
        ("/liquidations/docs/tools/get_wallet_distance_to_bust", {"wallet": HOSTILE}),
        (TRADERS, {"window": "x" * 3000, "limit": "1e999"}),
    ],
)
def test_a_hostile_address_stays_text(visit: Visitors, path: str, query: dict[str, str]) -> None:
    reader = visit()
    dialogs = _dialogs(reader)
    reader.go(f"{path}?{urlencode(query)}")
    _run(reader)
    assert reader.page.locator(".playground :is(img, script)").count() == 0
    assert dialogs == []


def test_hostile_names_of_traders_stay_text_and_become_no_formula(visit: Visitors, tmp_path: Path) -> None:
    reader = visit(f"{TRADERS}?limit=2")
    dialogs = _dialogs(reader)
    reader.page.route(ENDPOINT, _rename([HOSTILE, FORMULA]))
    _run(reader)
    answer = _answer(reader)
    expect(answer.get_by_role("cell", name=HOSTILE, exact=True)).to_be_visible()
    assert answer.locator("img, script").count() == 0
    assert dialogs == []
    rows = _rows(_download(reader, answer.get_by_role("button", name="CSV").first), tmp_path)
    assert {row["name"] for row in rows} == {HOSTILE, f"'{FORMULA}"}


def test_a_result_is_downloaded_as_tables_and_as_data(visit: Visitors, tmp_path: Path) -> None:
    reader = visit(f"{TRADERS}?limit=5")
    _run(reader)
    answer = _answer(reader)
    table = _download(reader, answer.get_by_role("button", name="CSV").first)
    assert table.suggested_filename == "get_top_traders-traders.csv"
    answer.get_by_text("JSON", exact=True).click()
    file = _download(reader, answer.get_by_role("button", name="Download"))
    assert file.suggested_filename == "get_top_traders.json"
    file.save_as(tmp_path / "data")
    traders = json.loads((tmp_path / "data").read_text("utf-8"))["traders"]
    assert [row["wallet"] for row in _rows(table, tmp_path)] == [trader["wallet"] for trader in traders]
    assert len(traders) == 5


def test_a_reader_over_the_limit_is_told_when_to_come_back(visit: Visitors) -> None:
    reader = visit()
    reader.page.clock.install()
    reader.go(MAP)
    reader.page.route(ENDPOINT, _refuse_for(seconds=40))
    runner = reader.page.locator('[data-part="runner"]')
    _run(reader)
    expect(_status(reader)).to_contain_text("429 Too Many Requests")
    expect(_answer(reader)).to_contain_text("Try again in 40 s")
    expect(runner).to_be_disabled()
    expect(runner).to_have_text("Run in 40 s")
    reader.page.clock.fast_forward(30_000)
    expect(runner).to_have_text("Run in 10 s")
    reader.page.clock.fast_forward(11_000)
    expect(runner).to_have_text("Run")
    reader.page.unroute(ENDPOINT)
    _run(reader)
    expect(_status(reader)).to_contain_text("200 OK")
    reader.forgive("status of 429")


def test_a_service_that_cannot_be_reached_is_told(visit: Visitors) -> None:
    reader = visit(MAP)
    reader.page.route(ENDPOINT, lambda route: route.abort())
    _run(reader)
    expect(_status(reader)).to_contain_text("No answer")
    reader.forgive("net::ERR_FAILED")


def _run(reader: Visit) -> None:
    """Run the tool of the page, and wait until the outcome is told."""
    reader.page.locator('[data-part="status"]').evaluate("(status) => status.replaceChildren()")
    reader.page.locator('[data-part="runner"]').click()
    expect(_status(reader).locator("strong:is(.good, .bad)")).to_be_visible()


def _status(reader: Visit) -> Locator:
    return reader.page.locator('[data-part="status"]')


def _answer(reader: Visit) -> Locator:
    return reader.page.locator('[data-part="answer"]')


def _dialogs(reader: Visit) -> list[str]:
    """What dialogs say from now on."""
    said: list[str] = []

    def hear(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    reader.page.on("dialog", hear)
    return said


def _rename(names: list[str]) -> Answering:
    """Pass calls on, and give the traders that are found these names."""

    def answer(route: Route) -> None:
        response = route.fetch()
        body = response.json()
        for trader, name in zip(body["result"]["structuredContent"]["traders"], names, strict=True):
            trader["name"] = name
        route.fulfill(response=response, json=body)

    return answer


def _refuse_for(*, seconds: int) -> Answering:
    """Refuse calls as the limit does."""
    problem = f"Too many requests. Try again in {seconds} s."
    error = {"code": -32000, "message": problem, "data": {"retryAfterSeconds": seconds}}
    headers = {"Retry-After": str(seconds), "RateLimit": f'"liquidations";r=0;t={seconds}'}

    def answer(route: Route) -> None:
        route.fulfill(status=429, headers=headers, json={"jsonrpc": "2.0", "id": 1, "error": error})

    return answer


def _download(reader: Visit, button: Locator) -> Download:
    with reader.page.expect_download() as found:
        button.click()
    return found.value


def _rows(table: Download, folder: Path) -> list[dict[str, str]]:
    table.save_as(folder / "table")
    with (folder / "table").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
