"""What a request does to a real Valkey: one script, a counter that expires, and nothing readable."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from django.core.cache import caches
from django.core.checks import run_checks
from django.http import HttpRequest
from pytest_django import Settings

from papertrade_site.limits.cache import Counting, current
from papertrade_site.limits.charge import Charge, Counter
from papertrade_site.limits.gate import ClientGate
from tests.limits.valkey import OwnValkey
from tests.policies import InForce

RequestOf = Callable[..., HttpRequest]


@pytest.mark.parametrize("cost", [1, 5], ids=["one message", "a batch"])
def test_a_request_is_one_round_trip_whether_it_fits_or_not(
    valkey: OwnValkey, request_of: RequestOf, cost: int
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)

    def ask() -> None:
        for _ in range(40):
            gate.terms(request_of()).admit(cost=cost)
        gate.terms(request_of("203.0.113.8")).admit(cost=cost)

    assert valkey.commands_of(ask) == ["EVALSHA"] * 41


def test_a_server_that_has_lost_the_script_is_taught_it_again(
    valkey: OwnValkey, request_of: RequestOf
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    valkey.redis.script_flush()

    def ask() -> None:
        gate.terms(request_of()).admit(cost=1)
        gate.terms(request_of()).admit(cost=1)

    assert valkey.commands_of(ask) == ["EVALSHA", "EVAL", "EVALSHA"]
    assert valkey.counts() == [3]


@pytest.mark.usefixtures("wall")
def test_every_counter_expires_shortly_after_its_window(valkey: OwnValkey, request_of: RequestOf) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    gate.terms(request_of()).admit(cost=5)
    gate.terms(request_of("203.0.113.8")).admit(cost=5)
    assert sorted(valkey.counts()) == [5, 6]
    assert all(30 < int(valkey.redis.ttl(key)) <= 65 for key in valkey.stored_keys())


def test_no_address_can_be_read_in_a_key(valkey: OwnValkey, request_of: RequestOf) -> None:
    ClientGate("liquidations").terms(request_of("203.0.113.7")).admit(cost=1)
    ClientGate("liquidations").terms(request_of("2001:db8::5")).admit(cost=1)
    assert len(valkey.stored_keys()) == 2
    assert all(re.fullmatch(r"papertrade:simulated:1:rl:[0-9a-f]{64}", key) for key in valkey.stored_keys())


def _counted(charge: Charge) -> list[int]:
    """What the counters have reached by one charge of a counter and whichever more it has."""
    counting = Counting(charge)
    current.set(counting)
    cache = caches["limits"]
    cache.add("counter", 1, 65)
    assert cache.incr("counter") == counting.counts[0]
    return list(counting.counts)


@pytest.mark.parametrize("cost", [1, 2, 5])
def test_the_script_counts_as_the_charge_says(valkey: OwnValkey, cost: int) -> None:
    for before in (0, 1, 25, 26, 29, 30, 31):
        valkey.redis.flushall()
        if before:
            assert _counted(Charge(before, before)) == [before]
        charge = Charge(cost, 30)
        reached = _counted(charge)
        assert reached == [before + cost]
        assert _counted(Charge(1, 100)) == [charge.counted(reached)[0] + 1]


LIMITS = (30, 12, 20)


def _charge(cost: int, limits: Sequence[int]) -> Charge:
    first, *further = limits
    return Charge(
        cost, first, tuple(Counter(f"rl:{place}", limit, 15) for place, limit in enumerate(further))
    )


@pytest.mark.parametrize("windows", [2, 3])
@pytest.mark.parametrize("cost", [1, 5])
def test_the_script_fits_a_charge_into_all_its_windows_or_takes_1_of_the_first(
    valkey: OwnValkey, cost: int, windows: int
) -> None:
    for before in (0, 7, 8, 12, 15, 16, 20, 26, 30):
        valkey.redis.flushall()
        if before:
            _counted(_charge(before, [before] * windows))
        charge = _charge(cost, LIMITS[:windows])
        reached = _counted(charge)
        assert reached == [before + cost] * windows
        stays = [count + 1 for count in charge.counted(reached)]
        assert _counted(_charge(1, [1000] * windows)) == stays


def test_all_the_windows_of_a_request_are_one_round_trip_and_expire(
    valkey: OwnValkey, request_of: RequestOf, in_force: InForce
) -> None:
    in_force.server("liquidations", burst_requests=10, all_clients_per_minute=100)
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)

    def ask() -> None:
        for _ in range(12):
            gate.terms(request_of()).admit(cost=1)

    assert valkey.commands_of(ask) == ["EVALSHA"] * 12
    assert len(valkey.stored_keys()) >= 3
    assert all(0 < int(valkey.redis.ttl(key)) <= 65 for key in valkey.stored_keys())
    assert all(
        re.fullmatch(r"papertrade:simulated:1:rl:(liquidations-(burst|all):)?([0-9a-f]{64}|all)(:\d+)?", key)
        for key in valkey.stored_keys()
    )


class TestSystemChecks:
    def test_the_cache_that_counts_is_one_that_processes_share(self) -> None:
        assert [check.id for check in run_checks() if not check.is_silenced()] == []

    def test_a_cache_of_one_process_is_still_refused(self, settings: Settings) -> None:
        settings.CACHES = {
            **settings.CACHES,
            "limits": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        }
        shown = [check.id for check in run_checks() if not check.is_silenced()]
        assert shown == ["django_ratelimit.E003"]
