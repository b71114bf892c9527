"""The accounts that exist when the exchange comes to life, and their shares of everything that happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import sqrt
from typing import TypeAlias

from papertrade_site.market.scale import RAY, WAD
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.names import name_for_rank
from papertrade_site.simulator.timeline import Timeline
from papertrade_site.simulator.traders import CENT, MICRO_DOLLAR, Crowd, Trader
from papertrade_site.simulator.windows import SPANS, Flow, Flows

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


Share: TypeAlias = tuple[Account, int]
"""An account and the volume that falls to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What all accounts together have to add up to; dollars and PAPER at 10^18.

    ``volume`` and ``result`` are paths over the timeline's moments, so that they bind every span too.
    """

    volume: Sequence[int]
    result: Sequence[int]
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
    """Split volume and result: every window's part bucket by bucket, and whatever is older at once."""
    newer_ms = timeline.now_ms
    for span in SPANS:
        older_ms = max(timeline.now_ms - span.length_ms, timeline.genesis_ms)
        first_edge = (older_ms // span.bucket_ms + 1) * span.bucket_ms
        edges = [older_ms, *range(first_edge, newer_ms, span.bucket_ms), newer_ms]
        for account, flow, at_ms in _trade(
            dice, accounts=accounts, weights=weights, sums=sums, timeline=timeline, edges=edges
        ):
            flows.add(
                account.address,
                realized=flow.realized,
                volume=flow.volume,
                at_ms=at_ms,
                now_ms=timeline.now_ms,
            )
        newer_ms = older_ms
    parts = _parts(timeline.value_at(sums.volume, newer_ms), all_weights)
    shares = list(zip(accounts, parts, strict=True))
    _hand_out(dice, shares=shares, result=timeline.value_at(sums.result, newer_ms))


def _trade(
    dice: Dice,
    *,
    accounts: Sequence[Account],
    weights: Sequence[float],
    sums: Sums,
    timeline: Timeline,
    edges: Sequence[int],
) -> Iterator[tuple[Account, Flow, int]]:
    """Hand out what happened between the edges, to the unit in each bucket; yields what went to whom when.

    Accounts take turns, so that a small one trades in one bucket and a large one in a few.
    """
    volume = [timeline.value_at(sums.volume, edge) for edge in edges]
    result = [timeline.value_at(sums.result, edge) for edge in edges]
    turns = _lined_up(dice, accounts=accounts, weights=weights, volume=volume[-1] - volume[0])
    for times, volumes, results in zip(pairwise(edges), pairwise(volume), pairwise(result), strict=True):
        shares = _next_shares(turns, volumes[1] - volumes[0])
        earned = _hand_out(dice, shares=shares, result=results[1] - results[0])
        for (account, part), won in zip(shares, earned, strict=True):
            yield account, Flow(won, part), sum(times) // 2


def _lined_up(
    dice: Dice, *, accounts: Sequence[Account], weights: Sequence[float], volume: int
) -> list[Share]:
    """Accounts in random order, each with its part of a volume; those beyond the weights are left out."""
    shares = list(zip(accounts, _parts(volume, weights), strict=False))
    dice.shuffle(shares)
    return shares


def _next_shares(turns: list[Share], volume: int) -> list[Share]:
    """Take accounts off the line until they have traded a volume; the last one may stay with what is left."""
    taken = []
    while volume > 0:
        account, part = turns.pop()
        traded = min(part, volume)
        taken.append((account, traded))
        volume -= traded
        if part > traded:
            turns.append((account, part - traded))
    return taken


def _hand_out(dice: Dice, *, shares: Sequence[Share], result: int) -> list[int]:
    """Add volumes, and a result spread over them, to accounts; returns what each of them earned.

    The result is exact in sum, and has to be 0 when nobody traded.
    """
    volume = sum(part for _, part in shares)
    if volume == 0:
        return [0] * len(shares)
    scatter = [dice.gauss(0.0, RESULT_PER_ROOT_VOLUME * sqrt(WAD) * sqrt(part)) for _, part in shares]
    per_volume = (result - sum(scatter)) / volume
    earned = [int(per_volume * part + luck) for (_, part), luck in zip(shares, scatter, strict=True)]
    earned[0] += result - sum(earned)
    for (account, part), won in zip(shares, earned, strict=True):
        account.realized += won
        account.volume += part
    return earned


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
