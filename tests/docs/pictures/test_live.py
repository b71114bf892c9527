"""Pictures within pages: choices, links, and the two forms of the component."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from django.template import Context, Engine, engines

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.docs.pages import LANDING, pages_of
from papertrade_site.docs.pictures.live import (
    LivePicture,
    live_picture,
    page_choices,
    picture_path,
    with_choices,
)
from papertrade_site.docs.pictures.registry import PICTURES, PICTURES_BY_NAME
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form, Rendering
from papertrade_site.mcp.server import Server
from tests.docs.pictures.gallery import DRAWABLE, drawing
from tests.filled_venue import FilledVenue

SITE = "https://example.org"
PLACE = Place(
    SITE, (("liquidations", f"{SITE}/liquidations"), ("analytics", "https://analytics.example.org"))
)


def live(name: str, **query: str) -> LivePicture:
    return live_picture(drawing(name, query), PLACE)


def options(picture: LivePicture, label: str) -> dict[str, tuple[str, bool]]:
    (choice,) = [each for each in picture.choices if each.label == label]
    return {option.label: (option.address, option.is_current) for option in choice.options}


def component(form: Form, server: Server | None, name: str, **query: str) -> str:
    """A picture in the text of a page, its component in its place."""
    page = pages_of(server)[0] if server else LANDING
    rendering = Rendering(form, server, page, PLACE)
    arguments = " ".join(f'{key}="{value}"' for key, value in query.items())
    text = f'{{% load site %}}{{% picture "{name}" alt="What it shows" {arguments} %}}'
    template = Engine.get_default().from_string(text)
    return rendering.completed(template.render(Context({"rendering": rendering}, autoescape=False)))


class TestRegistry:
    def test_every_picture_is_drawn_of_tools_of_its_server_that_take_what_it_gives(self) -> None:
        servers = {server.slug: server for server in (LIQUIDATIONS, ANALYTICS)}
        for picture in PICTURES:
            for reading in picture.readings:
                known = servers[picture.server].tools_by_name[reading.tool].input_schema["properties"]
                assert {*reading.takes, *reading.fixed} <= set(known)
                assert set(reading.takes) <= set(picture.takes)
                assert not set(reading.takes) & set(reading.fixed)

    def test_every_picture_is_among_those_that_tests_draw(self) -> None:
        assert {name for name, _ in DRAWABLE} == {picture.name for picture in PICTURES}

    def test_every_choice_is_one_that_the_tool_takes(self, venue: FilledVenue) -> None:
        start = live("ladder", market="BTC"), live("history", metric="volume", interval="1h")
        for picture in start:
            for choice in picture.choices:
                for option in choice.options:
                    query = dict(part.split("=") for part in option.address.partition("?")[2].split("&"))
                    assert drawing(picture.name, query).status == 200


class TestChoices:
    def test_a_move_leads_to_the_same_picture_with_it(self, venue: FilledVenue) -> None:
        found = options(live("ladder", market="BTC", cascadePercent="1"), "If the price moves")
        assert found["not at all"] == ("/liquidations/pictures/ladder.svg?market=BTC", False)
        assert found["1 %"] == ("/liquidations/pictures/ladder.svg?market=BTC&cascadePercent=1", True)
        assert sum(is_current for _, is_current in found.values()) == 1

    def test_what_is_left_out_is_the_tools_default(self, venue: FilledVenue) -> None:
        assert options(live("ladder", market="BTC"), "If the price moves")["not at all"][1]
        assert options(live("history", metric="tvl"), "By")["1d"][1]

    def test_a_level_offers_no_amounts_per_bucket(self, venue: FilledVenue) -> None:
        assert [choice.label for choice in live("history", metric="tvl").choices] == ["Figure", "By"]
        assert set(options(live("history", metric="volume"), "Show")) == {"value", "per bucket"}

    def test_another_figure_is_never_asked_for_in_a_mode_that_it_lacks(self, venue: FilledVenue) -> None:
        found = options(live("history", metric="volume", mode="per_bucket", interval="1h"), "Figure")
        assert found["paper supply"][0] == "/pictures/history.svg?interval=1h&metric=paper_supply"

    def test_all_choices_stay_where_there_is_no_picture(self, venue: FilledVenue) -> None:
        picture = live("history", metric="nonsense")
        assert [choice.label for choice in picture.choices] == ["Figure", "By", "Show"]


class TestComponent:
    def test_a_page_has_the_drawing_the_choices_and_the_way_to_the_table(self, venue: FilledVenue) -> None:
        html = component(Form.HTML, LIQUIDATIONS, "ladder", market="BTC")
        assert 'data-picture="/liquidations/pictures/ladder.svg?market=BTC"' in html
        assert '<svg xmlns="http://www.w3.org/2000/svg" class="pic"' in html
        assert 'href="/liquidations/docs/tools/get_bust_map"' in html
        assert 'href="/liquidations/docs/tools/get_bust_cluster_summary"' in html
        assert "cascadePercent=0.5" in html
        assert " style=" not in html
        assert "<style" not in html

    def test_a_picture_without_choices_has_no_place_for_them(self, venue: FilledVenue) -> None:
        assert "picture-choices" not in component(Form.HTML, ANALYTICS, "skew")

    def test_only_the_history_brings_the_chart(self, venue: FilledVenue) -> None:
        assert "uPlot" in component(Form.HTML, ANALYTICS, "history", metric="tvl")
        assert "uPlot" not in component(Form.HTML, ANALYTICS, "skew")

    def test_trouble_is_shown_in_the_picture_and_the_page_stays(self, venue: FilledVenue) -> None:
        venue.fail("exchange.trading")
        html = component(Form.HTML, LIQUIDATIONS, "ladder", market="BTC")
        assert "No picture now" in html
        assert "cascadePercent=0.5" in html

    @pytest.mark.parametrize("server", [LIQUIDATIONS, ANALYTICS, None])
    def test_a_page_of_any_server_can_show_it(self, venue: FilledVenue, server: Server | None) -> None:
        assert "/liquidations/pictures/ladder.svg" in component(Form.HTML, server, "ladder", market="BTC")
        assert component(Form.MARKDOWN, server, "skew", market="BTC") == (
            "![What it shows](https://analytics.example.org/pictures/skew.svg?market=BTC)"
        )

    def test_a_picture_that_does_not_exist_fails(self, venue: FilledVenue) -> None:
        with pytest.raises(KeyError):
            component(Form.MARKDOWN, LIQUIDATIONS, "nothing")


class TestChoicesOfAPage:
    def test_each_link_leads_to_the_page_with_all_that_is_chosen(self, venue: FilledVenue) -> None:
        picture = live("ladder", market="BTC", cascadePercent="1")
        queries = {option.label: option.query for choice in picture.choices for option in choice.options}
        assert queries["ETH"] == "?ladder-market=ETH&ladder-cascadePercent=1#ladder"
        assert queries["not at all"] == "?ladder-market=BTC&ladder-cascadePercent=#ladder"

    @pytest.mark.parametrize("name", ["ladder", "history"])
    def test_a_page_takes_every_choice_that_it_offers(self, venue: FilledVenue, name: str) -> None:
        start = {"ladder": {"market": "BTC"}, "history": {"metric": "volume", "mode": "per_bucket"}}[name]
        picture = PICTURES_BY_NAME[name]
        for choice in live(name, **start).choices:
            for option in choice.options:
                sent = dict(parse_qsl(option.query[1:].partition("#")[0], keep_blank_values=True))
                query = with_choices(picture, start, page_choices(picture.server, sent))
                assert drawing(name, query).found
                assert picture_path(picture, query, PLACE).partition("?")[2] in option.address

    def test_what_no_page_offers_is_left_alone(self) -> None:
        sent = {
            "ladder-market": "DOGE",
            "ladder-cascadePercent": "1.23",
            "market": "ETH",
            "ladder-wallets": "1",
            "history-metric": "tvl",
        }
        assert page_choices("liquidations", sent) == {}
        assert page_choices("liquidations", {"ladder-market": ""}) == {}

    def test_a_choice_is_of_its_own_picture_alone(self) -> None:
        choices = page_choices("analytics", {"history-metric": "tvl", "history-mode": ""})
        assert with_choices(PICTURES_BY_NAME["skew"], {"market": "BTC"}, choices) == {"market": "BTC"}
        start = {"metric": "volume", "mode": "per_bucket"}
        assert with_choices(PICTURES_BY_NAME["history"], start, choices) == {"metric": "tvl"}


def test_choices_escape_what_was_asked_for(venue: FilledVenue) -> None:
    picture = live("history", metric='"><script>')
    html = engines["django"].from_string('{% include "components/choices.html" %}').render({"live": picture})
    assert "<script" not in html
