"""The accounts that exist from the start."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from papertrade_site.market.emission import pending_rewards
from papertrade_site.market.scale import RAY, WAD
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Window
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
VOLUME = 12_345_678_901_234 * WAD + 77
RESULT = -850_000_000 * WAD - 13
PAPER = 27_000_000_000 * WAD + 5
ACCUMULATOR = 31 * RAY // 1_000


@dataclass(frozen=True, slots=True)
class Settled:
    """A population, the flows that it brings, and the sums that it was drawn to meet."""

    population: Population
    flows: Flows
    timeline: Timeline
    sums: Sums

    @property
    def accounts(self) -> list[Account]:
        """Every account."""
        return self.population.accounts


def settle(*, traders: int, now_ms: int) -> Settled:
    """A population at a time, its sums drawn along a timeline as a world draws them."""
    dice, flows = Dice(3), Flows()
    timeline = Timeline(dice, genesis_ms=GENESIS_MS, now_ms=now_ms)
    sums = Sums(
        volume=timeline.trading_sum(VOLUME),
        result=timeline.trading_sum(RESULT, early=3.0, wobble=1.5),
        paper=PAPER,
        accumulator=ACCUMULATOR,
    )
    population = settle_in(dice, traders=traders, sums=sums, timeline=timeline, flows=flows)
    return Settled(population, flows, timeline, sums)


@pytest.fixture(scope="module")
def settled() -> Settled:
    """A population of 300 traders at noon."""
    return settle(traders=300, now_ms=NOW_MS)


def test_accounts_add_up_to_the_last_unit(settled: Settled) -> None:
    accounts = settled.accounts
    assert sum(account.volume for account in accounts) == VOLUME
    assert sum(account.realized for account in accounts) == RESULT
    assert sum(account.paper for account in accounts) == PAPER


def test_most_accounts_are_idle_and_small(settled: Settled) -> None:
    population = settled.population
    assert len(population.crowd.traders) == 300
    assert len(population.accounts) == 300 + 2_520
    assert len({account.address for account in population.accounts}) == len(population.accounts)
    assert min(account.free for account in population.accounts) >= 0


@pytest.mark.parametrize("traders", [1, 40, 300])
@pytest.mark.parametrize("now_ms", [NOW_MS, NOW_MS + 17 * 60_000 + 23_000, GENESIS_MS + 8 * DAY_MS])
def test_windows_hold_to_the_unit_what_the_paths_say(traders: int, now_ms: int) -> None:
    settled = settle(traders=traders, now_ms=now_ms)
    for window, days in ((Window.DAY, 1), (Window.WEEK, 7), (Window.MONTH, 30)):
        flows = settled.flows.of(window).values()
        start_ms = now_ms - days * DAY_MS
        volume = VOLUME - settled.timeline.value_at(settled.sums.volume, start_ms)
        result = RESULT - settled.timeline.value_at(settled.sums.result, start_ms)
        assert sum(flow.volume for flow in flows) == volume
        assert sum(flow.realized for flow in flows) == result


@pytest.mark.parametrize("hours", [1, 5, 12, 20])
def test_windows_follow_the_paths_while_the_past_leaves_them(hours: int) -> None:
    settled = settle(traders=40, now_ms=NOW_MS)
    settled.flows.forget(NOW_MS + hours * HOUR_MS)
    for window, days in ((Window.DAY, 1), (Window.WEEK, 7), (Window.MONTH, 30)):
        traded = sum(flow.volume for flow in settled.flows.of(window).values())
        start_ms = NOW_MS + hours * HOUR_MS - days * DAY_MS
        whole = VOLUME - settled.timeline.value_at(settled.sums.volume, NOW_MS - days * DAY_MS)
        left = VOLUME - settled.timeline.value_at(settled.sums.volume, start_ms)
        assert abs(traded - left) < whole / 50


def test_windows_nest(settled: Settled) -> None:
    for trader in settled.population.crowd.traders:
        address = trader.account.address
        day, week, month = (
            settled.flows.of(window)[address].volume for window in (Window.DAY, Window.WEEK, Window.MONTH)
        )
        assert 0 <= day <= week <= month <= trader.account.volume


def test_stakes_have_earned_something_and_not_everything(
    settled: Settled,
) -> None:
    staked = [account for account in settled.accounts if account.paper_staked]
    assert 0.6 < len(staked) / len(settled.accounts) < 0.8
    for account in staked:
        earned = pending_rewards(
            staked=account.paper_staked,
            accumulator=ACCUMULATOR,
            reward_debt=account.reward_debt,
            base=account.reward_base,
        )
        assert 0 <= earned < account.paper_staked * ACCUMULATOR // RAY + 1


def test_leaders_carry_every_hostile_name_once(settled: Settled) -> None:
    names = [account.name for account in settled.accounts]
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
