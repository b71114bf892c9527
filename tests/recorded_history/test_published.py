"""What is published of a record, and what readers make of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache.backends.redis import RedisCache

from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.recorded.buckets import Buckets
from papertrade_site.recorded.key import Record, RecordKey
from papertrade_site.recorded.published import LOOK_EVERY_S, POINTS, Published, Recorded
from papertrade_site.upstream.serializer import JsonSerializer
from tests.clocks import ManualClock
from tests.recorded_history.venue import HOUR, LIVE, SIMULATED, hourly
from tests.upstream.counting_cache import CountingCache

MAX_ROW_BYTES = 200_000


def recorded(count: int, *, record: Record = Record.PROTOCOL, figure: float = 1.5) -> Recorded:
    starts_ms = tuple(HOUR - (count - place) * HOUR_MS for place in range(count))
    columns = dict.fromkeys(record.columns, (figure,) * count)
    return Recorded(Buckets(HOUR_MS, starts_ms, columns), dict.fromkeys(record.columns, 4))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def cache() -> NotingCache:
    return NotingCache(uuid4().hex, {})


class NotingCache(CountingCache):
    """Notes under which key a row was put last."""

    last_key = ""

    def set(self, key: Any, value: Any, timeout: Any = None, version: int | None = None) -> None:  # noqa: ANN401
        """Put it."""
        self.last_key = key
        super().set(key, value, timeout, version)


@pytest.mark.parametrize("record", Record)
def test_another_process_reads_what_was_published(
    cache: NotingCache, clock: ManualClock, record: Record
) -> None:
    key = hourly(record=record)
    Published(cache, clock).put(key, recorded(3, record=record))
    assert Published(cache, clock).get(key) == recorded(3, record=record)


@pytest.mark.parametrize(
    "other",
    [
        hourly(LIVE),
        hourly("simulated http://127.0.0.1:8002"),
        hourly(record=Record.HOUSE),
        RecordKey(SIMULATED, Record.PROTOCOL, Interval.DAY),
    ],
    ids=str,
)
def test_one_record_is_never_read_as_another_not_even_when_it_stands_in_its_place(
    cache: NotingCache, clock: ManualClock, other: RecordKey
) -> None:
    published = Published(cache, clock)
    published.put(hourly(), recorded(3))
    row = cache.get(cache.last_key)
    assert published.get(other) is None
    published.put(other, recorded(1, record=other.record))
    cache.set(cache.last_key, row)
    assert Published(cache, clock).get(other) is None


def test_a_process_looks_again_only_after_a_while(cache: NotingCache, clock: ManualClock) -> None:
    published = Published(cache, clock)
    published.put(hourly(), recorded(3))
    first = published.get(hourly())
    published.put(hourly(), recorded(4))
    clock.advance(LOOK_EVERY_S - 1)
    assert published.get(hourly()) is first
    assert cache.reads == 1
    clock.advance(1)
    assert published.get(hourly()) == recorded(4)
    assert cache.reads == 2


def test_a_process_that_finds_nothing_does_not_ask_for_every_call(
    cache: NotingCache, clock: ManualClock
) -> None:
    published = Published(cache, clock)
    assert [published.get(hourly()) for _ in range(5)] == [None] * 5
    assert cache.reads == 1


def test_a_process_keeps_what_it_has_read_when_the_cache_was_emptied(
    cache: NotingCache, clock: ManualClock
) -> None:
    published = Published(cache, clock)
    published.put(hourly(), recorded(3))
    published.get(hourly())
    cache.clear()
    clock.advance(LOOK_EVERY_S)
    assert published.get(hourly()) == recorded(3)


def test_a_cache_that_is_away_is_as_if_nothing_were_recorded(clock: ManualClock) -> None:
    published = Published(RedisCache("unix:///nowhere/valkey.sock", {}), clock)
    published.put(hourly(), recorded(3))
    assert published.get(hourly()) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"starts_ms": [HOUR, HOUR - HOUR_MS, HOUR + HOUR_MS]},
        {"starts_ms": [HOUR]},
        {"starts_ms": ["now"] * 3},
        {"columns": {}},
        {"columns": dict.fromkeys(Record.PROTOCOL.columns, ["NaN"] * 3)},
        {"earlier": {"tvl": 4}},
        {"earlier": None},
        {"origin": None},
    ],
    ids=str,
)
def test_a_row_of_another_form_counts_as_absent(
    cache: NotingCache, clock: ManualClock, changes: dict[str, object]
) -> None:
    published = Published(cache, clock)
    published.put(hourly(), recorded(3))
    cache.set(cache.last_key, cache.get(cache.last_key) | changes)
    assert published.get(hourly()) is None
    cache.set(cache.last_key, "not a row")
    assert Published(cache, clock).get(hourly()) is None


def test_a_full_row_of_the_longest_figures_stays_small(cache: NotingCache, clock: ManualClock) -> None:
    full = recorded(POINTS, figure=-14831637.903487999)
    big = replace(full, earlier=dict.fromkeys(full.earlier, 10**6))
    Published(cache, clock).put(hourly(), big)
    stored = JsonSerializer().dumps(cache.get(cache.last_key))
    assert isinstance(stored, bytes)
    assert len(stored) < MAX_ROW_BYTES
