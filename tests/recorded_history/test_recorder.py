"""What a round of recording keeps, corrects, forgets and survives."""

from __future__ import annotations

import logging
from random import Random

import pytest
from django.db import DatabaseError, OperationalError

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Interval
from papertrade_site.recorded import store
from papertrade_site.recorded.models import ProtocolPoint
from papertrade_site.recorded.published import Published
from papertrade_site.recorded.recorder import FIRST_RETRY, Recorder
from papertrade_site.upstream import exchange
from papertrade_site.upstream.models.history import HouseColumns
from tests.recorded_history.venue import (
    DAY,
    HOUR,
    LIVE,
    SIMULATED,
    RecordedVenue,
    hourly,
    recorded_lp,
    recorded_tvl,
    recorder_of,
)

pytestmark = pytest.mark.django_db

AWKWARD = (0.1 + 0.2, 14831637.903487999, 1e40, 5e-324, 2.0**53 + 2, 0.0, 217785554681.2, 1 / 3)


@pytest.fixture
def venue() -> RecordedVenue:
    return RecordedVenue()


@pytest.fixture
def recorder(published: Published) -> Recorder:
    return recorder_of(SIMULATED, published)


@pytest.fixture
def of_live(published: Published) -> Recorder:
    return recorder_of(LIVE, published)


def test_closed_buckets_of_both_series_and_widths_are_kept_and_open_ones_are_not(
    venue: RecordedVenue, recorder: Recorder
) -> None:
    venue.recorded_by(recorder)
    assert recorded_tvl() == recorded_lp() == {HOUR - 2 * HOUR_MS: 1.0, HOUR - HOUR_MS: 2.0}
    assert recorded_tvl(interval=Interval.DAY) == recorded_lp(interval=Interval.DAY) == {DAY - DAY_MS: 10.0}


def test_the_newest_bucket_is_not_kept_even_when_the_venues_clock_says_that_it_is_over(
    venue: RecordedVenue, recorder: Recorder
) -> None:
    figures = [1.0, 2.0, 3.0]
    venue.tell(figures)
    venue.clock.advance(3600)
    late = {"startMs": HOUR - 2 * HOUR_MS, "source": {"asOfMs": venue.clock.ms}}
    venue.sent(exchange.history(Interval.HOUR)).update(late)
    venue.recorded_by(recorder)
    assert recorded_tvl() == {HOUR - 2 * HOUR_MS: 1.0, HOUR - HOUR_MS: 2.0}


def test_a_second_round_keeps_every_point_once(venue: RecordedVenue, recorder: Recorder) -> None:
    venue.recorded_by(recorder)
    before = list(ProtocolPoint.objects.order_by("id").values())
    venue.recorded_by(recorder)
    assert list(ProtocolPoint.objects.order_by("id").values()) == before
    assert len(before) == 3


def test_what_the_venue_forgets_stays(venue: RecordedVenue, recorder: Recorder) -> None:
    venue.recorded_by(recorder)
    venue.pass_hours(2, [3.5, 4.0])
    venue.recorded_by(recorder)
    assert recorded_tvl() == {HOUR - 2 * HOUR_MS: 1.0, HOUR - HOUR_MS: 2.0, HOUR + HOUR_MS: 3.5}


def test_figures_come_back_exactly_as_they_were_sent(venue: RecordedVenue, recorder: Recorder) -> None:
    dice = Random(3)
    figures = [*AWKWARD, *(dice.uniform(0, 10.0 ** dice.randint(-20, 39)) for _ in range(400))]
    venue.tell([*figures, 0.0])
    venue.recorded_by(recorder)
    assert list(recorded_tvl().values()) == figures
    assert list(recorded_lp().values()) == figures


