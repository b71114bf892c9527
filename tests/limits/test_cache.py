"""What a request does to a real Valkey: one script, a counter that expires, and nothing readable."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core.cache import caches
from django.core.checks import run_checks
from django.http import HttpRequest
from pytest_django import Settings

from papertrade_site.limits.cache import current_charge
from papertrade_site.limits.charge import Charge
from papertrade_site.limits.gate import ClientGate
from tests.limits.valkey import OwnValkey

RequestOf = Callable[..., HttpRequest]


@pytest.mark.parametrize("cost", [1, 5], ids=["one message", "a batch"])
def test_a_request_is_one_round_trip_whether_it_fits_or_not(
    valkey: OwnValkey, request_of: RequestOf, cost: int
) -> None:
    gate = ClientGate("liquidations")
    gate.admit(request_of(), cost=1)

    def ask() -> None:
        for _ in range(40):
            gate.admit(request_of(), cost=cost)
        gate.admit(request_of("203.0.113.8"), cost=cost)

    assert valkey.commands_of(ask) == ["EVALSHA"] * 41


def test_a_server_that_has_lost_the_script_is_taught_it_again(
    valkey: OwnValkey, request_of: RequestOf
) -> None:
    gate = ClientGate("liquidations")
    gate.admit(request_of(), cost=1)
    valkey.redis.script_flush()

    def ask() -> None:
        gate.admit(request_of(), cost=1)
        gate.admit(request_of(), cost=1)

    assert valkey.commands_of(ask) == ["EVALSHA", "EVAL", "EVALSHA"]
    assert valkey.counts() == [3]


@pytest.mark.usefixtures("wall")
def test_every_counter_expires_shortly_after_its_window(valkey: OwnValkey, request_of: RequestOf) -> None:
    gate = ClientGate("liquidations")
    gate.admit(request_of(), cost=1)
    gate.admit(request_of(), cost=5)
    gate.admit(request_of("203.0.113.8"), cost=5)
    assert sorted(valkey.counts()) == [5, 6]
    assert all(60 <= int(valkey.redis.ttl(key)) <= 65 for key in valkey.stored_keys())


def test_no_address_can_be_read_in_a_key(valkey: OwnValkey, request_of: RequestOf) -> None:
    ClientGate("liquidations").admit(request_of("203.0.113.7"), cost=1)
    ClientGate("liquidations").admit(request_of("2001:db8::5"), cost=1)
    assert len(valkey.stored_keys()) == 2
    assert all(re.fullmatch(r"papertrade:1:rl:[0-9a-f]{64}", key) for key in valkey.stored_keys())


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("before", [0, 1, 25, 26, 29, 30, 31])
@pytest.mark.parametrize("cost", [1, 2, 5])
def test_the_script_counts_as_the_charge_says(before: int, cost: int) -> None:
    cache = caches["limits"]
    cache.add("counter", 1, 65)
    if before:
        current_charge.set(Charge(before, before))
        assert cache.incr("counter") == before
    charge = Charge(cost, 30)
    current_charge.set(charge)
    count = cache.incr("counter")
    assert count == before + cost
    current_charge.set(Charge(1, 100))
    assert cache.incr("counter") == charge.counted(count) + 1


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
