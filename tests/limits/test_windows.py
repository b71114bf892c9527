"""What an operator may add to a client's minute: a short window, and one over all clients."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import time_machine
from django.http import HttpRequest

from papertrade_site.limits.gate import TOO_MANY, TOO_MANY_AT_ONCE, TOO_MANY_OF_ALL, ClientGate
from papertrade_site.mcp.admission import Admission
from tests.policies import InForce

RequestOf = Callable[..., HttpRequest]

pytestmark = pytest.mark.usefixtures("wall")


@pytest.fixture(params=["valkey", "no_valkey"], autouse=True)
def counters(request: pytest.FixtureRequest) -> None:
    """Count in a real Valkey, and in this process."""
    request.getfixturevalue(request.param)


@pytest.fixture
def admit(request_of: RequestOf) -> Callable[..., Admission]:
    """Send a request to the analytics server."""
    gate = ClientGate("analytics")

    def send(address: str = "203.0.113.7", *, cost: int = 1) -> Admission:
        return gate.terms(request_of(address)).admit(cost=cost)

    return send


Admit = Callable[..., Admission]


def _left(admission: Admission) -> dict[str, int]:
    """Messages left by window."""
    return {
        name: int(left) for name, left in re.findall(r'"([\w-]+)";r=(\d+)', admission.headers["RateLimit"])
    }


class TestBurst:
    def test_a_client_that_comes_too_fast_is_let_in_again_when_the_short_window_ends(
        self, admit: Admit, in_force: InForce, wall: time_machine.Traveller
    ) -> None:
        in_force.server("analytics", burst_requests=4)
        _at_a_new_window(admit, wall)
        passed = [admit() for _ in range(3)]
        assert [_left(admission)["analytics-burst"] for admission in passed] == [2, 1, 0]
        refused = admit()
        assert (refused.reason, refused.retry_after_s) == (TOO_MANY_AT_ONCE, 10)
        wall.shift(9)
        assert admit().retry_after_s == 1
        wall.shift(1)
        assert _left(admit())["analytics-burst"] == 3

    def test_both_windows_are_told(self, admit: Admit, in_force: InForce) -> None:
        in_force.server("analytics", burst_requests=15)
        admission = admit(cost=5)
        assert admission.headers["RateLimit-Policy"] == '"analytics";q=60;w=60, "analytics-burst";q=15;w=10'
        assert _left(admission) == {"analytics": 55, "analytics-burst": 10}

    def test_a_request_that_it_refuses_costs_1_of_the_minute_and_nothing_of_the_burst(
        self, admit: Admit, in_force: InForce
    ) -> None:
        in_force.server("analytics", burst_requests=12)
        assert _left(admit(cost=10)) == {"analytics": 50, "analytics-burst": 2}
        refused = admit(cost=5)
        assert refused.retry_after_s is not None
        assert _left(refused) == {"analytics": 49, "analytics-burst": 2}
        assert _left(admit(cost=2)) == {"analytics": 47, "analytics-burst": 0}

    def test_a_request_that_the_minute_refuses_costs_the_burst_nothing(
        self, admit: Admit, in_force: InForce
    ) -> None:
        in_force.server("analytics", requests_per_minute=12, burst_requests=20)
        admit(cost=10)
        refused = admit(cost=5)
        assert refused.reason == TOO_MANY
        assert _left(refused) == {"analytics": 1, "analytics-burst": 10}

    def test_of_two_windows_that_refuse_the_longer_wait_is_told(
        self, admit: Admit, in_force: InForce, wall: time_machine.Traveller
    ) -> None:
        in_force.server("analytics", requests_per_minute=10, burst_requests=10)
        while (reset_s := _reset_s(admit())) < 20:
            wall.shift(reset_s)
        refused = admit(cost=10)
        assert (refused.reason, refused.retry_after_s) == (TOO_MANY, reset_s)


class TestAllClients:
    def test_it_is_one_allowance_for_all_of_them_and_none_is_told_of_the_others(
        self, admit: Admit, in_force: InForce
    ) -> None:
        in_force.server("analytics", all_clients_per_minute=12)
        passed = [admit(f"203.0.113.{number}") for number in range(12)]
        assert all(admission.retry_after_s is None for admission in passed)
        refused = admit("203.0.113.200")
        assert refused.reason == TOO_MANY_OF_ALL
        assert 1 <= (refused.retry_after_s or 0) <= 60
        assert refused.headers["RateLimit-Policy"] == '"analytics";q=60;w=60'
        assert _left(refused) == {"analytics": 59}

    def test_a_client_that_is_refused_takes_nothing_of_it(self, admit: Admit, in_force: InForce) -> None:
        in_force.server("analytics", requests_per_minute=10, all_clients_per_minute=12)
        for _ in range(30):
            admit(cost=5)
        assert admit("203.0.113.8").retry_after_s is None
        assert admit("203.0.113.9").retry_after_s is None
        assert admit("203.0.113.10").reason == TOO_MANY_OF_ALL

    def test_it_ends_with_its_window(
        self, admit: Admit, in_force: InForce, wall: time_machine.Traveller
    ) -> None:
        in_force.server("analytics", batch_messages=1, all_clients_per_minute=1)
        admit()
        wait = admit("203.0.113.8").retry_after_s
        assert wait is not None
        wall.shift(wait - 1)
        assert admit("203.0.113.8").retry_after_s == 1
        wall.shift(1)
        assert admit("203.0.113.8").retry_after_s is None

    def test_each_server_has_its_own(self, request_of: RequestOf, in_force: InForce) -> None:
        for slug in ("analytics", "liquidations"):
            in_force.server(slug, batch_messages=1, all_clients_per_minute=1)
        admissions = [
            ClientGate(slug).terms(request_of()).admit(cost=1) for slug in ("analytics", "liquidations")
        ]
        assert [admission.retry_after_s for admission in admissions] == [None, None]


def _at_a_new_window(admit: Admit, wall: time_machine.Traveller) -> None:
    """Move to where the client's short window has just begun, with one request in it."""
    admit()
    for _ in range(10):
        wall.shift(1)
        if _left(admit())["analytics-burst"] == 3:
            return
    raise AssertionError("no window began")


def _reset_s(admission: Admission) -> int:
    match = re.search(r";t=(\d+)", admission.headers["RateLimit"])
    assert match is not None
    return int(match[1])
