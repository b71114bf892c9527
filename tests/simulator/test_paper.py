"""PAPER supply, stakes and what they earn."""

from __future__ import annotations

from papertrade_site.market.scale import RAY, WAD
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.paper import Paper


def staker(paper: Paper, name: int, amount: int) -> Account:
    """A wallet that staked what was minted for it."""
    account = Account(f"0x{name:040x}")
    paper.mint(account, amount)
    paper.stake_all(account)
    return account


def test_minted_paper_is_held_until_it_is_staked() -> None:
    paper, account = Paper(), Account("0x")
    paper.mint(account, 5 * WAD)
    assert (paper.supply, paper.staked, account.paper_held) == (5 * WAD, 0, 5 * WAD)
    paper.stake_all(account)
    assert (paper.supply, paper.staked, account.paper_held, account.paper) == (5 * WAD, 5 * WAD, 0, 5 * WAD)
    paper.unstake_all(account)
    assert (paper.staked, account.paper_held, account.paper_staked) == (0, 5 * WAD, 0)


def test_dollars_are_shared_by_stake() -> None:
    paper = Paper()
    small, large = staker(paper, 1, 10 * WAD), staker(paper, 2, 30 * WAD)
    paper.distribute(8 * WAD)
    assert paper.accumulator == 8 * RAY // 40
    assert (paper.pending_of(small), paper.pending_of(large)) == (2 * WAD, 6 * WAD)
    assert (paper.reserve, paper.pending, paper.unallocated) == (8 * WAD, 8 * WAD, 0)


def test_a_later_stake_earns_only_from_then_on_and_keeps_what_it_had() -> None:
    paper = Paper()
    early = staker(paper, 1, 10 * WAD)
    paper.distribute(5 * WAD)
    late = staker(paper, 2, 10 * WAD)
    paper.mint(early, 10 * WAD)
    paper.stake_all(early)
    assert (paper.pending_of(early), paper.pending_of(late)) == (5 * WAD, 0)
    paper.distribute(3 * WAD)
    assert (paper.pending_of(early), paper.pending_of(late)) == (7 * WAD, 1 * WAD)


def test_a_claim_pays_once() -> None:
    paper = Paper()
    account = staker(paper, 1, 10 * WAD)
    paper.distribute(5 * WAD)
    assert paper.claim(account) == 5 * WAD
    assert paper.claim(account) == 0
    assert (paper.reserve, paper.pending) == (0, 0)


def test_what_was_earned_stays_after_unstaking() -> None:
    paper = Paper()
    account = staker(paper, 1, 10 * WAD)
    paper.distribute(5 * WAD)
    paper.unstake_all(account)
    paper.distribute(5 * WAD)
    assert paper.pending_of(account) == 5 * WAD
    assert paper.unallocated == 5 * WAD


def test_rounding_dust_belongs_to_nobody() -> None:
    paper = Paper()
    staker(paper, 1, 3 * 10**30)
    paper.distribute(10)
    assert paper.reserve == 10
    assert paper.unallocated == 10 - 3 * 10**30 * paper.accumulator // RAY
    assert paper.unallocated > 0


def test_an_account_is_taken_in_with_what_it_has() -> None:
    paper = Paper(accumulator=RAY // 2)
    paper.enrol(Account("0x", paper_held=WAD, paper_staked=4 * WAD, reward_debt=WAD))
    assert (paper.supply, paper.staked, paper.reserve, paper.pending) == (5 * WAD, 4 * WAD, WAD, WAD)
