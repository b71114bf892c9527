"""``get_position_insights``: buckets, medians and shares by definition, and a list that may not be there."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.server import SERVER
from mcp_analytics.tools.get_position_insights import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import Window
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import MissingError, RefusedError
from tests.filled_venue import FilledVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, size_of
from tests.venue_bodies import body

PATH = "/state/leaderboard/positions"


class Settled(FilledVenue):
    """A venue with a list of best positions for each window."""

    def __init__(self, *positions: dict[str, Any]) -> None:
        super().__init__()
        self.put_positions(*positions)

    def put_positions(self, *positions: dict[str, Any], window: Window = Window.DAY) -> None:
        """Let these have been the best."""
        self.put(exchange.best_positions(window, PATH), {"ok": True, "positions": list(positions)})


def _position(leverage: int = 100, notional: int = 10_000 * WAD, *, side: str = "long") -> dict[str, Any]:
    return {
        "address": "0x44623c92310d1b9b430b3228487a1b88fcc1c517",
        "side": side,
        "leverage": leverage,
        "notional": str(notional),
        "netPnl": "1",
    }


def _counts(part: dict[str, Any]) -> dict[str, int]:
    return {bucket["label"]: bucket["count"] for bucket in part["buckets"] if bucket["count"]}


class TestFigures:
    @pytest.mark.requirement(
        "insights:returns", "insights:buckets", "insights:long-share", "insights:medians"
    )
    def test_an_answer_in_full(self) -> None:
        venue = Settled(*body("best_positions")["positions"])
        result, summary = venue.answer(TOOL, {})
        assert {name: result[name] for name in result if name not in {"leverage", "size", "freshness"}} == {
            "generatedAt": "2026-11-30T12:00:00Z",
            "dataSource": "simulated",
            "window": "24h",
            "count": 2,
            "longShareByNotional": 0.384615,
            "medianLeverage": 525,
            "medianNotionalUsd": 16_250,
        }
        assert _counts(result["leverage"]) == {"50x to 99x": 1, "500x to 1000x": 1}
        assert _counts(result["size"]) == {"$10k to $50k": 2}
        assert summary == (
            "Of the best settled positions of the last 24h (2, not a sample of all) the median leverage is "
            "525x, the median notional $16,250 and the long share of notional 38.46 %; most often they have "
            "50x to 99x (1) and $10k to $50k (2). Simulated data."
        )

    @pytest.mark.requirement("insights:buckets")
    def test_the_buckets_and_their_edges(self) -> None:
        result = Settled(_position()).call(TOOL, {})
        edges = {
            part: [(bucket["min"], bucket["max"]) for bucket in result[part]["buckets"]]
            for part in ("leverage", "size")
        }
        assert edges == {
            "leverage": [(1, 10), (10, 25), (25, 50), (50, 100), (100, 250), (250, 500), (500, 1000)],
            "size": [
                (0, 10_000),
                (10_000, 50_000),
                (50_000, 100_000),
                (100_000, 500_000),
                (500_000, 1_000_000),
                (1_000_000, 5_000_000),
                (5_000_000, None),
            ],
        }
        assert list(result["size"]["buckets"][1]) == ["label", "min", "max", "count", "share"]

    @pytest.mark.requirement("insights:buckets")
    @pytest.mark.parametrize(
        ("leverage", "label"),
        [
            (1, "1x to 9x"),
            (9, "1x to 9x"),
            (10, "10x to 24x"),
            (24, "10x to 24x"),
            (25, "25x to 49x"),
            (49, "25x to 49x"),
            (50, "50x to 99x"),
            (99, "50x to 99x"),
            (100, "100x to 249x"),
            (249, "100x to 249x"),
            (250, "250x to 499x"),
            (499, "250x to 499x"),
            (500, "500x to 1000x"),
            (999, "500x to 1000x"),
            (1000, "500x to 1000x"),
        ],
    )
    def test_a_leverage_is_counted_where_its_label_says(self, leverage: int, label: str) -> None:
        assert _counts(Settled(_position(leverage)).call(TOOL, {})["leverage"]) == {label: 1}

    @pytest.mark.requirement("insights:buckets")
    @pytest.mark.parametrize(
        ("notional", "label"),
        [
            (1, "below $10k"),
            (10_000 * WAD - 1, "below $10k"),
            (10_000 * WAD, "$10k to $50k"),
            (50_000 * WAD - 1, "$10k to $50k"),
            (50_000 * WAD, "$50k to $100k"),
            (100_000 * WAD, "$100k to $500k"),
            (500_000 * WAD, "$500k to $1M"),
            (1_000_000 * WAD, "$1M to $5M"),
            (5_000_000 * WAD - 1, "$1M to $5M"),
            (5_000_000 * WAD, "$5M and more"),
            (10_000_000 * WAD, "$5M and more"),
        ],
    )
    def test_a_notional_is_counted_to_the_last_unit(self, notional: int, label: str) -> None:
        assert _counts(Settled(_position(notional=notional)).call(TOOL, {})["size"]) == {label: 1}

    @pytest.mark.requirement("insights:medians")
    @pytest.mark.parametrize(
        ("leverages", "median"),
        [([7], 7), ([1, 1000], 500.5), ([3, 100, 1], 3), ([5, 2, 9, 2], 3.5), ([1000] * 4, 1000)],
    )
    def test_the_median_is_the_middle_or_the_mean_of_the_two_middle_ones(
        self, leverages: list[int], median: float
    ) -> None:
        positions = (_position(leverage, leverage * WAD + 1) for leverage in leverages)
        result = Settled(*positions).call(TOOL, {})
        assert (result["medianLeverage"], result["medianNotionalUsd"]) == (median, median)

    @pytest.mark.requirement("insights:long-share")
    @pytest.mark.parametrize(("sides", "share"), [(["long"], 1), (["short"], 0), (["long", "short"], 0.25)])
    def test_longs_count_by_notional_and_not_by_number(self, sides: list[str], share: float) -> None:
        notional = {"long": 10_000 * WAD, "short": 30_000 * WAD}
        positions = (_position(notional=notional[side], side=side) for side in sides)
        assert Settled(*positions).call(TOOL, {})["longShareByNotional"] == share

    @pytest.mark.requirement("insights:rows", "insights:arguments")
    def test_each_window_has_its_own_rows(self) -> None:
        venue = Settled(_position(5))
        venue.put_positions(_position(50), _position(500), window=Window.ALL)
        assert [venue.call(TOOL, {})["count"], venue.call(TOOL, {"window": "24h"})["count"]] == [1, 1]
        result, summary = venue.answer(TOOL, {"window": "all"})
        assert (result["window"], result["count"]) == ("all", 2)
        assert summary.startswith("Of the best settled positions of all time (2, ")

    def test_what_the_figures_leave_out_is_said_before_anyone_reads_them(self) -> None:
        assert "best single results alone" in TOOL.description
        assert "liquidated at the same leverage is not in it" in TOOL.description


def test_an_empty_window_is_a_count_of_nothing() -> None:
    result, summary = Settled().answer(TOOL, {})
    assert result["count"] == 0
    for part in ("leverage", "size"):
        assert {bucket["count"] for bucket in result[part]["buckets"]} == {0}
        assert {bucket["share"] for bucket in result[part]["buckets"]} == {None}
    nulls = ("longShareByNotional", "medianLeverage", "medianNotionalUsd")
    assert [result[name] for name in nulls] == [None, None, None]
    assert result["freshness"]["degraded"] is False
    assert summary == "The exchange lists no settled positions of the last 24h. Simulated data."


class TestFailures:
    def test_a_list_that_is_not_there_is_an_error_that_says_what_to_use(self) -> None:
        venue = Settled()
        what = "There is nothing at the address of the exchange's list of best positions."
        venue.fail("exchange.best_positions", error=MissingError(what, source="exchange.best_positions"))
        with pytest.raises(ToolError) as caught:
            venue.call(TOOL, {})
        assert str(caught.value) == (
            f"{what} It is not documented, so it may have moved or never been there; instead use "
            "get_top_traders for what accounts earned and hold open, or get_history for volume and "
            "liquidations."
        )

    def test_a_refusal_keeps_its_own_advice(self) -> None:
        venue = Settled()
        venue.fail(
            "exchange.best_positions",
            error=RefusedError("No.", source="exchange.best_positions", advice="Ask for less."),
        )
        with pytest.raises(ToolError, match=r"^No\. Ask for less\. Meanwhile use get_top_traders for "):
            venue.call(TOOL, {})

    def test_an_outage_says_when_to_try_again_and_what_to_use_until_then(self) -> None:
        venue = Settled()
        venue.fail("exchange.best_positions")
        with pytest.raises(ToolError) as caught:
            venue.call(TOOL, {"window": "all"})
        assert str(caught.value).startswith(
            "exchange.best_positions cannot be reached now. Try again in 7 s. Meanwhile use get_top_traders "
        )

    @pytest.mark.parametrize(
        "changed", [{"leverage": 1001}, {"leverage": 0}, {"notional": "0"}, {"notional": "-5"}, {"side": 3}]
    )
    def test_an_implausible_row_spoils_the_list(self, changed: dict[str, Any]) -> None:
        with pytest.raises(ToolError, match=r"so it is not used\. Try again in 60 s\. Meanwhile use "):
            Settled(_position(), {**_position(), **changed}).call(TOOL, {})

    def test_the_tools_it_points_to_are_there(self) -> None:
        assert {"get_top_traders", "get_history"} <= set(SERVER.tools_by_name)


POSITIONS = st.lists(
    st.tuples(st.integers(1, 1000), st.integers(1, 10**26), st.sampled_from(["long", "short"])), max_size=60
)


@settings(deadline=None, max_examples=150)
@given(POSITIONS)
def test_whatever_was_settled_the_counts_and_shares_agree(rows: list[tuple[int, int, str]]) -> None:
    venue = Settled(*(_position(leverage, notional, side=side) for leverage, notional, side in rows))
    result = venue.call(TOOL, {})
    assert result["count"] == len(rows)
    for part in ("leverage", "size"):
        buckets = result[part]["buckets"]
        assert sum(bucket["count"] for bucket in buckets) == len(rows)
        if rows:
            assert sum(bucket["share"] for bucket in buckets) == pytest.approx(1, abs=4e-6)
    if rows:
        total = sum(notional for _, notional, _ in rows)
        longs = sum(notional for _, notional, side in rows if side == "long")
        assert result["longShareByNotional"] == pytest.approx(float(Fraction(longs, total)), abs=5.1e-7)
        notionals = sorted(notional / WAD for _, notional, _ in rows)
        assert notionals[0] - 1e-6 <= result["medianNotionalUsd"] <= notionals[-1] + 1e-6
    assert size_of(result) <= DEFAULT_BYTES


def test_over_the_embedded_exchange_a_call_costs_one_request() -> None:
    with simulated_calls() as calls:
        result = calls.call(TOOL, {})
        assert calls.requests == 1
        best = calls.world.exchange.best.best(since_ms=calls.world.now_ms - (Window.DAY.length_ms or 0))
        assert result["count"] == len(best) > 0
        notionals = sorted(row.position.notional for row in best)
        middle = len(notionals) // 2
        by_hand = (notionals[middle] + notionals[-middle - 1]) / 2
        assert result["medianNotionalUsd"] == pytest.approx(by_hand / WAD, abs=1e-6)
