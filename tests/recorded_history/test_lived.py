"""Ten days of the embedded exchange, recorded at its two ends, beside one who was always there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Interval
from papertrade_site.recorded.buckets import Told, buckets_of
from papertrade_site.recorded.key import Record
from papertrade_site.recorded.past import Past, house_past, protocol_past
from papertrade_site.recorded.published import Published
from papertrade_site.simulator.history import SENT
from papertrade_site.upstream.process import process_sources
from tests.recorded_history.venue import SIMULATED, recorder_of
from tests.simulated_calls import SimulatedCalls, simulated_calls

DAYS = 10

Seen = dict[tuple[Record, int], dict[str, float | None]]
"""Figures of closed hours, by record and close."""


@pytest.fixture
def calls() -> Iterator[SimulatedCalls]:
    with simulated_calls() as calls, calls.read_by_tools():
        calls.clock.advance(HOUR_MS / 2000)
        yield calls


def look() -> Seen:
    """What the venue tells of the hours that have closed."""
    sources = process_sources.for_call()
    told: dict[Record, Told] = {
        Record.PROTOCOL: sources.history(Interval.HOUR),
        Record.HOUSE: sources.house_history(Interval.HOUR),
    }
    return {
        (record, close_ms): {name: column[place] for name, column in buckets_of(history).columns.items()}
        for record, history in told.items()
        for place, close_ms in enumerate(buckets_of(history).closes_ms[:-1])
    }


def shown(past: Past) -> dict[int, dict[str, float | None]]:
    """The closed hours of a past, by their close."""
    return {
        close_ms: {name: column[place] for name, column in past.columns.items()}
        for place, close_ms in enumerate(past.closes_ms[:-1])
    }


@pytest.mark.django_db
def test_hours_outlive_the_venues_own_and_are_what_was_seen_at_the_time(
    calls: SimulatedCalls, published: Published
) -> None:
    recorder = recorder_of(SIMULATED, published)
    recorder.round(lambda: True)
    seen = look()
    for _ in range(DAYS):
        calls.clock.advance(DAY_MS / 1000)
        seen |= look()
    recorder.round(lambda: True)

    sent = SENT[Interval.HOUR]
    assert sent is not None
    hours_unseen = DAYS * 24 - (sent - 1)
    sources = process_sources.for_call()
    for record, read in ((Record.PROTOCOL, protocol_past), (Record.HOUSE, house_past)):
        hours = shown(read(sources, Interval.HOUR))
        assert hours == {close_ms: seen[record, close_ms] for close_ms in hours}
        steps = [later - earlier for earlier, later in pairwise(hours)]
        assert steps.pop(sent - 2) == (hours_unseen + 1) * HOUR_MS
        assert steps == [HOUR_MS] * (2 * (sent - 2))
