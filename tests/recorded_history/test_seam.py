"""A record of another past, and what stays of one of the same past that the venue has corrected."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache

from mcp_analytics.tools import get_history
from papertrade_site.clock import SystemClock
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.recorded import past as past_module
from papertrade_site.recorded.buckets import Buckets
from papertrade_site.recorded.key import INTERVALS, Record, origin
from papertrade_site.recorded.past import Pasts, house_past, protocol_past
from papertrade_site.recorded.published import LOOK_EVERY_S, Published, Recorded
from papertrade_site.recorded.recorder import Recorder
from papertrade_site.recorded.seam import fitting
from papertrade_site.simulator.world import World
from papertrade_site.upstream import exchange
from papertrade_site.upstream.process import process_sources
from tests.clocks import ManualClock
from tests.histories import Column, history
from tests.recorded_history.venue import SIMULATED, RecordedVenue, recorder_of
from tests.simulated_calls import simulated_calls
from tests.venue_bodies import NOW_MS

FIGURES = [float(number) for number in range(1, 21)]


@pytest.fixture
def recorder(published: Published) -> Recorder:
    return recorder_of(SIMULATED, published)


@pytest.fixture
def venue(recorder: Recorder) -> RecordedVenue:
    """A venue that now tells of the last 9 closed hours of the 19 that are recorded."""
    venue = RecordedVenue()
    venue.tell(FIGURES)
    venue.recorded_by(recorder)
    venue.tell(FIGURES[10:])
    return venue


@pytest.mark.django_db
def test_a_record_that_is_contradicted_in_most_of_what_both_tell_is_left_out(venue: RecordedVenue) -> None:
    told = [figure + (place > 3) / 2 for place, figure in enumerate(FIGURES[10:])]
    venue.tell(told)
    for past in (venue.protocol_past(), venue.house_past()):
        assert set(past.columns.values()) == {tuple(told)}
        assert {past.total_points(column) for column in past.columns} == {len(told)}
    result = venue.call(get_history.TOOL, {"metric": "volume", "interval": "1h", "mode": "per_bucket"})
    assert {point["value"] for point in result["points"]} == {1, 1.5}
    assert result["freshness"]["degraded"] is False


@pytest.mark.django_db
def test_a_record_that_is_corrected_in_less_than_that_is_kept(venue: RecordedVenue) -> None:
    told = [figure + (place > 4) / 2 for place, figure in enumerate(FIGURES[10:])]
    venue.tell(told)
    for past in (venue.protocol_past(), venue.house_past()):
        assert set(past.columns.values()) == {(*FIGURES[:10], *told)}


@pytest.mark.django_db
def test_a_running_total_never_falls_where_the_record_ends(venue: RecordedVenue) -> None:
    venue.pass_hours(100, [3.0, 4.0])
    assert venue.protocol_past().columns["volume"] == (3.0, 4.0)
    assert venue.house_past().columns["lp"] == (*FIGURES[:19], 3.0, 4.0)


@pytest.mark.django_db
def test_a_running_total_never_falls_within_the_record(recorder: Recorder) -> None:
    venue = RecordedVenue()
    venue.tell([5.0, 6.0, 7.0, 3.0, 4.0, 5.0])
    venue.recorded_by(recorder)
    venue.pass_hours(1, [5.0, 6.0])
    assert venue.protocol_past().columns["trades"] == (3.0, 4.0, 5.0, 6.0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("column", "falls"), [("tvl", True), ("traderPnl", True), ("paperStaked", True), ("users", False)]
)
def test_levels_and_results_may_fall_where_the_record_ends(
    recorder: Recorder, column: str, falls: bool
) -> None:
    venue = RecordedVenue()

    def tell(figures: Column) -> None:
        told = history(Interval.HOUR, as_of_ms=venue.clock.ms, **{column: figures})
        venue.put(exchange.history(Interval.HOUR), told)

    tell([5.0, 6.0, 7.0])
    venue.recorded_by(recorder)
    venue.clock.advance(4 * HOUR_MS / 1000)
    tell([1.0, 2.0])
    assert len(venue.protocol_past().closes_ms) == (4 if falls else 2)


@pytest.mark.django_db
def test_a_live_venue_may_correct_all_that_it_tells_and_has_its_older_past_back_after_a_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = ManualClock()
    published = Published(LocMemCache(uuid4().hex, {}), clock)
    monkeypatch.setattr(past_module, "process_pasts", Pasts(published))
    monkeypatch.setattr(settings, "PAPERTRADE_SOURCE", "live")
    recorder, venue = recorder_of(origin(), published), RecordedVenue()
    venue.tell(FIGURES)
    venue.recorded_by(recorder)
    corrected = [figure + 0.5 for figure in FIGURES[10:]]
    venue.tell(corrected)
    assert venue.protocol_past().columns["volume"] == tuple(corrected)
    venue.recorded_by(recorder)
    clock.advance(LOOK_EVERY_S)
    assert venue.protocol_past().columns["volume"] == (*FIGURES[:10], *corrected)


@pytest.mark.parametrize(("overlap", "is_kept"), [(0, True), (2, True), (3, False), (7, False)])
def test_two_figures_are_too_few_to_tell_another_past(overlap: int, is_kept: bool) -> None:
    record = Buckets(1, tuple(range(10)), {"lp": (1.0,) * 10})
    told = Buckets(1, tuple(range(10 - overlap, 20)), {"lp": (2.0,) * (10 + overlap)})
    fits = fitting(Recorded(record, {"lp": 4}), told)
    assert (len(fits.buckets.starts_ms), fits.earlier) == ((10, {"lp": 4}) if is_kept else (0, {"lp": 0}))


@pytest.mark.django_db
@pytest.mark.parametrize("seed", [11, 12])
def test_an_exchange_that_is_started_anew_shows_nothing_of_the_former_ones_past(
    recorder: Recorder, seed: int
) -> None:
    with simulated_calls(seed=11) as former, former.read_by_tools():
        recorder.round(lambda: True)
    world = World.create(seed=seed, now_ms=NOW_MS + 3 * HOUR_MS, traders=60)
    unrecorded = Pasts(Published(LocMemCache(uuid4().hex, {}), SystemClock()))
    with simulated_calls(world=world) as anew, anew.read_by_tools():
        sources = process_sources.for_call()
        for interval in INTERVALS:
            told, house = sources.history(interval), sources.house_history(interval)
            assert protocol_past(sources, interval) == unrecorded.past(Record.PROTOCOL, interval, told)
            assert house_past(sources, interval) == unrecorded.past(Record.HOUSE, interval, house)
