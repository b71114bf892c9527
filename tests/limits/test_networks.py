"""Which rule holds for an address."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, strategies as st

from papertrade_site.limits.networks import NetworkRule, Networks

NOW_MS = 1_796_040_000_000


def rule(network: str, server: str | None = None, *, expires_at_ms: int | None = None) -> NetworkRule:
    return NetworkRule(network=ip_network(network), server=server, expires_at_ms=expires_at_ms)


def found(networks: Networks, address: str, slug: str | None = "analytics") -> str | None:
    """The network and server of the rule that holds."""
    held = networks.rule_for(ip_address(address), slug, NOW_MS)
    return None if held is None else f"{held.network} {held.server}"


def test_without_rules_none_holds() -> None:
    assert found(Networks(), "203.0.113.7") is None
    assert found(Networks(), "2001:db8::1") is None


@pytest.mark.parametrize(
    ("address", "held"),
    [
        ("203.0.113.7", "203.0.113.7/32 None"),
        ("203.0.113.8", "203.0.113.0/24 None"),
        ("203.0.114.8", "203.0.0.0/16 None"),
        ("198.51.100.1", "0.0.0.0/0 None"),
        ("2001:db8:7::1", "2001:db8:7::/48 None"),
        ("2001:db8:8::1", "2001:db8::/32 None"),
        ("2001:db9::1", None),
    ],
)
def test_the_smallest_network_wins(address: str, held: str | None) -> None:
    networks = ["0.0.0.0/0", "203.0.0.0/16", "203.0.113.0/24", "203.0.113.7/32"]
    networks += ["2001:db8::/32", "2001:db8:7::/48"]
    assert found(Networks(tuple(map(rule, networks))), address) == held


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_for_one_network_that_of_the_server_wins(order: int) -> None:
    rules = (rule("203.0.113.0/24"), rule("203.0.113.0/24", "analytics"))[::order]
    assert found(Networks(rules), "203.0.113.7", "analytics") == "203.0.113.0/24 analytics"
    assert found(Networks(rules), "203.0.113.7", "liquidations") == "203.0.113.0/24 None"


def test_a_smaller_network_of_both_servers_wins_over_a_larger_one_of_the_server() -> None:
    networks = Networks((rule("203.0.113.0/24", "analytics"), rule("203.0.113.7/32")))
    assert found(networks, "203.0.113.7") == "203.0.113.7/32 None"


def test_for_pages_only_rules_of_both_servers_count() -> None:
    networks = Networks((rule("203.0.113.7/32", "analytics"), rule("203.0.113.0/24")))
    assert found(networks, "203.0.113.7", None) == "203.0.113.0/24 None"


def test_a_rule_that_has_ended_makes_way_for_the_next() -> None:
    ended, going_on = (NOW_MS, NOW_MS + 1)
    networks = Networks(
        (rule("203.0.113.7/32", expires_at_ms=ended), rule("203.0.113.0/24", expires_at_ms=going_on))
    )
    assert found(networks, "203.0.113.7") == "203.0.113.0/24 None"
    later = networks.rule_for(ip_address("203.0.113.7"), "analytics", going_on)
    assert later is None


PREFIX = st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32))
SERVER = st.sampled_from([None, "analytics", "liquidations"])


@given(
    prefixes=st.lists(st.tuples(PREFIX, SERVER, st.sampled_from([None, NOW_MS, NOW_MS + 1])), max_size=12),
    number=st.integers(0, 2**32 - 1),
    slug=SERVER,
)
def test_it_is_what_a_look_at_every_rule_finds(
    prefixes: list[tuple[tuple[int, int], str | None, int | None]], number: int, slug: str | None
) -> None:
    rules = [
        NetworkRule(network=ip_network((base, length), strict=False), server=server, expires_at_ms=end)
        for (base, length), server, end in prefixes
    ]
    address = ip_address(number)
    holding = [
        each
        for each in rules
        if address in each.network
        and each.server in (None, slug)
        and (each.expires_at_ms is None or each.expires_at_ms > NOW_MS)
    ]
    best = max(((each.network.prefixlen, each.server is not None) for each in holding), default=None)
    held = Networks(tuple(rules)).rule_for(address, slug, NOW_MS)
    assert (None if held is None else (held.network.prefixlen, held.server is not None)) == best
    assert held is None or held in holding
