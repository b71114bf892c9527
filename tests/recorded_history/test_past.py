"""The past as tools read it."""

from __future__ import annotations

from typing import Any

from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.recorded.past import Past, house_past, protocol_past
from papertrade_site.upstream import exchange
from papertrade_site.upstream.process import process_sources
from tests.tool_calls import NOW_MS, FilledVenue, body


def told(document: dict[str, Any]) -> FilledVenue:
    venue = FilledVenue()
    venue.put(exchange.history(Interval.HOUR), document)
    return venue


def protocol(document: dict[str, Any]) -> Past:
    with told(document).read_by_tools():
        return protocol_past(process_sources.for_call(), Interval.HOUR)


def test_a_closed_bucket_is_true_at_its_close_and_the_open_one_when_the_venue_answered() -> None:
    document = body("history")
    document["startMs"] -= HOUR_MS // 2
    past = protocol(document)
    assert past.closes_ms == (NOW_MS - 3 * HOUR_MS // 2, NOW_MS - HOUR_MS // 2, NOW_MS - 5000)
    assert past.columns["tvl"] == (1000.5, 1001.25, 1002.0)
    assert (past.last_is_open, past.as_of_ms, past.interval_ms) == (True, NOW_MS - 5000, HOUR_MS)


def test_times_never_stand_still_where_the_newest_bucket_is_ahead_of_the_venues_clock() -> None:
    past = protocol(body("history"))
    assert past.closes_ms == (NOW_MS - HOUR_MS, NOW_MS - 5000)
    assert past.columns["tvl"] == (1000.5, 1002.0)
    assert past.last_is_open


def test_a_bucket_that_begins_at_the_venues_very_time_is_left_out() -> None:
    document = body("history")
    document["source"]["asOfMs"] = NOW_MS
    past = protocol(document)
    assert past.closes_ms == (NOW_MS - HOUR_MS, NOW_MS)
    assert past.columns["tvl"] == (1000.5, 1001.25)
    assert not past.last_is_open


def test_the_house_has_its_own_times_and_columns() -> None:
    with FilledVenue().read_by_tools():
        past = house_past(process_sources.for_call(), Interval.HOUR)
    assert past.closes_ms == (NOW_MS - 2 * HOUR_MS, NOW_MS - HOUR_MS, NOW_MS - 6000)
    assert past.columns["btc_short"] == (1500000000.0, None, 1504302261.49)
    assert (past.total_points("btc_short"), past.total_points("lp")) == (2, 3)


def test_an_empty_history_is_an_empty_past() -> None:
    document = body("history")
    document["columns"] = {name: [] for name in document["columns"]}
    past = protocol(document)
    assert (past.closes_ms, past.last_is_open, past.total_points("tvl")) == ((), False, 0)
