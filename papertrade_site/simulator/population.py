"""The accounts that exist when the exchange comes to life, and their shares of everything that happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt

from papertrade_site.market.scale import RAY, WAD
from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.names import name_for_rank
from papertrade_site.simulator.timeline import Timeline
from papertrade_site.simulator.traders import CENT, MICRO_DOLLAR, Crowd, Trader
from papertrade_site.simulator.windows import Flow, Flows

IDLE_PER_TRADER = 8.4
"""Accounts that only hold a small balance, per account that trades."""

RANK_OFFSET = 20
RANK_EXPONENT = 0.8
MEDIAN_SIZE_USD = 430_000.0
SIZE_SPREAD = 0.9
LEADERS = 60
LEADERS_SIZE_FACTOR = 3.0
STAKING_SHARE = 0.7
FREE_PER_SIZE = 0.004
IDLE_BALANCE_USD = 45.0
RESULT_PER_ROOT_VOLUME = 25.0
"""How far wallets' results scatter: dollars per square root of a dollar traded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What all accounts together have to add up to; dollars and PAPER at 10^18."""

    volume: int
    result: int
    paper: int
    accumulator: int


@dataclass(frozen=True, slots=True)
class Population:
    """The crowd that trades, and every account, idle ones included."""

    crowd: Crowd
    accounts: list[Account]


def settle_in(dice: Dice, *, traders: int, sums: Sums, timeline: Timeline, flows: Flows) -> Population:
    """Draw all accounts so that they add up to ``sums`` to the last unit, and fill the windows' flows."""
    active = [_trader(dice, rank) for rank in range(traders)]
    frequency = [(rank + RANK_OFFSET) ** -RANK_EXPONENT for rank in range(traders)]
    weights = [often * trader.size_usd for often, trader in zip(frequency, active, strict=True)]
    idle = [_idle_account(dice) for _ in range(int(traders * IDLE_PER_TRADER))]
    accounts = [*(trader.account for trader in active), *idle]
    idle_weight = 0.3 * sum(weights) / max(len(idle), 1)
    all_weights = [*weights, *(idle_weight * dice.heavy_tailed(1.0, spread=1.0) for _ in idle)]
    _share_trading(
        dice,
        accounts=accounts,
        weights=weights,
        all_weights=all_weights,
        sums=sums,
        timeline=timeline,
        flows=flows,
    )
    _share_paper(dice, accounts=accounts, weights=all_weights, sums=sums)
    return Population(Crowd(dice, active, weights=frequency), accounts)


def draw_newcomer(dice: Dice) -> Trader:
    """A wallet that joins later, with nothing yet."""
    size = dice.heavy_tailed(MEDIAN_SIZE_USD / 4, spread=SIZE_SPREAD)
    return Trader(Account(dice.address()), size, dice.chance(STAKING_SHARE))


def balance_deposits(dice: Dice, account: Account) -> None:
    """Set what an account has paid in and taken out so that it explains what it holds and earned."""
    held = account.free + account.locked + account.queued - account.realized
    through = int(abs(held) * dice.random()) // MICRO_DOLLAR * MICRO_DOLLAR
    account.deposited = max(held, 0) + through
    account.withdrawn = max(-held, 0) + through


def _trader(dice: Dice, rank: int) -> Trader:
    size = dice.heavy_tailed(MEDIAN_SIZE_USD, spread=SIZE_SPREAD)
    if rank < LEADERS:
        size *= LEADERS_SIZE_FACTOR
    free = int(dice.heavy_tailed(size * FREE_PER_SIZE, spread=1.2) * 100) * CENT
    account = Account(dice.address(), name_for_rank(dice, rank), free=free, revision=dice.randrange(5_000))
    return Trader(account, size, dice.chance(STAKING_SHARE))


def _idle_account(dice: Dice) -> Account:
    free = int(dice.heavy_tailed(IDLE_BALANCE_USD, spread=1.9) * 100) * CENT
    return Account(dice.address(), free=free, revision=dice.randrange(60))


def _share_trading(
    dice: Dice,
    *,
    accounts: Sequence[Account],
    weights: Sequence[float],
    all_weights: Sequence[float],
    sums: Sums,
    timeline: Timeline,
    flows: Flows,
) -> None:
    """Split volume and result by age: the last day, the rest of the week, of the month, and before."""
    now_ms = timeline.now_ms
    newer_ms, newer_share = now_ms, 0.0
    volume_left, result_left = sums.volume, sums.result
    for days in (1, 7, 30):
        older_ms = max(now_ms - days * DAY_MS + HOUR_MS, timeline.genesis_ms)
        share = timeline.activity_since(older_ms)
        volume = min(int(sums.volume * (share - newer_share)), volume_left)
        result = int(sums.result * (share - newer_share))
        given = _hand_out(dice, accounts=accounts, weights=weights, result=result, volume=volume)
        for account, flow in zip(accounts, given, strict=False):
            at_ms = dice.randrange(older_ms, newer_ms)
            flows.add(account.address, realized=flow.realized, volume=flow.volume, at_ms=at_ms, now_ms=now_ms)
        volume_left -= volume
        result_left -= result
        newer_ms, newer_share = older_ms, share
    _hand_out(dice, accounts=accounts, weights=all_weights, result=result_left, volume=volume_left)


def _hand_out(
    dice: Dice, *, accounts: Sequence[Account], weights: Sequence[float], result: int, volume: int
) -> list[Flow]:
    """Add a result and a volume to accounts by weight, exact in sum; returns what each of them got.

    Weights may be fewer than accounts; those beyond get nothing.
    """
    traded = _parts(volume, weights)
    scatter = [dice.gauss(0.0, 1.0) * RESULT_PER_ROOT_VOLUME * sqrt(part / WAD) * WAD for part in traded]
    total_weight, excess = sum(weights), sum(scatter)
    earned = [
        int((result - excess) * (weight / total_weight) + luck)
        for weight, luck in zip(weights, scatter, strict=True)
    ]
    earned[0] += result - sum(earned)
    given = [Flow(realized, part) for realized, part in zip(earned, traded, strict=True)]
    for account, flow in zip(accounts, given, strict=False):
        account.realized += flow.realized
        account.volume += flow.volume
    return given


def _parts(total: int, weights: Sequence[float]) -> list[int]:
    """Whole parts by weight that add up to the total."""
    bounds = list(accumulate(weights))
    edges = [int(total * (bound / bounds[-1])) for bound in bounds]
    edges[-1] = total
    return [end - start for start, end in zip([0, *edges], edges, strict=False)]


def _share_paper(dice: Dice, *, accounts: Sequence[Account], weights: Sequence[float], sums: Sums) -> None:
    lucky = [weight * dice.heavy_tailed(1.0, spread=0.5) for weight in weights]
    for account, owned in zip(accounts, _parts(sums.paper, lucky), strict=True):
        if dice.chance(STAKING_SHARE):
            account.paper_staked = owned
            claimed_at = int(sums.accumulator * (1 - 0.3 * dice.random() ** 4))
            account.reward_debt = owned * claimed_at // RAY
        else:
            account.paper_held = owned
