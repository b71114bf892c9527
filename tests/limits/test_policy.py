"""The limits that hold while nobody has set any."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_liquidations.wallets import MAX_WALLETS
from papertrade_site.limits.bounds import (
    BURST_S,
    LIFETIME_BOUNDS,
    NETWORK_BOUNDS,
    SERVER_BOUNDS,
    SITE_BOUNDS,
    SLUGS,
    WALLETS_DEFAULT,
    WINDOW_S,
    Bound,
)
from papertrade_site.limits.in_force import install, limits_for, policy
from papertrade_site.limits.networks import Networks
from papertrade_site.limits.policy import DEFAULTS, ServerLimits
from papertrade_site.servers import SERVERS
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES, lifetime_of
from papertrade_site.upstream.resource import Lifetime
from tests.policies import InForce

BOUNDS = [
    *SERVER_BOUNDS.values(),
    *SITE_BOUNDS.values(),
    *NETWORK_BOUNDS.values(),
    *LIFETIME_BOUNDS.values(),
]


@pytest.mark.requirement(
    "limit:body",
    "limit:batch:analytics",
    "limit:batch:liquidations",
    "limit:requests:analytics",
    "limit:requests:liquidations",
    "limit:upstream-requests",
)
@pytest.mark.parametrize(("slug", "requests", "batch"), [("liquidations", 30, 5), ("analytics", 60, 10)])
def test_each_server_has_the_limits_that_it_publishes(slug: str, requests: int, batch: int) -> None:
    assert limits_for(slug) == ServerLimits(
        requests_per_minute=requests,
        burst_requests=None,
        all_clients_per_minute=None,
        body_bytes=64 * 1024,
        batch_messages=batch,
        call_requests=8,
        book_call_requests=50,
        wallets_default=44,
        is_on=True,
        off_message="",
    )


def test_nothing_is_switched_off_and_no_network_is_special_by_default() -> None:
    assert (DEFAULTS.switched_off, DEFAULTS.networks, DEFAULTS.lifetimes) == ({}, Networks(), {})
    assert (DEFAULTS.pages_per_minute, DEFAULTS.named_wallets_per_minute) == (600, 300)
    assert BURST_S < WINDOW_S == 60


def test_there_are_limits_for_the_servers_that_there_are() -> None:
    assert set(SLUGS) == set(SERVERS) == set(DEFAULTS.servers)
    with pytest.raises(LookupError):
        limits_for("no_such")


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.name)
def test_every_default_is_within_its_range(bound: Bound) -> None:
    defaults = [default for slug in SLUGS if (default := bound.default_for(slug)) is not None]
    assert all(bound.least <= default <= bound.most for default in defaults)


def test_a_value_out_of_range_is_told_the_range() -> None:
    assert SERVER_BOUNDS["requests_per_minute"].problem == "requests_per_minute must be 1 to 6,000"


def test_as_many_wallets_may_be_asked_for_as_may_be_the_default() -> None:
    assert WALLETS_DEFAULT.most == MAX_WALLETS


@pytest.mark.parametrize("slug", SLUGS)
def test_the_largest_batch_fits_a_window(slug: str) -> None:
    limits = limits_for(slug)
    assert limits.batch_messages <= limits.requests_per_minute


@pytest.mark.parametrize("limit", ["requests_per_minute", "burst_requests", "all_clients_per_minute"])
def test_a_batch_is_never_larger_than_the_narrowest_window(limit: str) -> None:
    assert ServerLimits.of("analytics", {limit: 4}).batch_messages == 4
    assert ServerLimits.of("analytics", {limit: 4, "batch_messages": 3}).batch_messages == 3


def test_a_number_that_is_not_set_is_the_servers_own_default() -> None:
    assert ServerLimits.of("liquidations", {"requests_per_minute": None}) == limits_for("liquidations")


class TestInstalling:
    def test_it_holds_at_once_and_for_the_one_server(self, in_force: InForce) -> None:
        in_force.server("analytics", requests_per_minute=7)
        assert limits_for("analytics").requests_per_minute == 7
        assert limits_for("liquidations") == DEFAULTS.servers["liquidations"]

    def test_lifetimes_of_copies_change_with_it_and_back(self, in_force: InForce) -> None:
        in_force.set(lifetimes={"hyperliquid.book": Lifetime(fresh_s=5, stale_s=60)})
        assert lifetime_of("hyperliquid.book") == Lifetime(fresh_s=5, stale_s=60)
        assert lifetime_of("exchange.trading") == DEFAULT_LIFETIMES["exchange.trading"]
        in_force.set(lifetimes={})
        assert lifetime_of("hyperliquid.book") == DEFAULT_LIFETIMES["hyperliquid.book"]

    def test_a_policy_that_says_the_same_leaves_what_was_made_from_the_former_alone(self) -> None:
        before = policy()
        install(replace(before))
        assert policy() is before
