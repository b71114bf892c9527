"""Refreshing copies before they are due, as the readers of other processes see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import cast

import pytest

from papertrade_site.upstream.ahead import EARLY_S, FIRST_PAUSE, Ahead
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.errors import BusyError
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.resource import Lifetime, Resource, Value
from papertrade_site.upstream.want import Want
from tests.clocks import ManualClock
from tests.upstream.counting_cache import CountingCache
from tests.upstream.prices import FRESH_S, NO_CLIENT, SIMULATED, STALE_S, PriceSource, unreachable

DUE_SOON_S = FRESH_S - EARLY_S + 0.001


class _NoClients:
    """Wants what asks no host."""

    def want(self, resource: Resource[Value]) -> Want[Value]:
        return Want(resource, NO_CLIENT, SIMULATED)


@pytest.fixture
def ahead(reader: CachedReader, clock: ManualClock) -> Ahead:
    return Ahead(clients=cast("Clients", _NoClients()), reader=reader, clock=clock)


@pytest.fixture
def other(reader_of: Callable[..., CachedReader]) -> CachedReader:
    """Give the reader of another process."""
    return reader_of()


def _refresh(ahead: Ahead, price: PriceSource) -> object:
    (value,) = ahead.refresh([price.want().resource])
    return value


class TestCopies:
    def test_another_process_reads_what_was_refreshed_without_asking_the_source(
        self, ahead: Ahead, other: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        assert _refresh(ahead, price) == 1
        reading = other.read(price.want(), CallBudget(clock))
        assert (reading.value, reading.state, price.asked) == (1, State.FRESH, 1)

    def test_a_copy_is_left_as_it_is_until_it_is_due_soon(
        self, ahead: Ahead, price: PriceSource, clock: ManualClock
    ) -> None:
        _refresh(ahead, price)
        clock.advance(FRESH_S - EARLY_S)
        assert _refresh(ahead, price) == 1
        clock.advance(0.001)
        assert _refresh(ahead, price) == 2

    def test_a_copy_that_lives_for_seconds_is_refreshed_half_way(
        self, ahead: Ahead, price: PriceSource, clock: ManualClock
    ) -> None:
        mark = replace(price.want().resource, lifetime=Lifetime(fresh_s=2, stale_s=15))
        assert ahead.refresh([mark]) == [1]
        clock.advance(1)
        assert ahead.refresh([mark]) == [1]
        clock.advance(0.001)
        assert ahead.refresh([mark]) == [2]

    def test_readers_elsewhere_never_ask_while_it_is_refreshed_round_after_round(
        self, ahead: Ahead, other: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        for _ in range(300):
            _refresh(ahead, price)
            asked = price.asked
            reading = other.read(price.want(), CallBudget(clock))
            assert (reading.state, price.asked) == (State.FRESH, asked)
            clock.advance(1)
        assert price.asked == pytest.approx(300 / (FRESH_S - EARLY_S), abs=2)

    def test_what_it_stores_keeps_the_usual_stale_limit(
        self, ahead: Ahead, other: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        _refresh(ahead, price)
        clock.advance(STALE_S - 1)
        price.answer = unreachable()
        reading = other.read(price.want(), CallBudget(clock))
        assert (reading.value, reading.degraded) == (1, True)

    def test_while_nothing_is_due_soon_neither_source_nor_cache_is_asked(
        self, ahead: Ahead, price: PriceSource, counting_cache: CountingCache
    ) -> None:
        values = ahead.refresh([price.want(f"wallet {number}").resource for number in range(5)])
        assert sorted(values) == [1, 2, 3, 4, 5]
        reads = counting_cache.reads
        ahead.refresh([price.want(f"wallet {number}").resource for number in range(5)])
        assert counting_cache.reads == reads


class TestFailures:
    def test_a_fresh_copy_elsewhere_is_not_degraded_by_an_early_refresh_that_fails(
        self, ahead: Ahead, other: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        _refresh(ahead, price)
        other.read(price.want(), CallBudget(clock))
        clock.advance(DUE_SOON_S)
        price.answer = unreachable()
        assert _refresh(ahead, price) == 1
        reading = other.read(price.want(), CallBudget(clock))
        assert isinstance(reading, Reading)
        assert (reading.state, reading.degraded) == (State.FRESH, False)

    def test_what_cannot_be_read_is_none_and_the_rest_is_there(
        self, ahead: Ahead, price: PriceSource
    ) -> None:
        dead = PriceSource()
        dead.answer = unreachable()
        assert ahead.refresh([dead.want("dead").resource, price.want().resource]) == [None, 1]

    def test_one_that_keeps_failing_is_asked_more_and_more_seldom(
        self, ahead: Ahead, price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = unreachable()
        tries = list[float]()
        start = clock.seconds
        for _ in range(3000):
            before = price.asked
            _refresh(ahead, price)
            if price.asked > before:
                tries.append(clock.seconds - start)
            clock.advance(0.1)
        pauses = [later - earlier for earlier, later in pairwise(tries)]
        assert pauses == sorted(pauses)
        assert pauses[0] >= FIRST_PAUSE.seconds
        assert pauses[-1] == pytest.approx(FIRST_PAUSE.longest_s, abs=0.2)
        assert len(tries) < 12

    def test_one_that_recovers_is_refreshed_as_usual_again(
        self, ahead: Ahead, price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = unreachable()
        _refresh(ahead, price)
        price.answer = None
        clock.advance(10)
        assert _refresh(ahead, price) is not None
        price.answer = unreachable()
        clock.advance(DUE_SOON_S)
        _refresh(ahead, price)
        asked = price.asked
        clock.advance(FIRST_PAUSE.seconds + 4)
        _refresh(ahead, price)
        assert price.asked == asked + 1

    def test_a_source_that_asks_to_be_left_alone_is_left_alone_for_as_long(
        self, ahead: Ahead, price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = BusyError("Too often.", source="exchange.trading", retry_after_s=50)
        for _ in range(49):
            _refresh(ahead, price)
            clock.advance(1)
        assert price.asked == 1

    def test_the_others_are_refreshed_while_one_is_left_alone(
        self, ahead: Ahead, price: PriceSource, clock: ManualClock
    ) -> None:
        dead = PriceSource()
        dead.answer = unreachable()
        ahead.refresh([dead.want("dead").resource, price.want().resource])
        assert ahead.refresh([dead.want("dead").resource, price.want().resource]) == [None, 1]
        assert dead.asked == 1
