"""How long copies last, compared with each other."""

from __future__ import annotations

import pytest

from papertrade_site.upstream import exchange
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES, lifetimes
from papertrade_site.upstream.resource import Lifetime
from tests.policies import InForce
from tests.simulated_calls import simulated_calls


@pytest.mark.requirement("limit:upstream-cache")
def test_a_mark_is_fresh_for_two_seconds_and_never_shown_after_fifteen() -> None:
    assert DEFAULT_LIFETIMES["hyperliquid.book"] == Lifetime(fresh_s=2, stale_s=15)


@pytest.mark.requirement("limit:upstream-cache")
def test_everything_else_is_fresh_for_half_a_minute_to_a_minute_and_shown_for_ten() -> None:
    others = {name: lifetime for name, lifetime in DEFAULT_LIFETIMES.items() if name != "hyperliquid.book"}
    assert len(others) >= 14
    assert all(30 <= lifetime.fresh_s <= 60 for lifetime in others.values())
    assert {lifetime.stale_s for lifetime in others.values()} == {600}


class TestInForce:
    def test_a_resource_lasts_as_long_as_is_set_and_then_as_by_default_again(self, in_force: InForce) -> None:
        before = exchange.trading().lifetime
        in_force.set(lifetimes={"exchange.trading": Lifetime(fresh_s=5, stale_s=50)})
        assert exchange.trading().lifetime == Lifetime(fresh_s=5, stale_s=50)
        assert exchange.summary().lifetime == before
        in_force.set(lifetimes={})
        assert exchange.trading().lifetime == before == DEFAULT_LIFETIMES["exchange.trading"]

    def test_a_copy_that_is_held_already_is_due_by_what_is_set_now(self, in_force: InForce) -> None:
        with simulated_calls(traders=8) as calls:
            calls.stored(exchange.trading())
            calls.clock.advance(10)
            calls.stored(exchange.trading())
            assert calls.requests == 1
            in_force.set(lifetimes={"exchange.trading": Lifetime(fresh_s=5, stale_s=50)})
            calls.stored(exchange.trading())
            assert calls.requests == 2

    def test_a_resource_that_there_is_not_is_passed_over(self, in_force: InForce) -> None:
        in_force.set(lifetimes={"no.such": Lifetime(fresh_s=5, stale_s=50)})
        assert lifetimes() == DEFAULT_LIFETIMES
