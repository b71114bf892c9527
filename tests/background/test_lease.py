"""A lease by a clock that the test moves, over a cache in memory that fails on request."""

from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache
from redis.exceptions import ConnectionError as RedisConnectionError

from papertrade_site.background.lease import LEASE_S, RENEW_S, SURE_S, Lease
from tests.clocks import ManualClock


class FailingCache(LocMemCache):
    """Runs something before each request, which may raise or let time pass."""

    def __init__(self) -> None:
        super().__init__(uuid4().hex, {})
        self.before: Callable[[], None] = lambda: None

    def add(self, *args: object, **kwargs: object) -> bool:
        self.before()
        return super().add(*args, **kwargs)  # type: ignore[arg-type]

    def touch(self, *args: object, **kwargs: object) -> bool:
        self.before()
        return super().touch(*args, **kwargs)  # type: ignore[arg-type]

    def delete(self, *args: object, **kwargs: object) -> bool:
        self.before()
        return super().delete(*args, **kwargs)  # type: ignore[arg-type]


@pytest.fixture
def cache() -> FailingCache:
    return FailingCache()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def lease(cache: FailingCache, clock: ManualClock) -> Lease:
    return Lease("work", cache, clock)


@pytest.fixture
def rival(cache: FailingCache, clock: ManualClock) -> Lease:
    return Lease("work", cache, clock)


def _refuse() -> None:
    raise RedisConnectionError("refused")


def test_it_belongs_to_the_first_who_takes_it_until_that_one_gives_it_back(
    lease: Lease, rival: Lease
) -> None:
    assert (lease.take(), rival.take(), lease.take()) == (True, False, True)
    lease.give_back()
    assert (lease.is_ours(), rival.take(), lease.take()) == (False, True, False)


def test_leases_of_other_names_do_not_exclude_each_other(
    lease: Lease, cache: FailingCache, clock: ManualClock
) -> None:
    assert lease.take()
    assert Lease("other", cache, clock).take()


def test_an_owner_that_does_not_renew_stops_being_sure_before_the_key_expires(
    lease: Lease, clock: ManualClock
) -> None:
    lease.take()
    clock.advance(SURE_S - 0.01)
    assert lease.is_ours()
    clock.advance(0.01)
    assert not lease.is_ours()
    assert SURE_S < LEASE_S


def test_an_owner_that_renews_stays_the_owner(lease: Lease, rival: Lease, clock: ManualClock) -> None:
    lease.take()
    for _ in range(20):
        clock.advance(RENEW_S)
        lease.renew()
    assert (lease.is_ours(), rival.take()) == (True, False)


def test_a_lease_counts_from_before_it_was_asked_for(
    lease: Lease, cache: FailingCache, clock: ManualClock
) -> None:
    cache.before = lambda: clock.advance(1)
    lease.take()
    clock.advance(SURE_S - 1)
    assert not lease.is_ours()


def test_a_renewal_that_is_answered_too_late_is_not_believed(
    lease: Lease, cache: FailingCache, clock: ManualClock
) -> None:
    lease.take()
    clock.advance(SURE_S - 1)
    cache.before = lambda: clock.advance(1)
    lease.renew()
    assert not lease.is_ours()


def test_an_owner_whose_key_became_another_s_finds_out_at_the_next_renewal_and_leaves_it_alone(
    lease: Lease, rival: Lease, cache: FailingCache, caplog: pytest.LogCaptureFixture
) -> None:
    lease.take()
    cache.clear()
    assert rival.take()
    lease.renew()
    assert not lease.is_ours()
    assert caplog.messages[-1:] == ["Another process may now do the work work."]
    lease.give_back()
    assert not lease.take()


def test_giving_back_leaves_a_key_alone_that_became_another_s(
    lease: Lease, rival: Lease, cache: FailingCache
) -> None:
    lease.take()
    cache.clear()
    rival.take()
    lease.give_back()
    assert not lease.take()


def test_nobody_takes_a_lease_while_the_cache_fails_and_that_is_logged_once_a_minute(
    lease: Lease, cache: FailingCache, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    cache.before = _refuse
    with caplog.at_level(logging.WARNING):
        for _ in range(120):
            assert not lease.take()
            clock.advance(1)
    line = "The shared cache failed (ConnectionError), so nobody knows which process may do the work work."
    assert caplog.messages == [line] * 2
    cache.before = lambda: None
    assert lease.take()


def test_an_owner_outlives_failed_renewals_for_as_long_as_it_can_be_sure(
    lease: Lease, cache: FailingCache, clock: ManualClock
) -> None:
    lease.take()
    cache.before = _refuse
    for _ in range(3):
        clock.advance(RENEW_S)
        lease.renew()
    assert lease.is_ours()
    clock.advance(RENEW_S)
    assert not lease.is_ours()


def test_a_lease_is_given_back_after_the_block_that_kept_it_even_when_that_fails(
    lease: Lease, rival: Lease
) -> None:
    def fail(_: bool) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), lease.kept():
        fail(lease.take())
    assert rival.take()
