"""The landing page and the status pages: how the sources are at this moment, in words of ours."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django import Settings

from papertrade_site.ops import health
from papertrade_site.upstream.readiness import Condition, SourceState
from tests.docs.markup import plain_words

FRESH = SourceState("exchange.trading", Condition.FRESH, 1.25, None)
STALE = SourceState("exchange.summary", Condition.STALE, 90.0, "The source did not answer.")
FAILED = SourceState("hyperevm.paper", Condition.FAILED, None, "It | could <not> be reached.")
SHOWN = ["/", "/index.md", "/liquidations/status", "/analytics/status.md"]

pytestmark = pytest.mark.usefixtures("venue")


@pytest.fixture(autouse=True)
def states(monkeypatch: pytest.MonkeyPatch) -> list[SourceState]:
    states = [FRESH, STALE, FAILED]
    monkeypatch.setattr(health, "current_sources", lambda: states)
    return states


def words(client: Client, path: str) -> str:
    text = client.get(path).content.decode()
    return text.replace("\\", "") if path.endswith(".md") else plain_words(text)


def rows(client: Client, path: str) -> list[str]:
    text = client.get(path).content.decode()
    if path.endswith(".md"):
        return [" ".join(re.split(r"\s*(?<!\\)\|\s*", row)).replace("\\", "") for row in text.splitlines()]
    return [plain_words(row) for row in re.findall(r"<tr>.*?</tr>", text, re.DOTALL)]


@pytest.mark.parametrize("path", SHOWN)
def test_every_source_is_shown_with_its_state_its_age_and_what_is_wrong(client: Client, path: str) -> None:
    for state, age in ((FRESH, r"1\.[23] s old"), (STALE, r"90\.0 s old"), (FAILED, "none")):
        row = next(row for row in rows(client, path) if state.name in row)
        assert re.search(rf"\b{state.state.value} {age}", row)
        assert (state.note or "") in row


@pytest.mark.parametrize("path", SHOWN)
def test_a_change_is_seen_at_once(client: Client, states: list[SourceState], path: str) -> None:
    assert str(STALE.note) in words(client, path)
    states.remove(STALE)
    assert str(STALE.note) not in words(client, path)


@pytest.mark.parametrize(("source", "is_simulated"), [("simulated", True), ("live", False)])
def test_the_landing_page_says_whether_the_data_is_simulated(
    client: Client, settings: Settings, source: str, is_simulated: bool
) -> None:
    settings.PAPERTRADE_SOURCE = source
    for path, notice in (("/", "<strong>Simulated data.</strong>"), ("/index.md", "**Simulated data**")):
        assert (notice in client.get(path).content.decode()) is is_simulated


def test_the_landing_page_draws_what_each_server_shows_and_leads_to_all_of_its_tools(client: Client) -> None:
    html = client.get("/").content.decode()
    for path in ("/liquidations/pictures/ladder.svg", "/analytics/pictures/skew.svg"):
        assert path in html
    for path in ("/liquidations/docs/tools/get_bust_map", "/analytics/docs/tools/quote_position_outcome"):
        assert f'href="{path}"' in html


def test_status_of_the_project_leads_to_the_landing_page_and_that_to_each_server_s(client: Client) -> None:
    response = client.get("/status", follow=True)
    assert (response.redirect_chain, response.status_code) == ([("/", 301)], 200)
    for server in ("liquidations", "analytics"):
        assert f'href="/{server}/status"' in response.content.decode()
