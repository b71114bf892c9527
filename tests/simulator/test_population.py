"""The accounts that exist from the start."""

from __future__ import annotations

import pytest

from papertrade_site.market.emission import pending_rewards
from papertrade_site.market.scale import RAY, WAD
from papertrade_site.market.vocabulary import Window
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.names import HOSTILE_NAMES
from papertrade_site.simulator.population import (
    Population,
    Sums,
    balance_deposits,
    draw_newcomer,
    settle_in,
)
from papertrade_site.simulator.timeline import Timeline
from papertrade_site.simulator.windows import Flows

GENESIS_MS = 1_791_326_520_000
NOW_MS = 1_796_040_000_000
SUMS = Sums(
    volume=12_345_678_901_234 * WAD + 77,
    result=-850_000_000 * WAD - 13,
    paper=27_000_000_000 * WAD + 5,
    accumulator=31 * RAY // 1_000,
)


@pytest.fixture(scope="module")
def settled() -> tuple[Population, Flows, Timeline]:
    """A population of 300 traders, and the flows it brings."""
    dice, flows = Dice(3), Flows()
    timeline = Timeline(dice, genesis_ms=GENESIS_MS, now_ms=NOW_MS)
    return settle_in(dice, traders=300, sums=SUMS, timeline=timeline, flows=flows), flows, timeline


def test_accounts_add_up_to_the_last_unit(settled: tuple[Population, Flows, Timeline]) -> None:
    accounts = settled[0].accounts
    assert sum(account.volume for account in accounts) == SUMS.volume
    assert sum(account.realized for account in accounts) == SUMS.result
    assert sum(account.paper for account in accounts) == SUMS.paper


def test_most_accounts_are_idle_and_small(settled: tuple[Population, Flows, Timeline]) -> None:
    population = settled[0]
    assert len(population.crowd.traders) == 300
    assert len(population.accounts) == 300 + 2_520
    assert len({account.address for account in population.accounts}) == len(population.accounts)
    assert min(account.free for account in population.accounts) >= 0


def test_windows_hold_their_share_of_all_trading_and_nest(
    settled: tuple[Population, Flows, Timeline],
) -> None:
    population, flows, timeline = settled
    for window, days in ((Window.DAY, 1), (Window.WEEK, 7), (Window.MONTH, 30)):
        traded = sum(flow.volume for flow in flows.of(window).values())
        share = timeline.activity_since(NOW_MS - days * 86_400_000)
        assert traded / SUMS.volume == pytest.approx(share, rel=0.1)
    for trader in population.crowd.traders:
        address = trader.account.address
        day, week, month = (
            flows.of(window)[address].volume for window in (Window.DAY, Window.WEEK, Window.MONTH)
        )
        assert 0 <= day <= week <= month <= trader.account.volume


def test_stakes_have_earned_something_and_not_everything(
    settled: tuple[Population, Flows, Timeline],
) -> None:
    staked = [account for account in settled[0].accounts if account.paper_staked]
    assert 0.6 < len(staked) / len(settled[0].accounts) < 0.8
    for account in staked:
        earned = pending_rewards(
            staked=account.paper_staked,
            accumulator=SUMS.accumulator,
            reward_debt=account.reward_debt,
            base=account.reward_base,
        )
        assert 0 <= earned < account.paper_staked * SUMS.accumulator // RAY + 1


def test_leaders_carry_every_hostile_name_once(settled: tuple[Population, Flows, Timeline]) -> None:
    names = [account.name for account in settled[0].accounts]
    assert all(names.count(name) == 1 for name in HOSTILE_NAMES)
    assert names.count(None) > len(names) / 2


@pytest.mark.parametrize("realized", [-(10**24), 0, 5 * 10**21, 10**25])
def test_deposits_and_withdrawals_explain_what_is_held(realized: int) -> None:
    account = Account("0x", free=3 * 10**21, locked=10**21, queued=10**20, realized=realized)
    balance_deposits(Dice(1), account)
    assert min(account.deposited, account.withdrawn) >= 0
    assert account.deposited + realized == account.withdrawn + 4 * 10**21 + 10**20


def test_a_newcomer_has_nothing_yet() -> None:
    account = draw_newcomer(Dice(1)).account
    assert (account.balance, account.volume, account.paper, account.name) == (0, 0, 0, None)
