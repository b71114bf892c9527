"""``get_protocol_snapshot``: its figures, where each comes from, and what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.tools.get_protocol_snapshot import TOOL
from papertrade_site.market.vocabulary import Interval
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange
from tests.histories import AS_OF_MS, history
from tests.mcp_analytics.told import ToldVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, notes, size_of
from tests.venue_bodies import body

RECORDED = Path(__file__).parent.parent / "recorded"
PARTS = {
    "exchange.history": ["traders", "trades", "liquidatedUsd", "traderPnlUsd", "stakingRewardsUsd"],
    "exchange.house_history": ["openNotionalUsd", "openLongUsd", "openShortUsd"],
    "exchange.market_stats": ["volume24hUsd"],
    "exchange.queue": ["queuedPayouts"],
}
"""What is null when a source fails."""

CHANGED = ["tvlUsd", "volumeUsd", "trades", "traders", "liquidatedUsd", "traderPnlUsd"]


@pytest.fixture
def venue() -> ToldVenue:
    venue = ToldVenue()
    hours: dict[str, Any] = {
        "tvl": [20e6] * 30 + [30e6],
        "stakingRewards": [8e6] * 31,
        "volume": [8e12] * 30 + [9e12],
        "traderPnl": [-4e6] * 30 + [-5.5e6],
        "users": [22_000.0] * 30 + [22_600],
        "liquidation": [3e11] * 31,
        "trades": [880_000.0] * 31,
    }
    venue.put_history(Interval.HOUR, **hours)
    venue.put_history(Interval.DAY, **{**hours, "tvl": [10e6] * 31})
    venue.put_house(Interval.HOUR, bl=[1, 1960e6], bs=[1, 1504.5e6], el=[1, 2015e6], es=[1, 1730e6])
    return venue


class TestFigures:
    @pytest.mark.requirement("snapshot:figures", "snapshot:plain-dollars")
    def test_a_snapshot_in_full(self, venue: ToldVenue) -> None:
        result = venue.call(TOOL, {})
        assert result["source"] == {"block": 48399239, "at": "2026-11-30T11:59:56Z"}
        assert result["protocol"] == {
            "tvlUsd": 31_000_000,
            "lpUsd": 4_990_000,
            "marginUsd": 9_000_000,
            "reserveUsd": 0,
            "queuedPayoutsUsd": 0,
            "queuedPayouts": 1,
            "volume24hUsd": 315785554681.2,
            "volumeTotalUsd": 9_000_000_000_000,
            "openPositions": 4120,
            "openNotionalUsd": 7_209_500_000,
            "openLongUsd": 3_975_000_000,
            "openShortUsd": 3_234_500_000,
            "traders": 22_600,
            "trades": 880_000,
            "liquidatedUsd": 300_000_000_000,
            "feesLifetimeUsd": 41_000_000,
            "feesPendingUsd": 1200,
            "traderPnlUsd": -5_500_000,
            "stakingRewardsUsd": 8_000_000,
            "liveSince": "2026-10-06T22:42:00Z",
            "block": 48399239,
        }
        assert result["freshness"]["degraded"] is False

    @pytest.mark.requirement("snapshot:changes")
    def test_changes_are_against_hours_and_against_days_where_hours_do_not_reach(
        self, venue: ToldVenue
    ) -> None:
        deltas = venue.call(TOOL, {})["deltas"]
        day, week = "2026-11-29T12:00:00Z", "2026-11-24T00:00:00Z"
        same = {"absolute": 0, "percent": 0}
        assert deltas == {
            "change24h": {
                "tvlUsd": {"absolute": 10_000_000, "percent": 50, "since": day},
                "volumeUsd": {"absolute": 1_000_000_000_000, "percent": 12.5, "since": day},
                "trades": {**same, "since": day},
                "traders": {"absolute": 600, "percent": 2.727273, "since": day},
                "liquidatedUsd": {**same, "since": day},
                "traderPnlUsd": {"absolute": -1_500_000, "percent": -37.5, "since": day},
            },
            "change7d": {
                "tvlUsd": {"absolute": 20_000_000, "percent": 200, "since": week},
                "volumeUsd": {"absolute": 1_000_000_000_000, "percent": 12.5, "since": week},
                "trades": {**same, "since": week},
                "traders": {"absolute": 600, "percent": 2.727273, "since": week},
                "liquidatedUsd": {**same, "since": week},
                "traderPnlUsd": {"absolute": -1_500_000, "percent": -37.5, "since": week},
            },
        }

    def test_counts_are_whole_numbers(self, venue: ToldVenue) -> None:
        result = venue.call(TOOL, {})
        for name in ("queuedPayouts", "openPositions", "traders", "trades", "block"):
            assert type(result["protocol"][name]) is int
        for name in ("traders", "trades"):
            assert type(result["deltas"]["change24h"][name]["absolute"]) is int

    def test_the_sentence_names_the_headline_figures(self, venue: ToldVenue) -> None:
        assert venue.answer(TOOL, {})[1] == (
            "At block 48399239: TVL $31,000,000 (+50 % in 24 h), volume $315,785,554,681 in 24 h, "
            "volume $9,000,000,000,000 since launch, 4,120 open positions of $7,209,500,000 notional, 22,600 "
            "traders and 880,000 trades so far. Simulated data."
        )

    def test_a_default_answer_is_at_most_10_kb(self, venue: ToldVenue) -> None:
        assert size_of(venue.call(TOOL, {})) <= DEFAULT_BYTES


class TestMissingParts:
    @pytest.mark.parametrize("source", PARTS)
    def test_a_failed_source_leaves_its_figures_null_with_a_note_and_all_others_in_place(
        self, venue: ToldVenue, source: str
    ) -> None:
        whole = venue.call(TOOL, {})
        venue.fail(source)
        result = venue.call(TOOL, {})
        assert result["protocol"] == whole["protocol"] | dict.fromkeys(PARTS[source])
        assert result["freshness"]["degraded"] is True
        assert "cannot be reached now." in notes(result)[source]
        unknown = dict.fromkeys(CHANGED)
        without_history = {"change24h": unknown, "change7d": unknown}
        assert result["deltas"] == (without_history if source == "exchange.history" else whole["deltas"])

    def test_everything_but_the_summary_may_fail_at_once(self, venue: ToldVenue) -> None:
        whole = venue.call(TOOL, {})
        venue.fail(*PARTS)
        result, summary = venue.answer(TOOL, {})
        unknown = dict.fromkeys(name for names in PARTS.values() for name in names)
        assert result["protocol"] == whole["protocol"] | unknown
        assert set(notes(result)) == set(PARTS)
        assert summary == (
            "At block 48399239: TVL $31,000,000, volume $9,000,000,000,000 since launch, 4,120 open "
            "positions. Some inputs are old or missing; see freshness. Simulated data."
        )

    def test_without_the_summary_it_is_a_clear_error(self, venue: ToldVenue) -> None:
        venue.fail("exchange.summary")
        with pytest.raises(
            ToolError, match=r"^exchange\.summary cannot be reached now\. Try again in 7 s\.$"
        ):
            venue.call(TOOL, {})

    def test_without_hours_days_tell_the_totals_and_the_week(self, venue: ToldVenue) -> None:
        broken = history(Interval.HOUR, tvl=[1])
        del broken["columns"]["tvl"]
        venue.put(exchange.history(Interval.HOUR), broken)
        result = venue.call(TOOL, {})
        assert result["protocol"]["traders"] == 22_600
        assert result["deltas"]["change24h"] == dict.fromkeys(CHANGED)
        assert result["deltas"]["change7d"]["traders"]["absolute"] == 600
        assert notes(result)["exchange.history"].startswith("What only the hourly history tells is null.")

    @pytest.mark.parametrize("hours_fail", [False, True])
    def test_a_figure_of_another_time_is_never_that_of_now(self, venue: ToldVenue, hours_fail: bool) -> None:
        columns: dict[str, Any] = {"traderPnl": [-4e6] * 30 + [None], "tvl": [20e6] * 30 + [None]}
        for interval in (Interval.HOUR, Interval.DAY):
            venue.put_history(interval, **columns)
        if hours_fail:
            venue.fail_one(exchange.history(Interval.HOUR))
        result = venue.call(TOOL, {})
        assert result["protocol"]["traderPnlUsd"] is None
        for changes in result["deltas"].values():
            assert (changes["tvlUsd"], changes["traderPnlUsd"]) == (None, None)
        assert result["freshness"]["degraded"] is True
        if not hours_fail:
            note = "Its newest net trader PnL is of 2026-11-30T12:00:00Z, too old for "
            assert notes(result)["exchange.history"].startswith(note)

    def test_a_side_that_is_unknown_now_leaves_the_open_notional_null(self, venue: ToldVenue) -> None:
        venue.put_house(Interval.HOUR, bl=[1], bs=[1], el=[1], es=[None])
        result = venue.call(TOOL, {})
        assert {result["protocol"][name] for name in PARTS["exchange.house_history"]} == {None}
        assert "what is open in ETH now" in notes(result)["exchange.house_history"]

    @pytest.mark.parametrize(("told", "missing"), [([], "BTC"), ([0], "ETH"), ([1, 2], "BTC")])
    def test_a_table_that_lacks_a_market_gives_no_volume_of_the_whole_protocol(
        self, venue: ToldVenue, told: list[int], missing: str
    ) -> None:
        markets = {str(market_id): {"volume_24h": "7"} for market_id in told}
        venue.put(exchange.market_stats(), {"ok": True, "markets": markets})
        result = venue.call(TOOL, {})
        assert result["protocol"]["volume24hUsd"] is None
        assert f"leaves out {missing}, " in notes(result)["exchange.market_stats"]

    @pytest.mark.parametrize(
        ("path", "figure"),
        [
            (("balances", "tvl"), "-1"),
            (("balances", "tvl"), float("nan")),
            (("balances", "margin"), 1.5),
            (("activity", "open"), -1),
            (("source", "at"), AS_OF_MS + 120_000),
            (("source", "genesis"), AS_OF_MS + 120_000),
        ],
    )
    def test_an_implausible_summary_is_never_shown(
        self, venue: ToldVenue, path: tuple[str, str], figure: object
    ) -> None:
        summary = body("summary")
        summary[path[0]][path[1]] = figure
        venue.put(exchange.summary(), summary)
        with pytest.raises(ToolError, match="unexpected form or figure"):
            venue.call(TOOL, {})


def test_a_cold_call_reads_five_documents() -> None:
    with simulated_calls() as calls:
        result = calls.call(TOOL, {})
        assert calls.requests == 5
        assert result["freshness"]["degraded"] is False
        assert all(result["deltas"][span][name] for span in result["deltas"] for name in CHANGED)


def test_the_venues_own_bodies_before_trading_began_give_zeros_and_nulls() -> None:
    venue = ToldVenue()
    summary, days = (
        json.loads((RECORDED / f"{name}_2026-10-09.json").read_text(encoding="utf-8"))
        for name in ("summary", "history_1d")
    )
    as_of_ms = days["source"]["asOfMs"]
    venue.clock.ms = as_of_ms + 1000
    venue.put(exchange.summary(), summary)
    venue.put(exchange.history(Interval.DAY), days)
    venue.put_history(Interval.HOUR, as_of_ms=as_of_ms, tvl=[0.0] * 60, users=[0.0] * 60)
    venue.put_house(Interval.HOUR, as_of_ms=as_of_ms, bl=[0], bs=[0], el=[0], es=[0])
    venue.put(
        exchange.market_stats(), {"ok": True, "markets": {"0": {"volume_24h": "0"}, "1": {"volume_24h": "0"}}}
    )
    venue.put(exchange.queue(), {**body("queue"), "source": {"block": "1", "at": as_of_ms}})
    result, summary_text = venue.answer(TOOL, {})
    protocol = result["protocol"]
    assert (protocol["tvlUsd"], protocol["openNotionalUsd"], protocol["volume24hUsd"]) == (
        14831637.903488,
        0,
        0,
    )
    assert result["deltas"]["change24h"]["volumeUsd"]["percent"] is None
    assert result["deltas"]["change7d"] == dict.fromkeys(CHANGED)
    assert result["freshness"]["degraded"] is False
    assert summary_text.startswith("At block 48068869: TVL $14,831,638, volume $0 in 24 h, volume $0 since")


@pytest.mark.requirement("result:output-schema")
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_whatever_the_figures_are_the_result_fits_its_schema(data: st.DataObject) -> None:
    venue = ToldVenue()
    figure = st.one_of(st.none(), st.just(0.0), st.floats(-1e40, 1e40, allow_nan=False))
    for interval in (Interval.HOUR, Interval.DAY):
        points = data.draw(st.integers(0, 30))
        column = st.lists(figure, min_size=points, max_size=points)
        drawn: dict[str, Any] = {name: data.draw(column) for name in ("tvl", "volume", "traderPnl", "users")}
        told = history(interval, **drawn)
        amounts = st.integers(0, 10**15).map(str)
        told["totals"] = {name: data.draw(amounts) for name in told["totals"]}
        venue.put(exchange.history(interval), told)
    summary = body("summary")
    for name in summary["balances"]:
        summary["balances"][name] = str(data.draw(st.integers(0, 10**59)))
    venue.put(exchange.summary(), summary)
    missing = data.draw(st.lists(st.sampled_from(list(PARTS)), unique=True))
    venue.fail(*missing)
    result = venue.call(TOOL, {})
    noted = {name for name, note in notes(result).items() if not note.startswith("Its newest ")}
    assert noted == set(missing)
    assert result["freshness"]["degraded"] is bool(notes(result))
    for name in (name for source in missing for name in PARTS[source]):
        assert result["protocol"][name] is None
