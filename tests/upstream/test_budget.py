"""What a call may still ask."""

from __future__ import annotations

import pytest

from papertrade_site.clock import Clock
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import BudgetSpentError


def test_a_request_too_many_is_refused(clock: Clock) -> None:
    budget = CallBudget(clock, requests=1)
    budget.spend_request("exchange.trading")
    with pytest.raises(BudgetSpentError):
        budget.spend_request("exchange.trading")


def test_a_retry_gets_only_what_first_tries_leave(clock: Clock) -> None:
    budget = CallBudget(clock, requests=4)
    with budget.reserved(3):
        budget.spend_request("exchange.wallets")
        assert budget.spare_request()
        assert not budget.spare_request()
        for _ in range(3):
            budget.spend_request("exchange.wallets")
        assert not budget.spare_request()
    assert budget.requests_left == 0


def test_what_was_kept_back_is_free_again_after_the_block(clock: Clock) -> None:
    budget = CallBudget(clock, requests=2)
    with budget.reserved(2):
        assert not budget.spare_request()
    assert budget.spare_request()
