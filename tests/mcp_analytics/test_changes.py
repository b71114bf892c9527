"""Changes over 24 hours and 7 days: which point they compare with, and when there is none."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_analytics.tools.get_history import TOOL
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.upstream import exchange
from tests.histories import AS_OF_MS, history
from tests.mcp_analytics.told import ToldVenue
from tests.tool_calls import notes

HOURS_OF_A_WEEK = 168


def _changes(venue: ToldVenue, metric: str = "tvl", interval: str = "1h") -> tuple[Any, Any]:
    result = venue.call(TOOL, {"metric": metric, "interval": interval})
    return result["change24h"], result["change7d"]


@pytest.fixture
def venue() -> ToldVenue:
    """Three weeks of days, and a week of hours as the venue keeps it: all closed ones and the open one."""
    venue = ToldVenue()
    venue.put_history(Interval.DAY, tvl=[1000.0 * day for day in range(1, 22)])
    venue.put_history(Interval.HOUR, tvl=[float(hour) for hour in range(1, HOURS_OF_A_WEEK + 1)])
    return venue


def test_both_compare_with_the_nearest_hour_and_say_which(venue: ToldVenue) -> None:
    assert _changes(venue) == (
        {"absolute": 25, "percent": 17.482517, "since": "2026-11-29T12:00:00Z"},
        {"absolute": 167, "percent": 16700, "since": "2026-11-23T14:00:00Z"},
    )


def test_days_step_in_where_hours_do_not_reach(venue: ToldVenue) -> None:
    venue.put_history(Interval.HOUR, tvl=[5.0] * 100)
    assert _changes(venue)[1] == {"absolute": -13995, "percent": -99.964286, "since": "2026-11-24T00:00:00Z"}


def test_days_alone_are_too_far_from_24_hours_ago(venue: ToldVenue) -> None:
    venue.put_history(Interval.HOUR, tvl=[])
    change_24h, change_7d = _changes(venue, interval="1d")
    assert change_24h is None
    assert change_7d["since"] == "2026-11-24T00:00:00Z"


def test_a_daily_history_ends_its_changes_at_its_own_last_point(venue: ToldVenue) -> None:
    change_24h, _ = _changes(venue, interval="1d")
    assert change_24h == {"absolute": 21000 - 143, "percent": 14585.314685, "since": "2026-11-29T12:00:00Z"}


@pytest.mark.parametrize(("hours", "reaches"), [(23, False), (24, True)])
def test_a_protocol_younger_than_the_span_has_no_change(venue: ToldVenue, hours: int, reaches: bool) -> None:
    venue.put_history(Interval.DAY, tvl=[1.0, 2.0])
    venue.put_history(Interval.HOUR, tvl=[float(hour) for hour in range(hours + 1)])
    change_24h, change_7d = _changes(venue)
    assert (change_24h is not None) is reaches
    assert change_7d is None


def test_a_missing_hour_is_made_up_for_by_the_next_within_an_hour(venue: ToldVenue) -> None:
    hours: list[float | None] = [float(hour) for hour in range(1, HOURS_OF_A_WEEK + 1)]
    hours[-26] = None
    venue.put_history(Interval.HOUR, tvl=hours)
    assert _changes(venue)[0]["since"] == "2026-11-29T13:00:00Z"
    hours[-25] = None
    venue.put_history(Interval.HOUR, tvl=hours)
    assert _changes(venue)[0] is None


def test_percent_is_of_the_earlier_figures_size_with_the_sign_of_the_move(venue: ToldVenue) -> None:
    for then, now, percent in ((-100.0, -150.0, -50), (-100.0, 50.0, 150), (100.0, 75.0, -25)):
        venue.put_history(Interval.HOUR, traderPnl=[then] * 26 + [now])
        assert _changes(venue, "trader_pnl")[0]["percent"] == percent


def test_percent_of_nothing_is_null(venue: ToldVenue) -> None:
    venue.put_history(Interval.HOUR, tvl=[0.0] * 26 + [7.5])
    assert _changes(venue)[0] == {"absolute": 7.5, "percent": None, "since": "2026-11-29T12:00:00Z"}


def test_no_figure_now_has_no_change(venue: ToldVenue) -> None:
    venue.put_history(Interval.HOUR, tvl=[None] * 30)
    venue.put_history(Interval.DAY, tvl=[None])
    assert _changes(venue) == (None, None)


@pytest.mark.parametrize("interval", ["1h", "1d"])
def test_a_newest_figure_of_another_time_has_no_change_and_a_note(venue: ToldVenue, interval: str) -> None:
    hours: list[float | None] = [float(hour) for hour in range(1, HOURS_OF_A_WEEK)]
    venue.put_history(Interval.HOUR, tvl=[*hours, None])
    venue.put_history(Interval.DAY, tvl=[*map(float, range(20)), None])
    result = venue.call(TOOL, {"metric": "tvl", "interval": interval})
    newest = {"1h": "2026-11-30T12:00:00Z", "1d": "2026-11-30T00:00:00Z"}[interval]
    assert result["points"][-1]["time"] == newest
    assert (result["change24h"], result["change7d"]) == (None, None)
    assert result["freshness"]["degraded"] is True
    assert notes(result)["exchange.history"] == (
        f"Its newest total value locked is of {newest}, too old for a change or a figure of now."
    )


def test_for_ten_minutes_an_hour_that_has_just_closed_is_now(venue: ToldVenue) -> None:
    hours: list[float | None] = [*map(float, range(30)), None]
    for minutes, is_now in ((10, True), (11, False)):
        as_of_ms = AS_OF_MS // HOUR_MS * HOUR_MS + minutes * 60_000
        venue.put_history(Interval.HOUR, as_of_ms=as_of_ms, tvl=hours)
        assert (_changes(venue)[0] is not None) is is_now


def test_a_change_ends_in_the_exact_total(venue: ToldVenue) -> None:
    told = history(Interval.HOUR, volume=[1e12] * 25 + [9e12])
    told["totals"]["volumeRaw"] = "9000000000000123456000000000000"
    venue.put(exchange.history(Interval.HOUR), told)
    assert _changes(venue, "volume")[0]["absolute"] == 8000000000000.123456


def test_days_are_not_asked_for_while_hours_reach(venue: ToldVenue) -> None:
    _changes(venue)
    assert venue.asked == ["exchange.history"]
    assert venue.clock.ms == AS_OF_MS
