"""The bust ladder: what is drawn is what the tools found, to the pixel."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mcp_liquidations.tools import get_bust_cluster_summary, get_bust_map
from papertrade_site.docs.pictures.ladder import BOTTOM, LONGEST_BAR, TOP, ladder
from papertrade_site.docs.pictures.scale import FILE_WIDTH
from papertrade_site.market.scale import WAD
from tests.docs.pictures.gallery import Parsed, drawing, parsed, pixels, title_of, words_of
from tests.filled_venue import FilledVenue
from tests.venue_bodies import FROZEN, position_row

NO_CLUSTERS: dict[str, Any] = {"markets": []}


def bust_map(*rows: tuple[float, float, str, float], mark: float = 100.0) -> dict[str, Any]:
    """A result of the tool: rows of low, high, side and notional, with whatever follows from them."""
    buckets = [
        {
            "lowUsd": low,
            "highUsd": high,
            "side": side,
            "notionalUsd": notional,
            "positions": 1,
            "distancePercent": (mark - high if side == "long" else low - mark) * 100 / mark,
            "cumulativeNotionalUsd": notional,
        }
        for low, high, side, notional in rows
    ]
    sides = {side: [usd for _, _, of, usd in rows if of == side] for side in ("long", "short")}
    return {
        "market": "BTC",
        "markPriceUsd": mark,
        "buckets": buckets,
        "totals": {f"{side}NotionalUsd": sum(each) for side, each in sides.items()}
        | {f"{side}Positions": len(each) for side, each in sides.items()},
        "passed": {"longNotionalUsd": 0.0, "shortNotionalUsd": 0.0, "longPositions": 0, "shortPositions": 0},
        "omitted": {"buckets": 0, "notionalUsd": 0.0},
        "coverage": {"fraction": None, "trackedNotionalUsd": 0.0, "walletsRead": 1, "walletsFailed": 0},
        "cascade": None,
    }


def shown(market: str = "BTC", **query: str) -> Parsed:
    return parsed(drawing("ladder", {"market": market, **query}))


def bar_of(picture: Parsed, low: str) -> Any:  # noqa: ANN401
    """The only bar of a bucket that begins at a price."""
    (bar,) = [each for each in picture.of_class("bar") if title_of(each).startswith(f"{low} to ")]
    return bar


class TestBars:
    def test_each_bucket_of_the_map_is_a_bar_as_long_as_its_notional(self, venue: FilledVenue) -> None:
        picture = shown()
        result = venue.call(get_bust_map.TOOL, {"market": "BTC"})
        longest = max(row["notionalUsd"] for row in result["buckets"])
        assert len(picture.of_class("bar")) == len(result["buckets"]) == 6
        for row in result["buckets"]:
            bar = bar_of(picture, f"{row['lowUsd']:,}")
            share = row["notionalUsd"] / longest * LONGEST_BAR / 100
            assert pixels(bar, "width") == pytest.approx(share * FILE_WIDTH, abs=0.5)
            assert f"pic-{row['side']}" in bar.attrib["class"]

    def test_shorts_stand_above_the_mark_and_longs_below_it(self, venue: FilledVenue) -> None:
        picture = shown()
        mark = float(picture.one("mark").attrib["y1"])
        for bar in picture.of_class("bar"):
            top, height = pixels(bar, "y"), pixels(bar, "height")
            assert top + height <= mark + 0.5 if "pic-short" in bar.attrib["class"] else top >= mark - 0.5

    def test_a_bar_stands_at_its_price(self, venue: FilledVenue) -> None:
        picture = shown()
        lines = {
            line.text: float(line.attrib["y"]) for line in picture.of_class("tick") if "dy" in line.attrib
        }
        per_dollar = (lines["82,500"] - lines["83,500"]) / 1000
        bar = bar_of(picture, "82,200")
        assert pixels(bar, "y") == pytest.approx(lines["82,500"] + 200 * per_dollar, abs=0.5)
        assert pixels(bar, "height") == pytest.approx(100 * per_dollar - 1, abs=0.5)

    def test_a_bar_says_its_exact_figures(self, venue: FilledVenue) -> None:
        assert title_of(bar_of(shown(), "82,900")) == (
            "82,900 to 83,000: $10,000 in 1 long, 0.0789 % from the mark; $10,000 up to here"
        )

    def test_in_the_marks_own_bucket_each_side_keeps_to_its_side_of_the_mark(self) -> None:
        drawn = ladder(bust_map((98, 108, "long", 4), (98, 108, "short", 2)), NO_CLUSTERS)
        long, short = sorted(drawn.bars, key=lambda bar: bar.side)
        assert short.y + short.height + 1 == long.y == drawn.mark.place
        assert (long.width, short.width) == (LONGEST_BAR, LONGEST_BAR / 2)

    def test_a_position_that_the_mark_has_passed_is_hollow(self, venue: FilledVenue) -> None:
        crossed = position_row(1, bust="831000", entry="840000")
        venue.put_tracked([crossed, position_row(2, bust="829999")])
        passed, ahead = bar_of(shown(), "83,100"), bar_of(shown(), "82,900")
        assert "pic-passed" in passed.attrib["class"]
        assert "pic-passed" not in ahead.attrib["class"]
        assert "the mark has passed it" in title_of(passed)
        assert title_of(ahead).endswith("; $20,000 up to here, $10,000 of it passed already")
        assert "The mark has already passed 1 long, $10.0K" in shown().texts

    def test_no_bucket_is_cut_at_an_end_of_the_prices(self) -> None:
        """Of 100, the least span that shows most is 5 %, whose end lies within the bucket from 104.5."""
        drawn = ladder(bust_map((101, 104, "short", 90), (104.5, 106.5, "short", 5)), NO_CLUSTERS)
        near, far = drawn.bars
        assert far.y == TOP
        assert (far.height + 1) / (near.height + 1) == pytest.approx(2 / 3, abs=0.01)

    @given(
        st.lists(
            st.tuples(
                st.integers(min_value=0, max_value=10_000),
                st.sampled_from(["long", "short"]),
                st.floats(min_value=0, max_value=1e12),
            ),
            max_size=60,
        )
    )
    def test_no_bar_leaves_its_part_of_the_picture(self, rows: list[tuple[int, str, float]]) -> None:
        drawn = ladder(bust_map(*((low, low + 1, side, usd) for low, side, usd in rows)), NO_CLUSTERS)
        for bar in drawn.bars:
            assert TOP <= bar.y <= BOTTOM
            assert bar.y + bar.height <= BOTTOM + 1
            assert 0 <= bar.width <= LONGEST_BAR


class TestExtremes:
    def test_an_empty_book_is_a_mark_and_two_zeros(self, venue: FilledVenue) -> None:
        venue.put_tracked([])
        picture = shown()
        assert picture.of_class("bar") == picture.of_class("cluster") == []
        assert "largest clusters" not in picture.texts
        assert words_of(picture.one("mark-text")) == "83,065.5"
        assert {"▲ 0 shorts above, $0", "▼ 0 longs below, $0"} <= set(picture.texts)

    def test_a_book_of_one_side_leaves_the_other_empty(self, venue: FilledVenue) -> None:
        venue.put_tracked([position_row(1, bust="829999")])
        picture = shown()
        assert ["pic-long" in bar.attrib["class"] for bar in picture.of_class("bar")] == [True]
        assert {"▲ 0 shorts above, $0", "▼ 1 long below, $10.0K"} <= set(picture.texts)

    def test_a_trillion_is_drawn_and_told_like_anything_else(self) -> None:
        drawn = ladder(bust_map((98, 99, "long", 1e12), (101, 102, "short", 1e6)), NO_CLUSTERS)
        assert [bar.width for bar in drawn.bars] == [LONGEST_BAR, 0]
        assert [caption.words for caption in drawn.captions] == [
            "1 short above, $1.00M",
            "1 long below, $1.00T",
        ]
        assert "$1,000,000,000,000 in 1 long" in drawn.bars[0].words

    def test_a_bucket_wider_than_the_picture_reaches_from_the_mark_to_its_end(self) -> None:
        drawn = ladder(bust_map((0, 10_000, "long", 5)), NO_CLUSTERS)
        (bar,) = drawn.bars
        assert (bar.y, bar.y + bar.height) == (drawn.mark.place, BOTTOM - 1)

    def test_what_lies_far_away_is_told_in_words(self, venue: FilledVenue) -> None:
        venue.put_tracked([position_row(1, bust="829999", leverage=900), position_row(2, bust="410000")])
        picture = shown()
        assert len(picture.of_class("bar")) == 1
        assert "$10.0K further off" in picture.texts
        assert "▼ 2 longs below, $100K" in picture.texts

    def test_a_terminal_market_is_drawn_at_its_frozen_price(self, venue: FilledVenue) -> None:
        venue.put_market(0, **FROZEN)
        assert words_of(shown().one("mark-text")) == "82,500.1"

    def test_a_mark_of_many_digits_is_shortened_beside_the_prices_alone(self) -> None:
        drawn = ladder(bust_map(mark=0.123456789), NO_CLUSTERS)
        assert (drawn.mark.label, drawn.headline.text) == ("0.12", "Mark $0.123456789")


class TestClusters:
    def test_what_the_amounts_at_the_side_are_is_said(self, venue: FilledVenue) -> None:
        assert "largest clusters" in shown().texts

    def test_each_cluster_has_a_bracket_along_its_prices_and_a_label(self, venue: FilledVenue) -> None:
        picture = shown()
        (found,) = venue.call(get_bust_cluster_summary.TOOL, {"market": "BTC"})["markets"]
        titles = [title_of(each) for each in picture.of_class("cluster")]
        for cluster in (*found["above"], *found["below"]):
            name = f"Cluster {cluster['rank']} of {cluster['side']}s, {cluster['lowUsd']:,} to "
            (title,) = [each for each in titles if each.startswith(name)]
            assert f"${cluster['notionalUsd']:,.0f} in " in title
        assert len(titles) == len(found["above"]) + len(found["below"])

    def test_the_labels_of_crowded_clusters_stand_apart(self) -> None:
        clusters = [
            {
                "rank": rank,
                "side": "short",
                "lowUsd": 100 + rank / 10,
                "highUsd": 100.05 + rank / 10,
                "peakUsd": 100.0,
                "notionalUsd": 5.0,
                "positions": 1,
                "distancePercent": 1.0,
            }
            for rank in range(1, 6)
        ]
        found = {"markets": [{"market": "BTC", "above": clusters, "below": []}]}
        drawn = ladder(bust_map((90, 91, "long", 5)), found)
        labels = [bracket.label_y for bracket in drawn.brackets]
        gaps = [after - before for before, after in itertools.pairwise(labels)]
        assert len(labels) == 5
        assert min(gaps) >= 14.9
        assert max(labels) < drawn.mark.place

    def test_one_that_holds_the_mark_is_not_called_away(self, venue: FilledVenue) -> None:
        venue.put_tracked([position_row(1, bust="830600"), position_row(2, is_long=False, bust="831999")])
        labels = [words_of(each).strip() for each in shown().of_class("cluster")]
        assert any(label.endswith("$10.0K 1 long, at the mark") for label in labels)
        assert any(label.endswith("$10.0K 1 short, 0.042 % away") for label in labels)

    def test_those_of_another_market_are_left_alone(self) -> None:
        found = {"markets": [{"market": "ETH", "above": [{}], "below": []}]}
        assert ladder(bust_map((90, 91, "long", 5)), found).brackets == ()


class TestCascade:
    def test_there_is_none_unless_asked_for(self, venue: FilledVenue) -> None:
        picture = shown()
        assert picture.of_class("sweep") == picture.of_class("faint") == []

    @pytest.mark.parametrize("percent", ["0", "0.1", "0.5", "1", "25"])
    def test_the_bars_in_full_colour_are_those_that_the_tool_counts(
        self, venue: FilledVenue, percent: str
    ) -> None:
        picture = shown(cascadePercent=percent)
        cascade = venue.call(get_bust_map.TOOL, {"market": "BTC", "cascadePercent": percent})["cascade"]
        for side, move in (("long", "down"), ("short", "up")):
            bars = [
                bar.attrib["class"] for bar in picture.of_class("bar") if f"pic-{side}" in bar.attrib["class"]
            ]
            assert sum("pic-faint" not in bar for bar in bars) == cascade[move]["buckets"]

    def test_it_counts_from_the_mark_outward(self, venue: FilledVenue) -> None:
        faint = {title_of(bar).partition(" ")[0] for bar in shown(cascadePercent="0.5").of_class("faint")}
        assert faint == {"82,200", "83,800"}

    def test_the_sums_are_told_with_where_the_price_ends(self, venue: FilledVenue) -> None:
        picture = shown(cascadePercent="0.5")
        assert {"▲ +0.5 % busts 2 shorts, $30.0K", "to $83,480.8, of $40.0K"} <= set(picture.texts)
        assert {"▼ -0.5 % busts 2 longs, $40.0K", "to $82,650.2, of $50.0K"} <= set(picture.texts)
        assert {"+0.5 %", "-0.5 %"} <= set(picture.texts)
        assert len(picture.of_class("big")) == 2

    def test_the_shade_reaches_from_the_mark_to_the_target(self, venue: FilledVenue) -> None:
        picture = shown(cascadePercent="0.5")
        mark = float(picture.one("mark").attrib["y1"])
        up, down = picture.of_class("sweep")
        ends = [float(line.attrib["y1"]) for line in picture.of_class("sweep-end")]
        assert pixels(up, "y") + pixels(up, "height") == pytest.approx(mark, abs=0.02)
        assert pixels(down, "y") == mark
        assert ends == [pixels(up, "y"), pytest.approx(mark + pixels(down, "height"), abs=0.02)]

    def test_the_picture_reaches_past_the_target(self, venue: FilledVenue) -> None:
        picture = shown(cascadePercent="25")
        ends = [float(line.attrib["y1"]) for line in picture.of_class("sweep-end")]
        assert TOP < ends[0] < ends[1] < BOTTOM


class TestRemarks:
    def test_coverage_is_told(self, venue: FilledVenue) -> None:
        assert "1 wallet holds 45.00 % of open notional" in shown().texts

    def test_a_source_that_failed_is_told(self, venue: FilledVenue) -> None:
        venue.fail("exchange.house_history")
        assert "Some inputs are old or missing." in shown().texts

    def test_wallets_that_failed_and_buckets_left_out_are_told(self) -> None:
        found = bust_map((98, 99, "long", 5))
        found["coverage"]["walletsFailed"] = 2
        found["omitted"] = {"buckets": 7, "notionalUsd": 1234567.0}
        assert tuple(note.text for note in ladder(found, NO_CLUSTERS).remarks) == (
            "1 wallet holds an unknown share of open notional",
            "2 wallets could not be read now",
            "Not listed: 7 buckets, $1.23M",
        )

    def test_margins_of_any_size_are_summed(self, venue: FilledVenue) -> None:
        venue.put_tracked([position_row(1, margin=str(10**9 * WAD), leverage=1000, bust="829999")])
        assert "▼ 1 long below, $1.00T" in shown().texts
