"""Open interest by side, and how full the caps are."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_analytics.tools.get_open_interest import TOOL
from papertrade_site.docs.pictures.scale import FILE_WIDTH
from papertrade_site.docs.pictures.skew import HALF, skew
from papertrade_site.upstream import hyperliquid
from tests.docs.pictures.gallery import Parsed, drawing, parsed, pixels, title_of
from tests.filled_venue import FilledVenue


def shown(**query: str) -> Parsed:
    return parsed(drawing("skew", query))


def market(**changed: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "market": "BTC",
        "longUsd": 30.0,
        "shortUsd": 10.0,
        "longShare": 0.75,
        "capTracked": {"longUsd": 30.0, "shortUsd": 10.0, "longCoins": 3.0, "shortCoins": 1.0},
        "caps": {"longUsd": 60.0, "shortUsd": 40.0, "longFillPercent": 50.0, "shortFillPercent": 25.0},
        **changed,
    }


def drawn_of(**changed: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """The long and the short side of one market."""
    row = market(**changed)
    (found,) = skew({"markets": [row], "totals": row}).markets
    long, short = found.sides
    return long, short


class TestShares:
    def test_the_two_bars_of_each_market_are_as_long_as_its_shares(self, venue: FilledVenue) -> None:
        bars = shown().of_class("share")
        rows = venue.call(TOOL, {})["markets"]
        assert len(bars) == 2 * len(rows) == 4
        for row, long, short in zip(rows, bars[::2], bars[1::2], strict=True):
            assert pixels(long, "width") == pytest.approx(row["longShare"] * FILE_WIDTH, abs=0.5)
            assert pixels(long, "x") == 0
            assert pixels(short, "x") == pytest.approx(pixels(long, "width"), abs=0.1)
            assert pixels(short, "x") + pixels(short, "width") == pytest.approx(FILE_WIDTH, abs=0.1)

    def test_one_market_can_be_asked_for(self, venue: FilledVenue) -> None:
        assert len(shown(market="ETH").of_class("share")) == 2

    def test_each_side_says_its_name_and_its_exact_figures(self, venue: FilledVenue) -> None:
        picture = shown(market="BTC")
        longs, shorts = picture.of_class("side")
        assert title_of(longs).startswith("BTC longs: $150,000 open at entry prices.")
        assert {"Longs $150K (75.00 %)", "Shorts $50.0K (25.00 %)"} <= set(picture.texts)
        assert title_of(shorts).startswith("BTC shorts: $50,000 open at entry prices.")

    def test_a_book_of_one_side_has_one_bar(self) -> None:
        long, short = drawn_of(shortUsd=0.0, longShare=1.0)
        assert (long.width, short.width, short.x) == (100, 0, 100)

    def test_where_nothing_is_open_there_is_no_bar(self) -> None:
        row = market(longUsd=0.0, shortUsd=0.0, longShare=None)
        (found,) = skew({"markets": [row], "totals": row}).markets
        assert (found.has_book, found.headline.text) == (False, "nothing is open")
        assert [side.width for side in found.sides] == [None, None]

    def test_an_unknown_book_is_called_so_and_the_caps_are_shown_still(self, venue: FilledVenue) -> None:
        venue.fail("exchange.house_history")
        picture = shown(market="BTC")
        assert picture.of_class("share") == []
        assert {"open interest unknown", "Longs unknown", "Some inputs are old or missing."} <= set(
            picture.texts
        )
        assert any(" of cap $" in text for text in picture.texts)


class TestCaps:
    def test_a_cap_is_filled_as_far_as_it_is_in_use(self) -> None:
        long, short = drawn_of()
        assert (long.fill_x, long.fill) == (0, HALF / 2)
        assert (short.fill_x, short.fill) == (100 - HALF / 4, HALF / 4)
        assert (long.fill_text, long.cap_text) == ("50.00 % of cap", "$60")
        assert (short.fill_text, short.cap_text) == ("25.00 % of cap", "$40")

    def test_a_cap_that_was_lowered_below_what_is_open_is_full(self) -> None:
        caps = {"longUsd": 6.0, "shortUsd": 4.0, "longFillPercent": 500.0, "shortFillPercent": 100.0}
        long, short = drawn_of(caps=caps)
        assert (long.fill, short.fill) == (HALF, HALF)
        assert long.fill_text == "500.00 % of cap"

    def test_a_side_without_a_cap_has_none_drawn(self) -> None:
        caps = {"longUsd": None, "shortUsd": None, "longFillPercent": None, "shortFillPercent": None}
        long, short = drawn_of(caps=caps)
        assert (long.fill, long.fill_text, long.cap_text) == (None, "no cap", "")
        assert short.words.endswith("There is no cap.")

    def test_without_a_price_the_fill_is_told_without_dollars(self, venue: FilledVenue) -> None:
        venue.fail_one(hyperliquid.book("BTC"))
        assert not any("of cap $" in text for text in shown(market="BTC").texts)
        assert any(text.endswith("of cap") for text in shown(market="BTC").texts)

    def test_unknown_caps_are_called_so(self, venue: FilledVenue) -> None:
        venue.fail("exchange.trading")
        assert shown(market="BTC").texts.count("cap unknown") == 2

    def test_a_fill_too_small_to_see_leaves_a_mark(self, venue: FilledVenue) -> None:
        picture = shown(market="BTC")
        fills = picture.of_class("fill")
        marks = [each for each in picture.root.iter() if each.attrib.get("width") == "2"]
        assert len(fills) == len(marks) == 2
