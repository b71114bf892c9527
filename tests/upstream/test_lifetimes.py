"""How long copies last, compared with each other."""

from __future__ import annotations

import pytest

from papertrade_site.upstream.lifetimes import LIFETIMES
from papertrade_site.upstream.resource import Lifetime


@pytest.mark.requirement("limit:upstream-cache")
def test_a_mark_is_fresh_for_two_seconds_and_never_shown_after_fifteen() -> None:
    assert LIFETIMES["hyperliquid.book"] == Lifetime(fresh_s=2, stale_s=15)


@pytest.mark.requirement("limit:upstream-cache")
def test_everything_else_is_fresh_for_half_a_minute_to_a_minute_and_shown_for_ten() -> None:
    others = {name: lifetime for name, lifetime in LIFETIMES.items() if name != "hyperliquid.book"}
    assert len(others) >= 14
    assert all(30 <= lifetime.fresh_s <= 60 for lifetime in others.values())
    assert {lifetime.stale_s for lifetime in others.values()} == {600}
