"""What all pictures have: words, ages, a size, and an honest picture of trouble."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st
from pytest_django import Settings

from mcp_analytics.tools.get_open_interest import TOOL
from papertrade_site.docs.pictures.frame import PRICES, frame
from papertrade_site.docs.pictures.scale import FILE_WIDTH
from papertrade_site.docs.pictures.shapes import Figures
from papertrade_site.docs.pictures.trouble import COLUMNS, LINES, trouble
from papertrade_site.figures.text import money
from papertrade_site.upstream import hyperliquid
from tests.docs.pictures.gallery import DRAWABLE, SVG, Parsed, drawing, parsed, title_of, words_of
from tests.filled_venue import FilledVenue
from tests.venue_bodies import NOW_MS

HOSTILE = '"><script>alert(1)</script><!--]]>&lt;{{ x }}{% x %}\u202e\x00'


def result(as_of: str, *, prices: str) -> Figures:
    """What all results have, read at these times of the day."""
    rows = [{"name": PRICES, "fetchedAt": f"2026-11-30T{prices}"}]
    freshness = {"asOf": f"2026-11-30T{as_of}", "degraded": False, "sources": rows}
    return {"dataSource": "simulated", "freshness": freshness}


EVERY_PICTURE = pytest.mark.parametrize(
    ("name", "query"),
    DRAWABLE,
    ids=lambda value: value if isinstance(value, str) else "-".join(value.values()),
)


@EVERY_PICTURE
class TestEveryPicture:
    def test_it_is_drawn(self, venue: FilledVenue, name: str, query: dict[str, str]) -> None:
        assert drawing(name, query).status == 200

    def test_it_is_an_image_with_a_name_and_the_tools_own_words(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        drawn = drawing(name, query)
        root = parsed(drawn).root
        named = {each.get("id"): words_of(each) for each in root.iter() if each.get("id")}
        title, words = (named[part] for part in root.attrib["aria-labelledby"].split())
        assert root.attrib["role"] == "img"
        assert title.endswith(" (simulated)")
        assert words == drawn.words
        assert words.count("Simulated data.") == len(drawn.found)

    def test_it_says_that_it_is_simulated_and_how_old_it_is(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        picture = parsed(drawing(name, query), seconds_later=42)
        assert words_of(picture.one("badge")) == "SIMULATED"
        assert re.search(r"\b42 s old at 12:00:42 UTC$", words_of(picture.one("ages")))

    def test_live_figures_are_not_called_simulated(
        self,
        venue: FilledVenue,
        settings: Settings,
        name: str,
        query: dict[str, str],
    ) -> None:
        settings.PAPERTRADE_SOURCE = "live"
        assert "simulated" not in parsed(drawing(name, query)).text.casefold().replace("class=", "")

    def test_as_a_file_it_has_a_size_and_a_style(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        root = parsed(drawing(name, query)).root
        assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"
        assert len(root.findall(f"{SVG}style")) == 1
        (drawn,) = root.findall(f"{SVG}svg")
        margins = {
            float(root.attrib["width"]) - float(drawn.attrib["width"]),
            float(root.attrib["height"]) - float(drawn.attrib["height"]),
        }
        assert margins == {2 * float(drawn.attrib["x"])} == {2 * float(drawn.attrib["y"])}
        assert drawn.attrib["width"] == str(FILE_WIDTH)

    def test_within_a_page_it_is_as_wide_as_its_column_and_styled_by_the_page(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        picture = parsed(drawing(name, query), is_file=False)
        assert picture.root.attrib["width"] == "100%"
        assert "viewBox" not in picture.root.attrib
        assert "<style" not in picture.text

    def test_it_has_nothing_that_a_strict_page_forbids(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        for each in parsed(drawing(name, query), is_file=False).root.iter():
            assert each.tag not in {
                f"{SVG}{name}" for name in ("script", "style", "image", "foreignObject", "a")
            }
            assert not [name for name in each.attrib if name == "style" or name.startswith("on")]

    def test_nothing_stands_below_its_end_or_left_of_it(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        picture = parsed(drawing(name, query), is_file=False)
        height = float(picture.root.attrib["height"])
        for text in (*picture.of_class("remark"), *picture.of_class("ages"), *picture.of_class("title")):
            assert 0 < float(text.attrib["y"]) <= height - 4

    def test_an_outage_is_told_in_its_place(
        self, venue: FilledVenue, name: str, query: dict[str, str]
    ) -> None:
        venue.fail("exchange.trading", "exchange.summary", "hyperevm.paper", "exchange.history")
        venue.fail("exchange.house_history", "hyperliquid.book")
        drawn = drawing(name, query)
        assert drawn.status == 503
        picture = parsed(drawn)
        assert "No picture now" in picture.texts
        assert "Try again in 7 s." in " ".join(picture.texts)
        assert picture.of_class("ages") == picture.of_class("badge") == []


def test_a_shortened_figure_has_its_full_digits_for_who_points_at_it(venue: FilledVenue) -> None:
    picture = parsed(drawing("ladder", {"market": "BTC", "cascadePercent": "0.5"}))
    answer = title_of(picture.of_class("caption")[0])
    assert answer == "+0.5 % to $83,480.8 busts 2 shorts: $30,000 of $40,000 in all"
    assert title_of(picture.one("remark")) == "1 wallet holds $90,000, 45.00 % of open notional"
    headlines = {
        name: title_of(parsed(drawing(name, query)).one("headline"))
        for name, query in (("skew", {}), ("paper", {}), ("history", {"metric": "tvl"}))
    }
    totals = venue.call(TOOL, {})["totals"]
    sides = f"{money(totals['longUsd'])} long and {money(totals['shortUsd'])} short"
    assert headlines["skew"] == f"{sides} are open"
    assert " PAPER per $1 lost, " in headlines["paper"]
    assert headlines["history"] == "$1,500,000 at 2026-11-30T12:00:00Z"


class TestAges:
    def test_prices_and_the_oldest_input_have_ages_of_their_own(self, venue: FilledVenue) -> None:
        ages = parsed(drawing("ladder", {"market": "BTC"}), seconds_later=130).of_class("age")
        assert [each.text for each in ages] == ["2 min", "2 min"]
        assert {each.attrib["data-since"] for each in ages} == {"2026-11-30T12:00:00Z"}

    def test_of_several_results_the_oldest_of_each_counts(self) -> None:
        found = [result("12:00:05Z", prices="12:00:30Z"), result("12:00:10Z", prices="12:00:20Z")]
        ages = frame(
            trouble("Any", "shapes"),
            found,
            picture_id="any",
            words="",
            is_file=False,
            now_s=NOW_MS // 1000 + 60,
        ).ages
        assert [(age.before, age.text) for age in ages] == [("Prices ", "40 s"), ("oldest input ", "55 s")]

    def test_a_picture_without_prices_has_one(self, venue: FilledVenue) -> None:
        assert words_of(parsed(drawing("paper")).one("ages")) == "Data 0 s old at 12:00:00 UTC"

    def test_a_price_that_could_not_be_read_has_none(self, venue: FilledVenue) -> None:
        venue.fail_one(hyperliquid.book("BTC"))
        assert words_of(parsed(drawing("skew", {"market": "BTC"})).one("ages")).startswith("Data ")


class TestRefusedArguments:
    @pytest.mark.parametrize(
        ("name", "query", "told"),
        [
            ("ladder", {}, "market is missing; it must be one of BTC, ETH."),
            ("ladder", {"market": "DOGE"}, 'market is "DOGE": it must be one of BTC, ETH.'),
            ("ladder", {"market": "BTC", "cascadePercent": "26"}, "a number from 0 to 25."),
            ("ladder", {"market": "BTC", "cascadePercent": "1e1"}, "must be a number from 0 to 25."),
            ("ladder", {"market": "BTC", "maxBuckets": "3"}, "maxBuckets is not an argument of this picture"),
            ("paper", {"market": "BTC"}, "which takes no arguments."),
            ("history", {"metric": "tvl", "mode": "per_bucket"}, "cannot be used with tvl"),
        ],
    )
    def test_they_are_told_by_name(
        self, venue: FilledVenue, name: str, query: dict[str, str], told: str
    ) -> None:
        drawn = drawing(name, query)
        assert drawn.status == 400
        assert told in drawn.words
        shown = " ".join(parsed(drawn).texts)
        assert "No such picture" in shown
        assert told.split()[0] in shown

    @pytest.mark.parametrize(
        "query", [{"market": HOSTILE}, {HOSTILE: "1"}, {"market": "BTC", "wallets": HOSTILE}]
    )
    @pytest.mark.parametrize("is_file", [True, False])
    def test_hostile_text_stays_text(
        self, venue: FilledVenue, query: dict[str, str], *, is_file: bool
    ) -> None:
        picture = parsed(drawing("ladder", query), is_file=is_file)
        assert {each.tag.removeprefix(SVG) for each in picture.root.iter()} <= {
            "svg",
            "title",
            "desc",
            "style",
            "rect",
            "text",
        }
        assert "<script" not in picture.text
        assert re.fullmatch(r"[a-z0-9-]+-title [a-z0-9-]+-words", picture.root.attrib["aria-labelledby"])

    @hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.text(), st.text())
    def test_no_text_breaks_the_picture(self, venue: FilledVenue, name: str, value: str) -> None:
        text = drawing("skew", {name: value}).svg(is_file=True, now_s=0)
        ElementTree.fromstring(text)

    def test_what_is_allowed_is_taken_as_tools_take_it(self, venue: FilledVenue) -> None:
        assert (
            drawing("ladder", {"market": " btc ", "cascadePercent": "0.25", "bucketUsd": "50"}).status == 200
        )


class TestTrouble:
    @pytest.mark.parametrize("sign", ["\x00", "\x1f", "\ufffe", "\ud800", "\u202e"])
    def test_signs_that_xml_cannot_hold_or_nobody_sees_are_left_out(self, sign: str) -> None:
        assert [text for _, text in trouble("No", f"before{sign}after").lines] == ["before after"]

    def test_a_long_message_is_broken_and_cut(self) -> None:
        lines = trouble("No", "word " * 500 + "x" * 500).lines
        assert len(lines) == LINES
        assert all(len(text) <= COLUMNS for _, text in lines)
        assert lines[-1][1].endswith("…")

    def test_the_picture_is_as_high_as_its_message(self) -> None:
        assert trouble("No", "a").foot < trouble("No", "word " * 40).foot


def test_two_pictures_of_a_page_have_ids_of_their_own(venue: FilledVenue) -> None:
    ids = [
        Parsed(drawing("ladder", {"market": market}).svg(is_file=False, now_s=0)).root.attrib[
            "aria-labelledby"
        ]
        for market in ("BTC", "ETH")
    ]
    assert len(set(ids)) == 2
