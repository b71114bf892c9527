"""Who leads a refresh and who waits for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from papertrade_site.upstream.flight import Flights


def test_the_first_leads_and_the_next_follows() -> None:
    flights = Flights()
    assert flights.join("a") is None
    follower = flights.join("a")
    assert follower is not None
    assert not follower.is_set()
    assert flights.is_running("a")


def test_landing_wakes_the_followers_and_makes_room_for_another_leader() -> None:
    flights = Flights()
    flights.join("a")
    follower = flights.join("a")
    flights.land("a")
    assert follower is not None
    assert follower.is_set()
    assert not flights.is_running("a")
    assert flights.join("a") is None


def test_keys_fly_apart() -> None:
    flights = Flights()
    assert flights.join("a") is None
    assert flights.join("b") is None
    flights.land("a")
    assert flights.is_running("b")


def test_of_64_threads_that_join_at_once_one_leads() -> None:
    flights, together = Flights(), Barrier(64)

    def join(_: int) -> bool:
        together.wait(10)
        return flights.join("a") is None

    with ThreadPoolExecutor(64) as pool:
        assert sum(pool.map(join, range(64))) == 1


def test_landing_without_a_flight_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        Flights().land("a")
