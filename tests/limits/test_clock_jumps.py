"""A wall clock that is set by hours while clients are counted: nobody is shut out, nobody goes uncounted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import time_machine
from django.http import HttpRequest

from papertrade_site.limits.gate import ClientGate
from papertrade_site.limits.policy import DEFAULTS

LIMIT = DEFAULTS.servers["liquidations"].requests_per_minute
HOURS_S = 3 * 3600

RequestOf = Callable[..., HttpRequest]


@pytest.fixture(params=["valkey", "no_valkey"], autouse=True)
def counters(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(request.param)


def _waits(request_of: RequestOf, times: int) -> list[int]:
    """What a client is told to wait, of so many requests in a row; 0 for one that passes."""
    gate = ClientGate("liquidations")
    return [gate.terms(request_of()).admit(cost=1).retry_after_s or 0 for _ in range(times)]


@pytest.mark.parametrize("jump_s", [HOURS_S, -HOURS_S, HOURS_S + 7, -HOURS_S - 7])
def test_a_client_has_one_allowance_before_the_clock_is_set_and_one_after(
    request_of: RequestOf, wall: time_machine.Traveller, jump_s: int
) -> None:
    assert _waits(request_of, LIMIT).count(0) == LIMIT
    assert 1 <= _waits(request_of, 1)[0] <= 60
    wall.shift(jump_s)
    assert _waits(request_of, LIMIT).count(0) == LIMIT
    assert 1 <= _waits(request_of, 1)[0] <= 60


def test_a_clock_that_was_set_and_is_set_right_again_makes_nobody_wait_for_longer_than_a_window(
    request_of: RequestOf, wall: time_machine.Traveller
) -> None:
    _waits(request_of, LIMIT)
    wall.shift(HOURS_S)
    _waits(request_of, LIMIT)
    wall.shift(-HOURS_S)
    wait = _waits(request_of, 1)[0]
    assert 1 <= wait <= 60
    wall.shift(wait)
    assert _waits(request_of, 1) == [0]
