"""``get_history``: points, differences, changes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.metrics import METRICS
from mcp_analytics.server import SERVER
from mcp_analytics.tools.get_history import TOOL
from papertrade_site.market.scale import usd
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Interval
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange
from tests.filled_venue import FilledVenue
from tests.histories import AS_OF_MS, history
from tests.mcp_analytics.told import ToldVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, MOST_BYTES, notes, size_of

RECORDED = Path(__file__).parent.parent / "recorded"
RUNNING_TOTALS = [
    "volume",
    "volume_btc",
    "volume_eth",
    "traders",
    "trades",
    "liquidated_volume",
    "trader_pnl",
]
LEVELS = ["tvl", "paper_supply", "paper_staked"]


@pytest.fixture
def venue() -> ToldVenue:
    return ToldVenue()


def _read(venue: FilledVenue, metric: str = "volume", **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    return venue.call(TOOL, {"metric": metric, **arguments})


class TestPoints:
    @pytest.mark.requirement("history:stamps", "history:defaults")
    def test_a_history_in_full(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.DAY, volume=[5, 7.5, 9])
        venue.put_history(Interval.HOUR, volume=[8, 9.25])
        result = _read(venue)
        for name in ("generatedAt", "dataSource", "freshness"):
            del result[name]
        assert result == {
            "metric": "volume",
            "unit": "usd",
            "kind": "cumulative",
            "mode": "value",
            "interval": "1d",
            "asOf": "2026-11-30T12:23:00Z",
            "totalPoints": 3,
            "points": [
                {"time": "2026-11-29T00:00:00Z", "value": 5},
                {"time": "2026-11-30T00:00:00Z", "value": 7.5},
                {"time": "2026-11-30T12:23:00Z", "value": 9, "partial": True},
            ],
            "change24h": None,
            "change7d": None,
        }

    @pytest.mark.requirement("history:arguments", "history:stamps")
    def test_the_newest_points_come_oldest_first_as_many_as_asked_for(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.HOUR, tvl=list(range(1, 11)))
        result = _read(venue, "tvl", interval="1h", limit=3)
        assert [(point["time"][11:16], point["value"]) for point in result["points"]] == [
            ("11:00", 8),
            ("12:00", 9),
            ("12:23", 10),
        ]
        assert result["totalPoints"] == 10

    def test_a_closed_last_bucket_is_whole(self, venue: ToldVenue) -> None:
        noon_ms = AS_OF_MS // HOUR_MS * HOUR_MS
        told = history(Interval.HOUR, as_of_ms=noon_ms, tvl=[1, 2, 3])
        venue.put(exchange.history(Interval.HOUR), told)
        points = _read(venue, "tvl", interval="1h")["points"]
        assert [point["time"][11:16] for point in points] == ["11:00", "12:00"]
        assert "partial" not in points[-1]

    def test_a_bucket_without_a_figure_is_left_out(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.HOUR, tvl=[1, None, 3, None])
        result = _read(venue, "tvl", interval="1h")
        assert [point["value"] for point in result["points"]] == [1, 3]
        assert result["totalPoints"] == 2
        assert "partial" not in result["points"][-1]

    @pytest.mark.parametrize("columns", [{"tvl": []}, {"tvl": [None, None]}])
    def test_a_history_without_points_is_a_normal_answer(
        self, venue: ToldVenue, columns: dict[str, Any]
    ) -> None:
        venue.put_history(Interval.HOUR, **columns)
        result, summary = venue.answer(TOOL, {"metric": "tvl", "interval": "1h"})
        assert (result["points"], result["totalPoints"]) == ([], 0)
        assert (result["change24h"], result["change7d"]) == (None, None)
        assert summary.startswith("Total value locked: the history has no 1h points yet.")

    @pytest.mark.requirement("history:metrics")
    @pytest.mark.parametrize(
        ("metric", "column", "unit"),
        [
            ("tvl", "tvl", "usd"),
            ("volume", "volume", "usd"),
            ("volume_btc", "volumeBtc", "usd"),
            ("volume_eth", "volumeEth", "usd"),
            ("traders", "users", "count"),
            ("trades", "trades", "count"),
            ("liquidated_volume", "liquidation", "usd"),
            ("trader_pnl", "traderPnl", "usd"),
            ("paper_supply", "paperSupply", "paper"),
            ("paper_staked", "paperStaked", "paper"),
        ],
    )
    def test_each_metric_is_its_own_column_of_the_venues(
        self, venue: ToldVenue, metric: str, column: str, unit: str
    ) -> None:
        figures: dict[str, Any] = {column: [3, 4]}
        venue.put_history(Interval.DAY, **figures)
        result = _read(venue, metric)
        assert [point["value"] for point in result["points"]] == [3, 4]
        assert (result["metric"], result["unit"]) == (metric, unit)
        assert result["kind"] == ("level" if metric in LEVELS else "cumulative")

    @pytest.mark.parametrize("mode", ["value", "per_bucket"])
    def test_counts_are_whole_numbers(self, venue: ToldVenue, mode: str) -> None:
        result = _read(venue, "traders", mode=mode, interval="1h")
        assert {type(point["value"]) for point in result["points"]} == {int}
        assert type(result["change24h"]["absolute"]) is int

    def test_the_last_point_is_the_exact_total_where_a_float_cannot_hold_it(self, venue: ToldVenue) -> None:
        told = history(Interval.DAY, volume=[1.0, 9000000000000.123])
        told["totals"]["volumeRaw"] = "9000000000000123456000000000000"
        venue.put(exchange.history(Interval.DAY), told)
        points = _read(venue)["points"]
        assert points[-1]["value"] == 9000000000000.123456
        assert _read(venue, mode="per_bucket")["points"][-1]["value"] == 8999999999999.123456

    def test_an_exact_total_of_now_is_not_put_on_a_point_of_then(self, venue: ToldVenue) -> None:
        told = history(Interval.DAY, as_of_ms=AS_OF_MS - DAY_MS, volume=[1, 2])
        told["source"]["asOfMs"] = AS_OF_MS
        told["totals"]["volumeRaw"] = "77" + "0" * 18
        venue.put(exchange.history(Interval.DAY), told)
        assert [point["value"] for point in _read(venue)["points"]] == [1, 2]


class TestPerBucket:
    @pytest.mark.requirement("history:cumulative")
    def test_each_bucket_has_what_it_added_and_as_many_come_back_as_asked_for(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.HOUR, volume=[5, 7, 10, 14])
        result = _read(venue, interval="1h", mode="per_bucket", limit=2)
        assert [(point["time"][11:16], point["value"]) for point in result["points"]] == [
            ("12:00", 3),
            ("12:23", 4),
        ]
        assert result["points"][-1]["partial"] is True
        assert result["totalPoints"] == 3

    def test_an_amount_over_a_gap_says_so(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.HOUR, volume=[5, None, 10, 14])
        points = _read(venue, interval="1h", mode="per_bucket")["points"]
        assert [(point["value"], point.get("gap")) for point in points] == [(5, True), (4, None)]

    def test_trader_pnl_may_fall(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.HOUR, traderPnl=[-5, -7.5])
        points = _read(venue, "trader_pnl", interval="1h", mode="per_bucket")["points"]
        assert [point["value"] for point in points] == [-2.5]

    def test_one_point_has_nothing_to_be_compared_with(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.HOUR, volume=[5])
        result = _read(venue, interval="1h", mode="per_bucket")
        assert (result["points"], result["totalPoints"]) == ([], 0)

    def test_changes_are_of_the_figure_itself(self, venue: ToldVenue) -> None:
        value, per_bucket = (_read(venue, interval="1h", mode=mode) for mode in ("value", "per_bucket"))
        assert per_bucket["change24h"] == value["change24h"]
        assert value["change24h"]["absolute"] == 25

    @pytest.mark.requirement("history:levels-refused")
    @pytest.mark.parametrize("metric", LEVELS)
    def test_a_level_is_refused_and_the_metrics_that_do_are_listed(self, metric: str) -> None:
        venue = ToldVenue()
        asked = {"metric": metric, "mode": "per_bucket"}
        result = venue.dispatch(SERVER, "get_history", asked)["result"]
        (block,) = result["content"]
        assert result["isError"] is True
        assert block["text"] == (
            f'Wrong arguments for get_history: mode is "per_bucket": it cannot be used with {metric}, which '
            "is a level and not a running total; use mode value, or one of the metrics volume, volume_btc, "
            "volume_eth, traders, trades, liquidated_volume, trader_pnl."
        )
        assert venue.asked == []

    @pytest.mark.requirement("history:cumulative")
    @pytest.mark.parametrize("metric", RUNNING_TOTALS)
    def test_every_running_total_can_be_had_per_bucket(self, venue: ToldVenue, metric: str) -> None:
        assert len(_read(venue, metric, mode="per_bucket")["points"]) == 48


class TestSummary:
    def test_values_are_summed_up_by_the_last_one_and_its_changes(self, venue: ToldVenue) -> None:
        _, summary = venue.answer(TOOL, {"metric": "traders", "interval": "1h", "limit": 24})
        assert summary == (
            "Traders 168 at 2026-11-30T12:23:00Z, +17.48 % over 24 h, +16,700 % over 7 d; 24 of 168 1h "
            "points from 2026-11-29T14:00:00Z to 2026-11-30T12:23:00Z. Simulated data."
        )

    def test_a_change_from_nothing_is_told_in_its_unit(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.DAY, tvl=[])
        venue.put_history(Interval.HOUR, paperSupply=[0.0] * 24 + [4.5])
        _, summary = venue.answer(TOOL, {"metric": "paper_supply", "interval": "1h"})
        assert summary.startswith("PAPER supply 4.5 PAPER at 2026-11-30T12:23:00Z, +4.5 PAPER over 24 h; 25")
        venue.put_history(Interval.HOUR, traderPnl=[0.0] * 24 + [-4.5])
        _, summary = venue.answer(TOOL, {"metric": "trader_pnl", "interval": "1h"})
        assert ", -$4.50 over 24 h;" in summary

    @pytest.mark.requirement("history:prompt")
    def test_amounts_are_summed_up_by_their_sum_and_the_most(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.DAY, volume=[0, 5, 7, 7.25])
        _, summary = venue.answer(TOOL, {"metric": "volume", "mode": "per_bucket", "limit": 500})
        assert summary == (
            "Volume per 1d bucket: $7.25 in 3 of 3 1d points from 2026-11-29T00:00:00Z to "
            "2026-11-30T12:23:00Z, most $5 in the one to 2026-11-29T00:00:00Z, last $0.25 so far. "
            "Simulated data."
        )


class TestFailures:
    @pytest.mark.parametrize("interval", ["1h", "1d"])
    def test_without_the_history_it_is_a_clear_error(self, venue: ToldVenue, interval: str) -> None:
        venue.fail("exchange.history")
        with pytest.raises(
            ToolError, match=r"^exchange\.history cannot be reached now\. Try again in 7 s\.$"
        ):
            _read(venue, interval=interval)

    def test_without_hours_days_still_come_and_changes_are_null_with_a_note(self, venue: ToldVenue) -> None:
        broken = history(Interval.HOUR, volume=[1, 2])
        broken["columns"]["tvl"] = "oops"
        venue.put(exchange.history(Interval.HOUR), broken)
        result = _read(venue)
        assert len(result["points"]) == 48
        assert result["change24h"] is None
        assert result["freshness"]["degraded"] is True
        assert notes(result)["exchange.history"].startswith("What only the hourly history tells is null.")

    @pytest.mark.parametrize("figure", [float("nan"), float("inf"), -float("inf"), "5", 1e41, True])
    def test_an_implausible_figure_is_never_shown(self, venue: ToldVenue, figure: object) -> None:
        told = history(Interval.DAY, volume=[1, 2])
        told["columns"]["volume"][0] = figure
        venue.put(exchange.history(Interval.DAY), told)
        with pytest.raises(ToolError, match="unexpected form or figure"):
            _read(venue)

    def test_a_history_from_the_future_is_never_shown(self, venue: ToldVenue) -> None:
        venue.put_history(Interval.DAY, as_of_ms=AS_OF_MS + DAY_MS, volume=[1, 2])
        with pytest.raises(ToolError, match="unexpected form or figure"):
            _read(venue)


class TestSizesAndRequests:
    def test_answers_stay_small(self, venue: ToldVenue) -> None:
        assert size_of(_read(venue)) <= DEFAULT_BYTES
        amounts = [-9_876_543_210_123.123 - place for place in range(510)]
        every_second = [figure for amount in amounts for figure in (None, amount)]
        venue.put_history(Interval.HOUR, traderPnl=every_second)
        result = _read(venue, "trader_pnl", interval="1h", mode="per_bucket", limit=500)
        assert len(result["points"]) == 500
        assert all(point["gap"] for point in result["points"])
        assert size_of(result) <= MOST_BYTES

    @pytest.mark.requirement("history:reach")
    @pytest.mark.parametrize(("interval", "requests"), [("1h", 1), ("1d", 2)])
    def test_a_cold_call_reads_the_history_and_hours_for_the_changes(
        self, interval: str, requests: int
    ) -> None:
        with simulated_calls() as calls:
            result = calls.call(TOOL, {"metric": "volume", "interval": interval, "limit": 500})
            assert calls.requests == requests
            days = calls.world.now_ms // DAY_MS - calls.world.genesis_ms // DAY_MS + 1
            assert result["totalPoints"] == (167 if interval == "1h" else days)

    @pytest.mark.requirement("history:reach", "history:prompt")
    def test_daily_volume_since_launch_adds_up_to_all_of_it(self) -> None:
        with simulated_calls(traders=4) as calls:
            result = calls.call(TOOL, {"metric": "volume", "mode": "per_bucket", "limit": 500})
            world = calls.world
        total = sum(point["value"] for point in result["points"])
        assert total == pytest.approx(usd(world.exchange.volume), rel=1e-12)
        assert len(result["points"]) >= (world.now_ms - world.genesis_ms) // DAY_MS


def test_the_venues_own_body_before_trading_began_gives_figures_and_nulls() -> None:
    venue = ToldVenue()
    told = json.loads((RECORDED / "history_1d_2026-10-09.json").read_text(encoding="utf-8"))
    venue.clock.ms = told["source"]["asOfMs"] + 1000
    venue.put(exchange.history(Interval.DAY), told)
    venue.put_history(Interval.HOUR, as_of_ms=told["source"]["asOfMs"], tvl=[0.0] * 60)
    result = _read(venue, "tvl")
    assert [point["value"] for point in result["points"]] == [
        0,
        10553.050507,
        8068098.319916,
        14831637.903488,
    ]
    assert result["points"][-1] == {"time": "2026-10-09T09:17:43Z", "value": 14831637.903488, "partial": True}
    assert result["change24h"] == {
        "absolute": 14831637.903488,
        "percent": None,
        "since": "2026-10-08T09:00:00Z",
    }
    assert result["change7d"] is None
    for metric in METRICS:
        assert _read(venue, metric)["totalPoints"] == 4
    users = _read(venue, "traders", mode="per_bucket")
    assert [point["value"] for point in users["points"]] == [2, 1081, 1177]


PLAIN = st.one_of(
    st.none(), st.floats(-1e40, 1e40, allow_nan=False), st.floats(0, 1e12), st.integers(0, 10**12).map(float)
)


@pytest.mark.requirement("result:output-schema")
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_whatever_the_history_is_the_result_fits_its_schema(data: st.DataObject) -> None:
    venue = ToldVenue()
    metric = data.draw(st.sampled_from(list(METRICS)))
    column = METRICS[metric].column
    wire = {"users": "users", "volume_btc": "volumeBtc", "volume_eth": "volumeEth", "trader_pnl": "traderPnl"}
    wire |= {"paper_supply": "paperSupply", "paper_staked": "paperStaked"}
    for interval in (Interval.HOUR, Interval.DAY):
        drawn: dict[str, Any] = {wire.get(column, column): data.draw(st.lists(PLAIN, max_size=40))}
        told = history(interval, **drawn)
        told["totals"] = dict.fromkeys(told["totals"], "5")
        venue.put(exchange.history(interval), told)
    mode = data.draw(st.sampled_from(["value", "per_bucket"] if metric in RUNNING_TOTALS else ["value"]))
    width, limit = data.draw(st.sampled_from(["1h", "1d"])), data.draw(st.integers(2, 60))
    result = _read(venue, metric, mode=mode, interval=width, limit=limit)
    times = [point["time"] for point in result["points"]]
    assert times == sorted(set(times))
    assert len(times) == min(limit, result["totalPoints"])
    assert [point["time"] for point in result["points"] if "partial" in point] in ([], [result["asOf"]])
