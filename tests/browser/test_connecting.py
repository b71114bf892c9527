"""The instructions for each client, as a reader meets them at an address of this very service."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from typing import Any, Final
from urllib.parse import parse_qs, unquote

import pytest
from playwright.sync_api import expect

from papertrade_site.servers import SERVERS
from tests.browser.visits import DESK, PHONE, Visitors
from tests.clients.official import HOSTS
from tests.clients.service import Service

pytestmark = pytest.mark.slow

BY_HAND: Final = "https://claude.ai/customize/connectors?modal=add-custom-connector"
"""Opens a form that takes no values from a link."""
SCHEMES: Final = Counter(
    {"https": 5, "cursor": 1, "vscode": 1, "vscode-insiders": 1, "goose": 1, "lmstudio": 1}
)
"""Buttons that start a program on the reader's machine, and those that go by a web page."""

COVERED: Final = """(blocks) => blocks.map((block) => {
  const code = block.querySelector(".code"), text = document.createRange();
  code.scrollLeft = code.scrollWidth;
  text.selectNodeContents(code);
  const words = text.getBoundingClientRect(), button = block.querySelector(".copy").getBoundingClientRect();
  return words.right > button.left && words.top < button.bottom;
})"""
"""Whether code is neither beside nor below its button, once its longest line is scrolled to its end."""

HREFS: Final = "(links) => links.map((link) => link.getAttribute('href'))"


@pytest.mark.parametrize("by", ["path", "host"])
@pytest.mark.parametrize("slug", SERVERS)
def test_every_button_adds_the_server_that_the_reader_looks_at(
    visit: Visitors, service: Service, slug: str, by: str
) -> None:
    if by == "host":
        endpoint, path = service.by_host(slug), "/docs/connect"
        reader = visit(path, site=f"http://{HOSTS[slug]}:{service.port}")
    else:
        endpoint, path = service.by_path(slug), f"/{slug}/docs/connect"
        reader = visit(path)
    links = reader.page.locator(".connect :is(a.button, a.connect-web)").evaluate_all(HREFS)
    links.remove(BY_HAND)
    assert Counter(link.partition(":")[0] for link in links) == SCHEMES
    assert {_added(link) for link in links} == {(SERVERS[slug].info_name, endpoint)}


def test_one_client_is_shown_at_a_time_and_remembered_for_the_other_server(visit: Visitors) -> None:
    reader = visit("/liquidations/docs/connect")
    zed, claude = reader.page.locator("h3#zed"), reader.page.locator("h3#claude-code")
    expect(claude).to_be_visible()
    expect(zed).to_be_hidden()
    reader.page.locator("[data-chooser]").get_by_role("link", name="Zed").click()
    expect(zed).to_be_visible()
    expect(claude).to_be_hidden()
    reader.go("/analytics/docs/connect")
    expect(zed).to_be_visible()
    reader.go("/analytics/docs/connect#goose")
    expect(reader.page.locator("h3#goose")).to_be_visible()
    expect(zed).to_be_hidden()


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_no_copy_button_lies_over_the_end_of_what_it_copies(visit: Visitors, width: int) -> None:
    reader = visit("/liquidations/docs/connect", width=width)
    covered: list[bool] = []
    for client in reader.page.locator("[data-chooser]").get_by_role("link").all():
        client.click()
        covered += reader.page.locator(".connect-snippet:visible .block").evaluate_all(COVERED)
    assert len(covered) > 20
    assert not any(covered)


def _added(link: str) -> tuple[str, str]:
    """Name and address of the server that a client finds in a link."""
    query = link.partition("?")[2]
    if unquote(query).startswith("{"):
        whole: dict[str, Any] = json.loads(unquote(query))
        return whole["name"], whole["url"]
    fields = {name: value for name, (value,) in parse_qs(query, strict_parsing=True).items()}
    if "config" not in fields:
        return fields["name"], fields["url"]
    config = fields["config"]
    text = config if config.startswith("{") else b64decode(config, validate=True).decode()
    return fields["name"], json.loads(text)["url"]
