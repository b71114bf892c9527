"""What rules for networks and switches make of a request: its own limit, a refusal, a reason."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
import time_machine
from django.http import HttpRequest

from papertrade_site.limits.applied import applied
from papertrade_site.limits.gate import ClientGate
from papertrade_site.limits.in_force import policy
from papertrade_site.limits.networks import NetworkRule, Networks
from tests.limits.valkey import OwnValkey
from tests.policies import InForce

RequestOf = Callable[..., HttpRequest]
INSIDE, OUTSIDE = "203.0.113.7", "198.51.100.7"

pytestmark = pytest.mark.usefixtures("wall")


@pytest.fixture
def rule(in_force: InForce) -> Callable[..., None]:
    """Put one rule in force, for the network of the client inside unless it says otherwise."""

    def put(network: str = "203.0.113.0/24", **parts: Any) -> None:  # noqa: ANN401
        in_force.set(networks=Networks((NetworkRule(network=ip_network(network), **parts),)))

    return put


Rule = Callable[..., None]


@pytest.mark.usefixtures("no_valkey")
class TestOwnLimit:
    def test_it_holds_for_each_client_of_the_network_and_is_told(
        self, request_of: RequestOf, rule: Rule
    ) -> None:
        rule(requests_per_minute=100)
        gate = ClientGate("liquidations")
        admissions = [gate.terms(request_of(INSIDE)).admit(cost=1) for _ in range(101)]
        assert [admission.retry_after_s is None for admission in admissions] == [True] * 100 + [False]
        assert admissions[0].headers["RateLimit-Policy"] == '"liquidations";q=100;w=60'
        neighbour = gate.terms(request_of("203.0.113.8")).admit(cost=1)
        assert neighbour.headers["RateLimit"].startswith('"liquidations";r=99;')
        stranger = gate.terms(request_of(OUTSIDE)).admit(cost=1)
        assert stranger.headers["RateLimit"].startswith('"liquidations";r=29;')

    def test_one_that_comes_within_a_window_counts_what_was_sent_before(
        self, request_of: RequestOf, rule: Rule
    ) -> None:
        gate = ClientGate("liquidations")
        for _ in range(10):
            gate.terms(request_of()).admit(cost=1)
        rule(requests_per_minute=12)
        assert [gate.terms(request_of()).admit(cost=1).retry_after_s is None for _ in range(3)] == [
            True,
            True,
            False,
        ]

    def test_a_batch_is_never_larger_than_it(self, request_of: RequestOf, rule: Rule) -> None:
        rule(requests_per_minute=3)
        gate = ClientGate("analytics")
        terms = gate.terms(request_of())
        assert terms.batch_messages == 3
        assert terms.admit(cost=3).retry_after_s is None
        assert gate.terms(request_of(OUTSIDE)).batch_messages == 10

    def test_it_stands_in_for_the_burst_too_but_not_for_the_limit_of_all(
        self, request_of: RequestOf, rule: Rule, in_force: InForce
    ) -> None:
        in_force.server("analytics", burst_requests=10, all_clients_per_minute=50)
        rule(requests_per_minute=500)
        gate = ClientGate("analytics")
        admissions = [gate.terms(request_of()).admit(cost=10) for _ in range(6)]
        assert [admission.retry_after_s is None for admission in admissions] == [True] * 5 + [False]
        assert "burst" not in admissions[0].headers["RateLimit-Policy"]

    def test_a_rule_that_only_lets_in_leaves_the_server_s_limits(
        self, request_of: RequestOf, rule: Rule, in_force: InForce
    ) -> None:
        in_force.server("analytics", burst_requests=15)
        rule(requests_per_minute=None)
        headers = ClientGate("analytics").terms(request_of()).admit(cost=1).headers
        assert headers["RateLimit-Policy"] == '"analytics";q=60;w=60, "analytics-burst";q=15;w=10'

    def test_a_rule_of_one_server_does_not_hold_at_the_other(self, request_of: RequestOf, rule: Rule) -> None:
        rule(server="liquidations", requests_per_minute=7)
        policies = [
            ClientGate(slug).terms(request_of()).admit(cost=1).headers["RateLimit-Policy"]
            for slug in ("liquidations", "analytics")
        ]
        assert policies == ['"liquidations";q=7;w=60', '"analytics";q=60;w=60']

    def test_no_header_of_a_stranger_brings_it_into_the_network(
        self, request_of: RequestOf, rule: Rule
    ) -> None:
        rule(requests_per_minute=100)
        terms = ClientGate("liquidations").terms(request_of(OUTSIDE, forwarded_for=INSIDE))
        assert terms.admit(cost=1).headers["RateLimit-Policy"] == '"liquidations";q=30;w=60'


class TestBlocked:
    @pytest.mark.usefixtures("no_valkey")
    @pytest.mark.parametrize(
        ("parts", "text"),
        [
            ({}, "This network is blocked. Nothing is answered until the operator lifts this."),
            (
                {"reason": "It floods us"},
                "This network is blocked: It floods us. Nothing is answered until the operator lifts this.",
            ),
            (
                {"reason": "Really? ", "expires_at_ms": 1_796_043_600_000},
                "This network is blocked: Really? Nothing is answered until 2026-11-30T13:00:00Z.",
            ),
        ],
    )
    def test_a_client_is_told_why_and_until_when(
        self, request_of: RequestOf, rule: Rule, parts: dict[str, Any], text: str
    ) -> None:
        rule(is_blocked=True, **parts)
        gate = ClientGate("analytics")
        assert gate.terms(request_of()).blocked == text
        assert gate.terms(request_of(OUTSIDE)).blocked is None

    @pytest.mark.usefixtures("no_valkey")
    def test_it_ends_by_itself(self, request_of: RequestOf, rule: Rule, wall: time_machine.Traveller) -> None:
        rule(is_blocked=True, expires_at_ms=1_796_040_060_000)
        gate = ClientGate("analytics")
        wall.shift(59.9)
        assert gate.terms(request_of()).blocked is not None
        wall.shift(0.1)
        assert gate.terms(request_of()).blocked is None

    @pytest.mark.usefixtures("no_valkey")
    def test_a_peer_without_an_address_is_in_no_network(self, request_of: RequestOf, rule: Rule) -> None:
        rule("0.0.0.0/0", is_blocked=True)
        assert ClientGate("analytics").terms(request_of("")).blocked is None

    def test_to_find_that_out_takes_no_round_trip(
        self, valkey: OwnValkey, request_of: RequestOf, rule: Rule
    ) -> None:
        rule(is_blocked=True)
        gate = ClientGate("analytics")

        def ask() -> None:
            assert gate.terms(request_of()).blocked is not None

        assert valkey.commands_of(ask) == []


@pytest.mark.usefixtures("no_valkey")
def test_what_is_shown_of_an_address_is_what_its_requests_are_held_to(
    request_of: RequestOf, rule: Rule
) -> None:
    rule(requests_per_minute=7)
    shown = applied(policy(), "analytics", ip_address(INSIDE), now_ms=0)
    terms = ClientGate("analytics").terms(request_of(INSIDE))
    assert (shown.requests_per_minute, shown.batch_messages) == (7, terms.batch_messages)
    assert shown.rule == policy().networks.rules[0]
    assert applied(policy(), "analytics", None, now_ms=0).requests_per_minute == 60


class TestClosed:
    def test_a_tool_is_open_until_the_operator_says_why_not(self, in_force: InForce) -> None:
        gates = [ClientGate("analytics"), ClientGate("liquidations")]
        assert [gate.closed("get_history") for gate in gates] == [None, None]
        in_force.set(switched_off={("analytics", "get_history"): "Its source is wrong"})
        assert [gate.closed("get_history") for gate in gates] == [
            "The operator has switched off get_history: Its source is wrong. "
            "Use another tool of this server, or come back later.",
            None,
        ]
        assert gates[0].closed("get_market_stats") is None

    def test_a_server_that_is_off_closes_all_its_tools(self, in_force: InForce) -> None:
        in_force.server("analytics", is_on=False, off_message="We move.")
        in_force.set(switched_off={("analytics", "get_history"): "Its source is wrong"})
        told = (
            "The operator has switched off all tools of this server: We move. "
            "Do not try again now; tell the user, and come back later."
        )
        gate = ClientGate("analytics")
        assert [gate.closed(tool) for tool in ("get_history", "get_market_stats")] == [told, told]
        assert ClientGate("liquidations").closed("get_wallet_liquidations") is None

    def test_a_reason_may_be_missing(self, in_force: InForce) -> None:
        in_force.server("analytics", is_on=False)
        assert (ClientGate("analytics").closed("any") or "").startswith(
            "The operator has switched off all tools of this server. Do not"
        )
