"""The exact limits of a client, with the shared counters and without them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import time_machine
from django.http import HttpRequest
from pytest_django import Settings

from papertrade_site.limits.gate import ClientGate
from papertrade_site.mcp.admission import Admission
from tests.policies import InForce

LIMITS = {"liquidations": (30, 5), "analytics": (60, 10)}
RequestOf = Callable[..., HttpRequest]


@pytest.fixture(params=["valkey", "no_valkey"], autouse=True)
def counters(request: pytest.FixtureRequest) -> None:
    """Count in a real Valkey, and in this process."""
    request.getfixturevalue(request.param)


@pytest.fixture(params=LIMITS)
def slug(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _rest(admission: Admission) -> tuple[int, int]:
    """Messages left and seconds to the reset, from the header."""
    match = re.fullmatch(r'"\w+";r=(\d+);t=(\d+)', admission.headers["RateLimit"])
    assert match is not None
    return int(match[1]), int(match[2])


@pytest.mark.usefixtures("wall")
class TestWindow:
    def test_the_limit_is_exact_and_each_answer_says_what_is_left(
        self, slug: str, request_of: RequestOf
    ) -> None:
        gate, (limit, _) = ClientGate(slug), LIMITS[slug]
        admissions = [gate.terms(request_of()).admit(cost=1) for _ in range(limit + 2)]
        assert [admission.retry_after_s is None for admission in admissions] == [True] * limit + [False] * 2
        assert [_rest(admission)[0] for admission in admissions] == [*reversed(range(limit)), 0, 0]
        assert {admission.headers["RateLimit-Policy"] for admission in admissions} == {
            f'"{slug}";q={limit};w=60'
        }
        assert all(admission.headers["RateLimit"].startswith(f'"{slug}";r=') for admission in admissions)

    def test_a_client_that_waits_as_told_is_let_in_again_and_one_that_comes_sooner_is_not(
        self, slug: str, request_of: RequestOf, wall: time_machine.Traveller
    ) -> None:
        gate, (limit, _) = ClientGate(slug), LIMITS[slug]
        for _ in range(limit):
            gate.terms(request_of()).admit(cost=1)
        wait = gate.terms(request_of()).admit(cost=1).retry_after_s
        assert wait is not None
        assert 1 <= wait <= 60
        wall.shift(wait - 0.001)
        assert gate.terms(request_of()).admit(cost=1).retry_after_s == 1
        wall.shift(0.001)
        assert _rest(gate.terms(request_of()).admit(cost=1)) == (limit - 1, 60)

    def test_the_time_to_the_reset_is_true_at_every_second_of_a_window(
        self, request_of: RequestOf, wall: time_machine.Traveller
    ) -> None:
        gate = ClientGate("liquidations")
        resets = []
        for _ in range(60):
            resets.append(_rest(gate.terms(request_of()).admit(cost=1))[1])
            wall.shift(1)
        first = resets[0]
        assert resets == [*range(first, 0, -1), *range(60, first, -1)]

    def test_servers_and_clients_have_each_their_own_allowance(self, request_of: RequestOf) -> None:
        for _ in range(31):
            ClientGate("liquidations").terms(request_of()).admit(cost=1)
        assert ClientGate("liquidations").terms(request_of()).admit(cost=1).retry_after_s is not None
        assert _rest(ClientGate("analytics").terms(request_of()).admit(cost=1))[0] == 59
        assert _rest(ClientGate("liquidations").terms(request_of("203.0.113.8")).admit(cost=1))[0] == 29

    def test_a_hundred_invented_proxies_do_not_help_a_client(self, request_of: RequestOf) -> None:
        gate = ClientGate("liquidations")
        passed = [
            gate.terms(request_of(forwarded_for=f"198.51.100.{n}")).admit(cost=1).retry_after_s is None
            for n in range(100)
        ]
        assert passed == [True] * 30 + [False] * 70

    def test_addresses_of_one_ipv6_network_share_an_allowance(self, request_of: RequestOf) -> None:
        gate = ClientGate("liquidations")
        passed = [
            gate.terms(request_of(f"2001:db8::{n:x}")).admit(cost=1).retry_after_s is None for n in range(31)
        ]
        assert passed == [True] * 30 + [False]
        assert gate.terms(request_of("2001:db8:0:1::")).admit(cost=1).retry_after_s is None

    def test_a_limit_that_changes_holds_at_once_for_what_was_counted_before(
        self, request_of: RequestOf, in_force: InForce
    ) -> None:
        gate = ClientGate("liquidations")
        for _ in range(10):
            gate.terms(request_of()).admit(cost=1)
        in_force.server("liquidations", requests_per_minute=12)
        assert [_rest(gate.terms(request_of()).admit(cost=1))[0] for _ in range(2)] == [1, 0]
        assert gate.terms(request_of()).admit(cost=1).retry_after_s is not None
        in_force.server("liquidations", requests_per_minute=40)
        raised = gate.terms(request_of()).admit(cost=1)
        assert (raised.retry_after_s, _rest(raised)[0]) == (None, 26)
        assert raised.headers["RateLimit-Policy"] == '"liquidations";q=40;w=60'


@pytest.mark.usefixtures("wall")
class TestBatch:
    def test_it_costs_its_messages(self, slug: str, request_of: RequestOf) -> None:
        gate, (limit, batch) = ClientGate(slug), LIMITS[slug]
        admissions = [gate.terms(request_of()).admit(cost=batch) for _ in range(6)]
        assert [_rest(admission)[0] for admission in admissions] == [*range(limit - batch, -1, -batch)]
        assert gate.terms(request_of()).admit(cost=1).retry_after_s is not None

    def test_one_that_does_not_fit_is_refused_whole_and_costs_a_single_message(
        self, slug: str, request_of: RequestOf
    ) -> None:
        gate, (limit, batch) = ClientGate(slug), LIMITS[slug]
        for _ in range(limit - 3):
            gate.terms(request_of()).admit(cost=1)
        refused = gate.terms(request_of()).admit(cost=batch)
        assert refused.retry_after_s is not None
        assert _rest(refused)[0] == 2
        assert [gate.terms(request_of()).admit(cost=1).retry_after_s is None for _ in range(3)] == [
            True,
            True,
            False,
        ]

    def test_one_that_just_fits_is_let_in(self, slug: str, request_of: RequestOf) -> None:
        gate, (limit, batch) = ClientGate(slug), LIMITS[slug]
        for _ in range(limit - batch):
            gate.terms(request_of()).admit(cost=1)
        assert _rest(gate.terms(request_of()).admit(cost=batch))[0] == 0


def test_a_switched_off_limiter_lets_everything_in_and_says_nothing(
    request_of: RequestOf, settings: Settings
) -> None:
    settings.RATELIMIT_ENABLE = False
    gate = ClientGate("liquidations")
    assert [gate.terms(request_of()).admit(cost=5) for _ in range(20)] == [Admission({})] * 20


def test_the_sizes_are_those_in_force(slug: str, request_of: RequestOf, in_force: InForce) -> None:
    terms = ClientGate(slug).terms(request_of())
    assert (terms.body_bytes, terms.batch_messages, terms.blocked) == (65_536, LIMITS[slug][1], None)
    in_force.server(slug, body_bytes=2048, batch_messages=2)
    terms = ClientGate(slug).terms(request_of())
    assert (terms.body_bytes, terms.batch_messages) == (2048, 2)


def test_a_server_that_the_policy_does_not_know_has_no_gate() -> None:
    with pytest.raises(KeyError):
        ClientGate("elsewhere")
