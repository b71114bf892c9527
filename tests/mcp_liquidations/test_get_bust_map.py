"""``get_bust_map``: rows, sums, what is left out, and what a move would bust."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_liquidations.tools.get_bust_map import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange, hyperliquid
from tests.filled_venue import FilledVenue
from tests.mcp_liquidations.books import venue_of
from tests.venue_bodies import FROZEN, address, book, position_row


@pytest.fixture
def venue() -> FilledVenue:
    """Four longs below the mark of 83,065.5 and two shorts above it, of $10,000 each unless larger."""
    return venue_of(
        [
            position_row(1, bust="829999"),
            position_row(2, bust="822740", margin=str(300 * WAD)),
            position_row(3, is_long=False, bust="838530"),
        ],
        [
            position_row(4, bust="822000"),
            position_row(5, bust="750000", leverage=10),
            position_row(6, is_long=False, bust="830701"),
            position_row(7, market=1, bust="240000", entry="251215"),
        ],
    )


def _rows(result: dict[str, Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in result["buckets"]]


class TestRows:
    @pytest.mark.requirement("bust-map:buckets", "bust-map:coverage", "tracked:coverage")
    def test_a_map_in_full(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {"market": "BTC"})
        assert result["market"] == "BTC"
        assert result["markPriceUsd"] == 83065.5
        assert result["bucketUsd"] == 100
        assert result["buckets"][2] == {
            "lowUsd": 82900,
            "highUsd": 83000,
            "side": "long",
            "notionalUsd": 10_000,
            "positions": 1,
            "distancePercent": 0.078853,
            "cumulativeNotionalUsd": 10_000,
        }
        names = ("lowUsd", "side", "notionalUsd", "positions", "distancePercent", "cumulativeNotionalUsd")
        assert _rows(result, *names) == [
            (75_000, "long", 1_000, 1, 9.589420, 51_000),
            (82_200, "long", 40_000, 2, 0.921562, 50_000),
            (82_900, "long", 10_000, 1, 0.078853, 10_000),
            (83_000, "short", 10_000, 1, 0, 10_000),
            (83_800, "short", 10_000, 1, 0.884242, 20_000),
        ]
        assert result["totals"] == {
            "longNotionalUsd": 51_000,
            "shortNotionalUsd": 20_000,
            "longPositions": 4,
            "shortPositions": 2,
        }
        assert result["passed"] == {
            "longNotionalUsd": 0,
            "shortNotionalUsd": 0,
            "longPositions": 0,
            "shortPositions": 0,
        }
        assert result["omitted"] == {"buckets": 0, "notionalUsd": 0}
        assert result["coverage"] == {
            "fraction": 0.355,
            "trackedNotionalUsd": 71_000,
            "protocolNotionalUsd": 200_000,
            "walletsRequested": 44,
            "walletsRead": 2,
            "walletsFailed": 0,
            "positions": 6,
        }
        assert result["cascade"] is None
        assert summary == (
            "BTC mark $83,065.5: 4 longs ($51,000 notional) and 2 shorts ($20,000 notional) by bust price, "
            "in buckets of $100. "
            "Only tracked wallets are counted. The 2 largest wallets hold 35.5 % of BTC notional. "
            "Simulated data."
        )

    def test_the_bucket_of_ether_is_5_dollars_wide(self, venue: FilledVenue) -> None:
        result = venue.call(TOOL, {"market": "ETH"})
        assert result["bucketUsd"] == 5
        assert _rows(result, "lowUsd", "highUsd") == [(2400, 2405)]

    def test_the_width_of_a_bucket_is_taken_exactly(self, venue: FilledVenue) -> None:
        result = venue.call(TOOL, {"market": "BTC", "bucketUsd": 0.03})
        assert result["bucketUsd"] == 0.03
        assert (82273.98, 82274.01) in _rows(result, "lowUsd", "highUsd")

    def test_an_edge_in_whole_dollars_is_sent_without_decimals(self, venue: FilledVenue) -> None:
        for row in venue.call(TOOL, {"market": "BTC"})["buckets"]:
            assert isinstance(row["lowUsd"], int)
            assert isinstance(row["highUsd"], int)

    def test_an_edge_between_two_ticks_is_the_same_on_both_sides(self) -> None:
        venue = venue_of([position_row(1, bust="822740"), position_row(2, bust="822741")])
        result = venue.call(TOOL, {"market": "BTC", "bucketUsd": 0.1000000001})
        assert _rows(result, "lowUsd", "highUsd") == [
            (82273.900082, 82274.000082),
            (82274.000082, 82274.100082),
        ]

    def test_a_price_bucket_with_longs_and_shorts_gives_two_rows(self) -> None:
        venue = venue_of([position_row(1, bust="830600"), position_row(2, is_long=False, bust="830701")])
        result = venue.call(TOOL, {"market": "BTC"})
        assert _rows(result, "lowUsd", "side") == [(83_000, "long"), (83_000, "short")]

    def test_what_the_mark_has_passed_has_a_negative_distance_and_counts_first(self) -> None:
        crossed = position_row(1, bust="832000", entry="850000")
        venue = venue_of([crossed, position_row(2, bust="829000"), position_row(3, bust="830000")])
        result = venue.call(TOOL, {"market": "BTC"})
        assert _rows(result, "lowUsd", "distancePercent", "cumulativeNotionalUsd") == [
            (82_900, 0.078853, 30_000),
            (83_000, 0, 20_000),
            (83_200, -0.161920, 10_000),
        ]

    def test_a_position_that_busts_at_the_very_mark_lies_in_the_marks_bucket(self) -> None:
        venue = venue_of([position_row(1, bust="830655"), position_row(2, is_long=False, bust="830655")])
        result = venue.call(TOOL, {"market": "BTC", "cascadePercent": 25})
        assert _rows(result, "side", "distancePercent") == [("long", 0), ("short", 0)]
        assert result["cascade"]["down"]["positions"] == result["cascade"]["up"]["positions"] == 0

    def test_an_unleveraged_long_busts_at_0(self) -> None:
        venue = venue_of([position_row(1, bust="0", leverage=1)])
        result = venue.call(TOOL, {"market": "BTC"})
        assert _rows(result, "lowUsd", "highUsd", "distancePercent") == [(0, 100, 99.879613)]

    def test_a_terminal_market_is_mapped_around_its_frozen_price(self, venue: FilledVenue) -> None:
        venue.put_market(0, **FROZEN)
        venue.fail("hyperliquid.book")
        result = venue.call(TOOL, {"market": "BTC"})
        assert result["markPriceUsd"] == 82500.1
        assert (82_900, -0.484727) in _rows(result, "lowUsd", "distancePercent")
        assert result["freshness"]["degraded"] is False

    def test_nothing_tracked_is_an_empty_map(self) -> None:
        result, summary = venue_of([]).answer(TOOL, {"market": "BTC", "cascadePercent": 1})
        assert result["buckets"] == []
        assert result["totals"]["longNotionalUsd"] == result["coverage"]["fraction"] == 0
        assert result["cascade"]["shareOfTracked"] is None
        assert "0 longs ($0 notional)" in summary


class TestOmitted:
    @pytest.mark.requirement("bust-map:arguments")
    def test_the_rows_nearest_to_the_mark_stay_and_the_rest_is_summed_up(self, venue: FilledVenue) -> None:
        result = venue.call(TOOL, {"market": "BTC", "maxBuckets": 2})
        assert _rows(result, "lowUsd") == [(82_900,), (83_000,)]
        assert result["omitted"] == {"buckets": 3, "notionalUsd": 51_000}
        assert result["totals"]["longNotionalUsd"] == 51_000

    def test_what_is_left_out_changes_neither_running_sums_nor_the_cascade(self, venue: FilledVenue) -> None:
        arguments = {"market": "BTC", "cascadePercent": 25}
        whole = venue.call(TOOL, arguments)
        part = venue.call(TOOL, {**arguments, "maxBuckets": 1})
        assert part["cascade"] == whole["cascade"]
        assert part["buckets"] == [row for row in whole["buckets"] if row["lowUsd"] == 83_000]

    def test_rows_and_rest_add_up_to_the_totals_to_the_last_digit(self) -> None:
        margins = [10**18 + 10**6 * place * place * 7 for place in range(1, 40)]
        rows = [
            position_row(place, bust=str(820_000 - 1000 * place), margin=str(margin), leverage=1 + place)
            for place, margin in enumerate(margins)
        ]
        exact = sum(margin * (1 + place) for place, margin in enumerate(margins))
        result = venue_of(rows).call(TOOL, {"market": "BTC", "maxBuckets": 30})
        total = result["totals"]["longNotionalUsd"]
        assert total == round(exact / WAD, 6)
        shown = sum(round(row["notionalUsd"] * 10**6) for row in result["buckets"])
        rest = round(result["omitted"]["notionalUsd"] * 10**6)
        assert abs(shown + rest - round(total * 10**6)) <= (len(result["buckets"]) + 2) / 2


class TestCascade:
    @pytest.mark.parametrize(("sent", "told"), [(-0.0, "0"), (5e-324, "5e-324")])
    def test_the_least_cascades_are_told_without_a_sign_and_shortly(
        self, venue: FilledVenue, sent: float, told: str
    ) -> None:
        result, summary = venue.answer(TOOL, {"market": "BTC", "cascadePercent": sent})
        assert str(result["cascade"]["percent"]) in {told, f"{told}.0"}
        assert f"fell {told} % to" in summary
        assert f"rose {told} % to" in summary

    @pytest.mark.requirement("bust-map:cascade")
    def test_a_move_busts_longs_below_and_shorts_above(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {"market": "BTC", "cascadePercent": 1})
        cascade = result["cascade"]
        assert cascade["percent"] == 1
        assert cascade["down"] == {
            "targetPriceUsd": 82234.8,
            "notionalUsd": 50_000,
            "positions": 3,
            "buckets": 2,
        }
        assert cascade["up"] == {
            "targetPriceUsd": 83896.2,
            "notionalUsd": 20_000,
            "positions": 2,
            "buckets": 2,
        }
        assert cascade["shareOfTracked"] == 0.985915
        assert summary == (
            "BTC mark $83,065.5: 4 longs ($51,000 notional) and 2 shorts ($20,000 notional) by bust price, "
            "in buckets of $100. "
            "If the price fell 1 % to $82,234.8, 3 longs ($50,000 notional) would bust; if it rose 1 % to "
            "$83,896.2, 2 shorts ($20,000 notional) would; counted by whole buckets. Only tracked wallets "
            "are counted. The 2 largest wallets hold 35.5 % of BTC notional. Simulated data."
        )

    def test_running_sums_begin_with_what_the_mark_has_passed_and_the_cascade_leaves_it_out(self) -> None:
        venue = venue_of(
            [
                position_row(1, bust="832000", entry="850000"),
                position_row(2, bust="830680", entry="850000"),
                position_row(3, bust="830100"),
                position_row(4, bust="828000"),
            ]
        )
        result, summary = venue.answer(TOOL, {"market": "BTC", "cascadePercent": 1})
        names = ("lowUsd", "positions", "distancePercent", "cumulativeNotionalUsd")
        assert _rows(result, *names) == [
            (82_800, 1, 0.199240, 40_000),
            (83_000, 2, 0, 30_000),
            (83_200, 1, -0.161920, 10_000),
        ]
        assert result["cascade"]["down"]["notionalUsd"] == 20_000
        assert result["cascade"]["down"]["positions"] == 2
        assert result["passed"] == {
            "longNotionalUsd": 20_000,
            "shortNotionalUsd": 0,
            "longPositions": 2,
            "shortPositions": 0,
        }
        assert "the mark has already passed 2 longs ($20,000 notional) and 0 shorts ($0 notional)." in summary

    @pytest.mark.requirement("cascade:estimate")
    def test_it_says_that_it_is_an_estimate_as_coarse_as_the_buckets(self, venue: FilledVenue) -> None:
        note = venue.call(TOOL, {"market": "BTC", "cascadePercent": 1})["cascade"]["note"]
        assert "as coarse as the buckets" in note
        assert "bucket counts whole" in note
        assert "tracked wallets" in note
        assert "do not move the price" in note

    def test_no_move_busts_nothing_and_the_smallest_one_takes_the_marks_bucket(
        self, venue: FilledVenue
    ) -> None:
        none = venue.call(TOOL, {"market": "BTC", "cascadePercent": 0})["cascade"]
        least = venue.call(TOOL, {"market": "BTC", "cascadePercent": 1e-9})["cascade"]
        assert (
            none["down"]
            == none["up"]
            == {
                "targetPriceUsd": 83065.5,
                "notionalUsd": 0,
                "positions": 0,
                "buckets": 0,
            }
        )
        assert (least["down"]["positions"], least["up"]["positions"]) == (0, 1)

    def test_crossed_positions_do_not_fall_once_more(self) -> None:
        crossed = position_row(1, bust="830700", entry="850000")
        venue = venue_of([crossed, position_row(2, bust="830600")])
        assert venue.call(TOOL, {"market": "BTC", "cascadePercent": 25})["cascade"]["down"] == {
            "targetPriceUsd": 62299.1,
            "notionalUsd": 10_000,
            "positions": 1,
            "buckets": 1,
        }

    def test_the_percent_is_the_callers_decimal(self) -> None:
        """0.3 % of 100,000 is 300, and the near edge of the bucket below 99,700 is touched."""
        venue = venue_of([position_row(1, bust="996900", entry="1000000")])
        venue.put(hyperliquid.book("BTC"), book("BTC", "100000", "100000"))
        for percent, positions in ((0.3, 1), (0.29999999999999993, 0)):
            result = venue.call(TOOL, {"market": "BTC", "cascadePercent": percent})
            assert result["cascade"]["down"]["positions"] == positions


class TestTrackedWallets:
    @pytest.mark.requirement("bust-map:arguments")
    def test_only_so_many_wallets_are_read(self, venue: FilledVenue) -> None:
        result = venue.call(TOOL, {"market": "BTC", "wallets": 1})
        assert result["coverage"]["walletsRead"] == 1
        assert result["totals"]["longPositions"] == 2
        assert venue.asked.count("exchange.wallets") == 1

    def test_wallets_that_fail_are_counted_and_lower_the_coverage(self, venue: FilledVenue) -> None:
        venue.put(exchange.wallet(address(2)), {"not": "a wallet"})
        result, summary = venue.answer(TOOL, {"market": "BTC"})
        assert (result["coverage"]["walletsRead"], result["coverage"]["walletsFailed"]) == (1, 1)
        assert result["coverage"]["fraction"] == 0.25
        assert result["freshness"]["degraded"] is True
        assert "1 of the 2 largest wallets could be read; it holds 25 % " in summary

    def test_the_share_is_unknown_where_nobody_states_the_whole(self, venue: FilledVenue) -> None:
        venue.put_market(0, at19="0", at20="0")
        venue.fail("exchange.house_history")
        result, summary = venue.answer(TOOL, {"market": "BTC"})
        assert result["coverage"]["fraction"] is None
        assert "an unknown share of BTC notional" in summary

    @pytest.mark.requirement("tracked:tail")
    def test_the_description_says_that_small_wallets_are_missing(self) -> None:
        assert "small wallets are not in it" in TOOL.description

    @pytest.mark.parametrize("source", ["exchange.trading", "hyperliquid.book", "exchange.wallets"])
    def test_a_source_it_cannot_do_without_is_a_clear_error(self, venue: FilledVenue, source: str) -> None:
        venue.fail(source)
        with pytest.raises(ToolError, match=r"cannot be reached now\. Try again in 7 s\."):
            venue.call(TOOL, {"market": "BTC"})

    def test_without_a_leaderboard_it_says_what_works(self, venue: FilledVenue) -> None:
        venue.fail("exchange.leaderboard")
        with pytest.raises(ToolError, match="get_wallet_distance_to_bust"):
            venue.call(TOOL, {"market": "BTC"})

    def test_a_market_that_is_not_listed_is_a_clear_error(self, venue: FilledVenue) -> None:
        venue.put_market(0, at1="DOGE")
        with pytest.raises(ToolError, match="does not list BTC"):
            venue.call(TOOL, {"market": "BTC"})
