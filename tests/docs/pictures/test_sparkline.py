"""Prices over seven days."""

from __future__ import annotations

import pytest

from mcp_analytics.tools.get_market_stats import TOOL
from papertrade_site.docs.pictures.sparkline import LINE_BOTTOM, LINE_TOP, RIGHT
from tests.docs.pictures.gallery import Parsed, drawing, parsed, title_of
from tests.filled_venue import FilledVenue
from tests.venue_bodies import FROZEN


def shown(**query: str) -> Parsed:
    return parsed(drawing("sparkline", query))


def test_the_line_goes_through_every_close(venue: FilledVenue) -> None:
    venue.put_closes("BTC", ["80", "100", "90", "83065.5"])
    points = [point.split(",") for point in shown(symbol="BTC").one("line").attrib["points"].split()]
    (row,) = venue.call(TOOL, {"symbol": "BTC", "include_sparkline": True})["markets"]
    closes = [point["closeUsd"] for point in row["sparkline"]]
    assert len(points) == len(closes) == 4
    for (_, y), close in zip(points, closes, strict=True):
        share = (close - min(closes)) / (max(closes) - min(closes))
        assert float(y) == pytest.approx(LINE_BOTTOM - share * (LINE_BOTTOM - LINE_TOP), abs=0.1)
    assert (float(points[0][0]), float(points[-1][0])) == (0, RIGHT * 10)


def test_price_moves_and_extremes_are_told(venue: FilledVenue) -> None:
    texts = shown(symbol="BTC").texts
    assert "BTC $83,065.5 mid" in texts
    assert {"high 83,065.5", "low 80"} <= set(texts)
    assert any(text.startswith("24 h +") and ", 7 d +" in text for text in texts)


def test_all_markets_are_shown_unless_one_is_asked_for(venue: FilledVenue) -> None:
    assert len(shown().of_class("line")) == 2
    assert len(shown(symbol="ETH").of_class("line")) == 1


def test_without_closes_there_is_no_line_and_the_price_is_told(venue: FilledVenue) -> None:
    venue.fail("hyperliquid.candles")
    picture = shown(symbol="BTC")
    assert picture.of_class("line") == []
    assert {"BTC $83,065.5 mid", "24 h unknown, 7 d unknown", "Hourly closes are not known now."} <= set(
        picture.texts
    )


def test_without_a_midpoint_the_last_close_is_told_as_such(venue: FilledVenue) -> None:
    venue.fail("hyperliquid.book")
    assert "BTC $83,065.5 last" in shown(symbol="BTC").texts


def test_without_any_price_that_is_told(venue: FilledVenue) -> None:
    venue.fail("hyperliquid.book", "hyperliquid.candles")
    assert "BTC price unknown" in shown(symbol="BTC").texts


def test_a_terminal_market_is_told_to_have_ended_at_a_frozen_price(venue: FilledVenue) -> None:
    venue.put_market(0, **FROZEN)
    assert "BTC $82,500.1 frozen ended for good" in shown(symbol="BTC").texts


def test_a_price_that_never_moved_is_a_flat_line(venue: FilledVenue) -> None:
    venue.put_closes("BTC", ["80", "80"])
    points = shown(symbol="BTC").one("line").attrib["points"].split()
    assert [point.split(",")[1] for point in points] == [str(LINE_BOTTOM)] * 2


def test_the_line_says_what_it_covers(venue: FilledVenue) -> None:
    venue.put_closes("BTC", ["80", "90"])
    assert title_of(shown(symbol="BTC").one("closes")) == (
        "Hourly closes from 2026-11-30T12:00:00Z to 2026-11-30T12:00:00Z: 80 at first, 90 at last."
    )
