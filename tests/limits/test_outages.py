"""A real Valkey that dies, hangs, fills up or forgets itself: clients are answered, limited, and forgiven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import Mock, patch

import pytest
from django.http import HttpRequest
from pytest_django import Settings

from papertrade_site.limits.cache import LimitCache
from papertrade_site.limits.gate import ClientGate
from tests.clocks import ManualClock
from tests.limits.valkey import OwnValkey

RequestOf = Callable[..., HttpRequest]
OUTAGES = ["gone", "stopped", "read_only", "full", "wrong_type"]

pytestmark = pytest.mark.usefixtures("wall")


@pytest.fixture
def patience_s() -> None:
    """Wait for what hangs as long as the service does."""


@pytest.fixture(params=OUTAGES)
def outage(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tries() -> Iterator[Mock]:
    """Watch how often the shared counters are asked, which a server that hangs cannot tell."""
    with patch.object(LimitCache, "_ask", autospec=True, side_effect=LimitCache._ask) as tries:
        yield tries


def _passed(gate: ClientGate, request: HttpRequest, times: int) -> int:
    return sum(gate.terms(request).admit(cost=1).retry_after_s is None for _ in range(times))


def test_during_an_outage_each_client_has_its_allowance_in_this_process(
    valkey: OwnValkey, outage: str, request_of: RequestOf
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    with getattr(valkey, outage)():
        assert _passed(gate, request_of(), 40) == 30
        refused = gate.terms(request_of()).admit(cost=5)
        assert refused.retry_after_s is not None
        assert refused.headers["RateLimit"].startswith('"liquidations";r=0;')


def test_after_an_outage_the_shared_counters_are_used_again_without_a_restart(
    valkey: OwnValkey, outage: str, request_of: RequestOf, clock: ManualClock
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    with getattr(valkey, outage)():
        gate.terms(request_of()).admit(cost=1)
    before = sum(valkey.counts())
    clock.advance(1)
    gate.terms(request_of()).admit(cost=3)
    assert sum(valkey.counts()) == before + 3


def test_one_request_waits_for_a_valkey_that_hangs_and_the_others_do_not(
    valkey: OwnValkey, tries: Mock, request_of: RequestOf
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    tries.reset_mock()
    with valkey.stopped():
        _passed(gate, request_of(), 20)
    assert tries.call_count == 1


def test_a_valkey_that_was_restarted_between_two_requests_counts_the_next_one(
    valkey: OwnValkey, request_of: RequestOf, caplog: pytest.LogCaptureFixture
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    valkey.kill()
    valkey.start()
    gate.terms(request_of()).admit(cost=2)
    assert valkey.counts() == [2]
    assert caplog.text == ""


@pytest.mark.parametrize("cache", ["default", "limits"])
def test_that_request_waits_below_a_second(cache: str, settings: Settings) -> None:
    options = settings.CACHES[cache]["OPTIONS"]
    assert options["socket_connect_timeout"] + options["socket_timeout"] < 1
    assert not {"retry", "retry_on_timeout", "retry_on_error"} & set(options)


def test_a_list_in_the_place_of_one_counter_concerns_that_client_alone(
    valkey: OwnValkey, request_of: RequestOf
) -> None:
    gate = ClientGate("liquidations")
    gate.terms(request_of()).admit(cost=1)
    with valkey.wrong_type():
        assert _passed(gate, request_of(), 40) == 30
        gate.terms(request_of("203.0.113.8")).admit(cost=2)
        other = [key for key in valkey.stored_keys() if valkey.redis.type(key) == "string"]
        assert [valkey.redis.get(key) for key in other] == ["2"]
