"""What a call may still ask."""

from __future__ import annotations

import pytest

from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import BudgetSpentError
from tests.clocks import ManualClock


def test_a_request_too_many_is_refused(clock: ManualClock) -> None:
    budget = CallBudget(clock, requests=1)
    budget.spend_request("exchange.trading")
    with pytest.raises(BudgetSpentError):
        budget.spend_request("exchange.trading")


def test_a_retry_gets_only_what_first_tries_leave(clock: ManualClock) -> None:
    budget = CallBudget(clock, requests=4)
    with budget.reserved(3):
        budget.spend_request("exchange.wallets")
        assert budget.spare_request()
        assert not budget.spare_request()
        for _ in range(3):
            budget.spend_request("exchange.wallets")
        assert not budget.spare_request()
    assert budget.requests_left == 0


def test_what_was_kept_back_is_free_again_after_the_block(clock: ManualClock) -> None:
    budget = CallBudget(clock, requests=2)
    with budget.reserved(2):
        assert not budget.spare_request()
    assert budget.spare_request()


def test_a_part_of_a_call_ends_sooner_and_spends_the_calls_own_requests(clock: ManualClock) -> None:
    budget = CallBudget(clock, requests=2, seconds=12)
    part = budget.within(3)
    part.spend_request("exchange.trading")
    assert (part.seconds_left, budget.seconds_left) == (3, 12)
    assert (part.requests_left, budget.requests_left) == (1, 1)


def test_a_part_that_is_charged_to_a_quota_asks_it_for_each_request_and_the_call_itself_does_not(
    clock: ManualClock,
) -> None:
    budget, asked = CallBudget(clock, requests=3), list[str]()
    budget.charged_to(asked.append).within(3).spend_request("exchange.wallets")
    budget.spend_request("exchange.trading")
    assert (asked, budget.requests_left) == (["exchange.wallets"], 1)


def test_a_part_never_ends_after_its_call(clock: ManualClock) -> None:
    assert CallBudget(clock, seconds=2).within(3).seconds_left == 2
