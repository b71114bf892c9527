"""PAPER: supply, staking, and the dollars that stakers earn."""

from __future__ import annotations

from papertrade_site.market.emission import pending_rewards
from papertrade_site.market.scale import RAY
from papertrade_site.simulator.accounts import Account


class Paper:
    """The token and its staking pot; PAPER and dollars at 10^18, ``accumulator`` at 10^27.

    ``reserve`` is the cash in the pot. ``unallocated`` is the part of it that no stake has earned:
    what came in with nobody staking, and what is lost in rounding the accumulator.
    """

    def __init__(self, *, accumulator: int = 0) -> None:
        self.accumulator = accumulator
        self.supply = 0
        self.staked = 0
        self.reserve = 0
        self.unallocated = 0

    @property
    def pending(self) -> int:
        """Dollars earned by all stakes and not claimed; within a unit per wallet of their sum."""
        return self.reserve - self.unallocated

    def enrol(self, account: Account) -> None:
        """Take in an account with the PAPER, stake and rewards that it already has."""
        self.supply += account.paper
        self.staked += account.paper_staked
        self.reserve += self.pending_of(account)

    def pending_of(self, account: Account) -> int:
        """Dollars that one wallet's stake has earned and not claimed."""
        return pending_rewards(
            staked=account.paper_staked,
            accumulator=self.accumulator,
            reward_debt=account.reward_debt,
            base=account.reward_base,
        )

    def mint(self, account: Account, amount: int) -> None:
        """Give a wallet new PAPER."""
        account.paper_held += amount
        self.supply += amount

    def stake_all(self, account: Account) -> None:
        """Stake all PAPER that the wallet holds."""
        self._restake(account, account.paper)

    def unstake_all(self, account: Account) -> None:
        """Take the whole stake back; what it earned stays to be claimed."""
        self._restake(account, 0)

    def claim(self, account: Account) -> int:
        """Pay a wallet what its stake has earned; the dollars leave the pot."""
        earned = self.pending_of(account)
        self._restake(account, account.paper_staked)
        account.reward_base = 0
        self.reserve -= earned
        return earned

    def distribute(self, dollars: int) -> None:
        """Add dollars to the pot and share them among all stakes."""
        self.reserve += dollars
        if self.staked == 0:
            self.unallocated += dollars
            return
        step = dollars * RAY // self.staked
        self.accumulator += step
        self.unallocated += dollars - self.staked * step // RAY

    def _restake(self, account: Account, staked: int) -> None:
        account.reward_base = self.pending_of(account)
        account.reward_debt = staked * self.accumulator // RAY
        account.paper_held = account.paper - staked
        self.staked += staked - account.paper_staked
        account.paper_staked = staked
        account.revision += 1
