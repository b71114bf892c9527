"""The past as tools read it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache
from pytest_django import DjangoAssertNumQueries

from mcp_analytics.tools import get_history
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.recorded import past as past_module
from papertrade_site.recorded.key import Record
from papertrade_site.recorded.past import Past, house_past, protocol_past
from papertrade_site.recorded.published import POINTS, Published
from papertrade_site.recorded.recorder import Recorder
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnreachableError
from papertrade_site.upstream.process import process_sources
from tests.filled_venue import FilledVenue
from tests.recorded_history.venue import HOUR, LIVE, SIMULATED, RecordedVenue, recorder_of
from tests.venue_bodies import NOW_MS, body


@pytest.fixture
def recorder(published: Published) -> Recorder:
    return recorder_of(SIMULATED, published)


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


@pytest.mark.django_db
def test_hours_that_the_venue_has_forgotten_come_before_those_that_it_tells(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.recorded_by(recorder)
    venue.pass_hours(1, [3.5, 4.0])
    for past in (venue.protocol_past(), venue.house_past()):
        closes_ms = (HOUR - HOUR_MS, HOUR, HOUR + HOUR_MS, HOUR + HOUR_MS + HOUR_MS // 2)
        assert past.closes_ms == closes_ms
        assert set(past.columns.values()) == {(1.0, 2.0, 3.5, 4.0)}
        assert past.last_is_open
        assert {past.total_points(column) for column in past.columns} == {4}


@pytest.mark.django_db
def test_a_cache_that_was_emptied_costs_the_forgotten_hours_until_the_next_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    venue, cache = RecordedVenue(), LocMemCache(uuid4().hex, {})
    recorder = recorder_of(SIMULATED, Published(cache, venue.clock))
    venue.recorded_by(recorder)
    venue.pass_hours(1, [3.5, 4.0])
    cache.clear()
    for closed_and_open in ((3.5, 4.0), (1.0, 2.0, 3.5, 4.0)):
        pasts = past_module.Pasts(Published(cache, venue.clock))
        monkeypatch.setattr(past_module, "process_pasts", pasts)
        assert venue.protocol_past().columns["tvl"] == closed_and_open
        venue.recorded_by(recorder)


@pytest.mark.django_db
def test_hours_that_nobody_recorded_are_missing_and_not_made_up(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.recorded_by(recorder)
    venue.pass_hours(5, [7.0, 8.0])
    past = venue.protocol_past()
    assert past.closes_ms[:3] == (HOUR - HOUR_MS, HOUR, HOUR + 5 * HOUR_MS)
    assert past.columns["volume"] == (1.0, 2.0, 7.0, 8.0)


@pytest.mark.django_db
def test_the_venues_own_word_wins_over_the_record_and_the_record_over_its_silence(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.tell([1.0, 2.0, 3.0, 4.0, 5.0])
    venue.recorded_by(recorder)
    venue.tell([1.5, None, 3.0, 4.0, 5.5])
    assert venue.protocol_past().columns["tvl"] == (1.5, 2.0, 3.0, 4.0, 5.5)


@pytest.mark.django_db
def test_nothing_is_shown_that_is_later_than_the_venues_own_answer(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.pass_hours(2, [4.0, 5.0, 6.0])
    venue.recorded_by(recorder)
    venue.clock.advance(-7200)
    venue.tell([1.0, 2.0, 3.0])
    past = venue.protocol_past()
    assert past.columns["tvl"] == (1.0, 2.0, 3.0)
    assert past.closes_ms[-1] == past.as_of_ms == HOUR + HOUR_MS // 2


@pytest.mark.django_db
def test_the_record_of_another_source_is_never_shown(published: Published) -> None:
    venue = RecordedVenue()
    venue.recorded_by(recorder_of(LIVE, published))
    venue.pass_hours(1, [3.5, 4.0])
    assert venue.protocol_past().columns["tvl"] == (3.5, 4.0)


@pytest.mark.django_db
def test_a_record_alone_is_not_shown_when_the_venue_cannot_be_read(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.recorded_by(recorder)
    venue.fail("exchange.history")
    with pytest.raises(UnreachableError):
        venue.protocol_past()


@pytest.mark.django_db
@pytest.mark.parametrize("reached", [0, 100, 588, 599])
def test_points_too_old_to_be_published_are_counted_however_far_the_venue_reaches(
    recorder: Recorder, reached: int
) -> None:
    venue = RecordedVenue()
    figures = [1.0, None, *(float(number) for number in range(1, 599)), 600.0]
    venue.tell(figures)
    venue.recorded_by(recorder)
    venue.tell(figures[-1 - reached :])
    venue.recorded_by(recorder)
    past = venue.protocol_past()
    assert past.total_points("tvl") == 600
    assert len(past.closes_ms) == max(POINTS, reached) + 1


@pytest.mark.django_db
def test_the_past_is_joined_once_for_the_same_answer_and_record(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.recorded_by(recorder)
    told = exchange.history(Interval.HOUR).parse(body("history"), NOW_MS)
    again = exchange.history(Interval.HOUR).parse(body("history"), NOW_MS)
    pasts = [
        past_module.process_pasts.past(Record.PROTOCOL, Interval.HOUR, each) for each in (told, told, again)
    ]
    assert pasts[0] is pasts[1]
    assert pasts[1] is not pasts[2]


def test_minutes_are_the_venues_own_alone() -> None:
    venue = RecordedVenue()
    venue.clock.advance(30)
    venue.tell([1.0, 2.0], interval=Interval.MINUTE)
    assert venue.protocol_past(Interval.MINUTE).columns["tvl"] == (1.0, 2.0)


@pytest.mark.django_db
def test_a_tool_call_asks_the_database_nothing(
    recorder: Recorder, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    venue = RecordedVenue()
    venue.recorded_by(recorder)
    venue.pass_hours(1, [3.5, 4.0])
    with django_assert_num_queries(0):
        found = venue.call(get_history.TOOL, {"metric": "tvl", "interval": "1h"})
    assert [point["value"] for point in found["points"]][:3] == [1.0, 2.0, 3.5]
    assert found["totalPoints"] == 4