def test_a_later_word_of_the_venue_wins_and_is_logged_once(
    venue: RecordedVenue, of_live: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    venue.tell([1.0, 2.0, 2.5, 3.0])
    venue.recorded_by(of_live)
    venue.tell([1.0, 7.0, 2.5, 3.0])
    venue.recorded_by(of_live)
    venue.recorded_by(of_live)
    assert list(recorded_tvl(LIVE).values()) == [1.0, 7.0, 2.5]
    protocol, house = (record.getMessage() for record in caplog.records if record.levelno > logging.INFO)
    assert protocol.startswith(
        "The venue has corrected what was recorded (protocol 1h, buckets: 1): "
        "2026-11-30T10:00:00Z tvl 7.0 (was 2.0), "
    )
    assert house.count("7.0 (was 2.0)") == len(HouseColumns.model_fields)


def test_of_many_corrections_a_log_line_names_the_first_and_counts_all(
    venue: RecordedVenue, of_live: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    venue.tell([*range(1, 101), 0.0])
    venue.recorded_by(of_live)
    venue.tell([*range(2, 102), 0.0])
    venue.recorded_by(of_live)
    first = caplog.records[0].getMessage()
    assert first.startswith("The venue has corrected what was recorded (protocol 1h, buckets: 100): ")
    assert first.count("tvl") == 20


def test_having_no_figure_later_takes_none_away_and_a_late_figure_is_no_correction(
    venue: RecordedVenue, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    venue.tell([1.0, None, 3.0])
    venue.recorded_by(recorder)
    venue.tell([None, 2.0, 3.0])
    venue.recorded_by(recorder)
    assert list(recorded_tvl().values()) == [1.0, 2.0]
    assert caplog.records == []


def test_an_embedded_exchange_that_begins_anew_has_none_of_the_former_ones_past(
    venue: RecordedVenue, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    venue.recorded_by(recorder)
    venue.pass_hours(2, [30.0, 40.0])
    venue.tell([77.0, 88.0], interval=Interval.DAY)
    venue.recorded_by(recorder)
    assert recorded_tvl() == recorded_lp() == {HOUR + HOUR_MS: 30.0}
    assert recorded_tvl(interval=Interval.DAY) == {DAY - DAY_MS: 77.0}
    (line,) = caplog.records
    assert line.getMessage().startswith("The embedded exchange has begun anew")


def test_the_real_venue_keeps_its_record_whatever_it_corrects(
    venue: RecordedVenue, of_live: Recorder
) -> None:
    venue.recorded_by(of_live)
    venue.pass_hours(1, [20.0, 30.0, 40.0])
    venue.recorded_by(of_live)
    assert list(recorded_tvl(LIVE).values()) == [1.0, 20.0, 30.0]


def test_sources_never_share_a_record(venue: RecordedVenue, recorder: Recorder, of_live: Recorder) -> None:
    venue.recorded_by(recorder)
    venue.tell([5.0, 6.0, 7.0])
    venue.recorded_by(of_live)
    assert list(recorded_tvl(SIMULATED).values()) == [1.0, 2.0]
    assert list(recorded_tvl(LIVE).values()) == [5.0, 6.0]


def test_hours_are_kept_for_two_years_and_days_for_ever(venue: RecordedVenue, recorder: Recorder) -> None:
    venue.recorded_by(recorder)
    venue.pass_hours(2 * 365 * 24 - 2, [8.0, 9.0])
    venue.tell([11.0, 12.0], interval=Interval.DAY)
    venue.recorded_by(recorder)
    assert list(recorded_tvl().values()) == list(recorded_lp().values()) == [2.0, 8.0]
    assert list(recorded_tvl(interval=Interval.DAY).values()) == [10.0, 11.0]


def test_a_source_that_fails_costs_its_own_series_alone_and_rounds_become_rarer(
    venue: RecordedVenue, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    assert venue.recorded_by(recorder) is None
    venue.pass_hours(1, [3.0, 4.0])
    venue.fail("exchange.history")
    pauses = [venue.recorded_by(recorder) for _ in range(10)]
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 480, 480, 480]
    assert list(recorded_lp().values()) == [1.0, 2.0, 3.0]
    assert list(recorded_tvl().values()) == [1.0, 2.0]
    assert caplog.records[0].getMessage().startswith("Not read: protocol 1h, protocol 1d. ")
    venue.recover()
    assert venue.recorded_by(recorder) is None
    assert list(recorded_tvl().values()) == [1.0, 2.0, 3.0]
    venue.fail("exchange.history")
    assert venue.recorded_by(recorder) == FIRST_RETRY.seconds


def test_an_old_copy_is_kept_and_is_no_success(
    venue: RecordedVenue, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    venue.let_age("exchange.history")
    assert venue.recorded_by(recorder) == FIRST_RETRY.seconds
    assert list(recorded_tvl().values()) == [1.0, 2.0]
    line = "Not read: protocol 1h, protocol 1d. Not refreshed: exchange.history cannot be reached now."
    assert [record.getMessage() for record in caplog.records] == [line]
    venue.recover()
    assert venue.recorded_by(recorder) is None


@pytest.mark.parametrize(
    "error", [OperationalError("database is locked"), DatabaseError("no such table: x\nLINE 1: …")]
)
def test_a_database_that_refuses_costs_a_line_and_rarer_rounds(
    venue: RecordedVenue,
    recorder: Recorder,
    error: DatabaseError,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(store, "record", refuse)
        assert venue.recorded_by(recorder) == FIRST_RETRY.seconds
    (line,) = caplog.records
    assert "the database refuses" in line.getMessage()
    assert "\n" not in line.getMessage()
    assert line.exc_info is None
    assert recorded_tvl() == {}
    assert venue.recorded_by(recorder) is None
    assert len(recorded_tvl()) == 2


@pytest.mark.parametrize("steps", range(5))
def test_a_round_that_may_not_go_on_ends_between_two_readings_and_keeps_nothing(
    venue: RecordedVenue, recorder: Recorder, published: Published, steps: int
) -> None:
    answers = iter([True] * steps + [False] * 5)
    with venue.read_by_tools():
        recorder.round(lambda: next(answers))
    assert len(venue.asked) == steps
    assert recorded_tvl() == {}
    assert published.get(hourly()) is None
