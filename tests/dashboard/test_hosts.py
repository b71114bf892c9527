"""How upstreams are judged by what is reported of them."""

from __future__ import annotations

import pytest

from papertrade_site.dashboard.hosts import host_state
from papertrade_site.dashboard.level import Level
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from papertrade_site.upstream.public_limits import PUBLIC_LIMITS
from papertrade_site.upstream.resource import Host
from papertrade_site.usage.told import Requests, Upstream

NOW_MS = 1_796_040_000_000


def upstream(
    *,
    host: Host = Host.HYPERLIQUID,
    breaker: BreakerState | None = BreakerState.CLOSED,
    success_ms: int | None = NOW_MS - 1000,
    error_ms: int | None = None,
    minute: tuple[Requests, ...] = (),
) -> Upstream:
    """A host that is well, but for what is said."""
    return Upstream(
        host, breaker, success_ms, None if error_ms is None else "It was slow.", error_ms, minute, minute
    )


def books(count: int) -> tuple[Requests, ...]:
    return (Requests("hyperliquid.book", count, 0, 0),)


@pytest.mark.parametrize(
    ("reported", "level", "words"),
    [
        (upstream(), Level.GOOD, "answers"),
        (upstream(error_ms=NOW_MS - 5000), Level.GOOD, "answers"),
        (upstream(error_ms=NOW_MS - 500), Level.WARN, "failed when last asked"),
        (upstream(success_ms=None, error_ms=NOW_MS - 500), Level.WARN, "failed when last asked"),
        (upstream(success_ms=None, error_ms=NOW_MS - 601_000), Level.GOOD, "answers"),
        (upstream(breaker=BreakerState.OPEN), Level.BAD, "left alone after failures"),
        (upstream(breaker=BreakerState.HALF_OPEN), Level.WARN, "to be tried again"),
        (upstream(breaker=None), Level.QUIET, "not asked of late"),
        (upstream(minute=books(479)), Level.GOOD, "answers"),
        (upstream(minute=books(480)), Level.WARN, "near its public limit"),
        (upstream(minute=books(600)), Level.BAD, "over its public limit"),
        (upstream(minute=books(480), breaker=BreakerState.OPEN), Level.BAD, "left alone after failures"),
    ],
)
def test_a_host_is_as_well_as_what_is_worst_of_it(reported: Upstream, level: Level, words: str) -> None:
    state = host_state(reported, NOW_MS)
    assert (state.level, state.words) == (level, words)


def test_requests_cost_what_the_host_says() -> None:
    rows = (Requests("hyperliquid.book", 10, 2, 1), Requests("hyperliquid.candles", 3, 0, 1))
    allowance = host_state(upstream(minute=rows), NOW_MS).allowance
    assert allowance is not None
    assert (allowance.used, allowance.limit, allowance.unit) == (2 * 13 + 23 * 4, 1200, "weight")


def test_a_meter_is_never_longer_than_its_track() -> None:
    allowance = host_state(upstream(minute=books(5000)), NOW_MS).allowance
    assert allowance is not None
    assert (allowance.width, allowance.level) == (100, Level.BAD)


def test_the_exchange_publishes_no_limit() -> None:
    assert host_state(upstream(host=Host.EXCHANGE), NOW_MS).allowance is None


def test_costs_are_of_resources_that_there_are() -> None:
    for host, limit in PUBLIC_LIMITS.items():
        assert set(limit.costs) == {name for name in DEFAULT_LIFETIMES if name.startswith(f"{host}.")}
