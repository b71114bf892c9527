"""The house: the liquidity pool (LP), its fees, the payout queue, and what goes to PAPER stakers.

The LP starts at 0 and is everybody's counterparty. A loser's loss comes in, a winner's profit goes out;
profit that the LP cannot pay waits in a first-in-first-out queue. Cash above the cap is swept: 98 % to
stakers, the rest to the developers. At any time

    traders' realised result == -(lp - queue + swept + fees charged)

to the last unit, which is what ``traders_result`` returns.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from papertrade_site.market.emission import Curve
from papertrade_site.market.scale import WAD
from papertrade_site.market.settlement import LOSS_FEE_RATE
from papertrade_site.simulator.accounts import Account, Ledger
from papertrade_site.simulator.markets import LIQUIDATION_FEE_RATE

CLIFF = 2_000_000 * WAD
CAP = 5_000_000 * WAD
MAX_RATE = 100 * WAD
DECAY = 120_000_000 * WAD
STAKERS_PERCENT_OF_SWEEP = 98


@dataclass(slots=True)
class QueuedPayout:
    """A winner's place in the payout queue and the dollars at 10^18 still owed."""

    account: Account
    owed: int


class House:
    """The protocol's own cash and debts, in dollars at 10^18."""

    def __init__(self, ledger: Ledger, *, lp: int = 0, swept: int = 0, fees: int = 0) -> None:
        self._ledger = ledger
        self.lp = lp
        self.swept = swept
        """Everything ever swept off the LP."""
        self.fees = fees
        """Every fee ever charged, the stakers' half and the developers'."""
        self.staker_fees = fees // 2
        """The stakers' half of the fees so far."""
        self.staker_rewards = fees // 2 + swept * STAKERS_PERCENT_OF_SWEEP // 100
        """All that stakers ever got: their half of the fees and their part of the sweeps."""
        self.waiting_fees = 0
        """Fees (both halves) and the developers' part of sweeps that the keeper has not sent out yet."""
        self.waiting_sweep = 0
        """The stakers' part of sweeps that the keeper has not sent out yet."""
        self._waiting_staker_fees = 0
        self.queue: deque[QueuedPayout] = deque()
        self.queued = 0
        """Sum of all that is owed to the queue."""
        self.tail_progress = max(lp + swept - CLIFF, 0)
        """The highest that the LP's gain before sweeps has been above the cliff; never falls."""

    @property
    def held(self) -> int:
        """Cash in the exchange that belongs to no trader: the LP and what the keeper has to send out."""
        return self.lp + self.waiting_fees + self.waiting_sweep

    @property
    def tracked_lp(self) -> int:
        """The running result that the mint curve reads: the LP less its debts to the queue."""
        return self.lp - self.queued

    @property
    def traders_result(self) -> int:
        """What all traders have realised together, after fees; the house's income with the sign turned."""
        return -(self.tracked_lp + self.swept + self.fees)

    @property
    def curve(self) -> Curve:
        """Where the PAPER mint curve stands."""
        return Curve(
            tracked_lp=self.tracked_lp,
            tail_progress=self.tail_progress,
            cliff=CLIFF,
            cap=CAP,
            max_rate=MAX_RATE,
            decay=DECAY,
        )

    def take_loss(self, loss: int, *, liquidated: bool) -> None:
        """Take in a trader's loss; its fee is waived for a voluntary close while anybody is queued."""
        if liquidated:
            fee = loss * LIQUIDATION_FEE_RATE // WAD
        else:
            fee = 0 if self.queue else loss * LOSS_FEE_RATE // WAD
        self._charge(fee)
        self.lp += loss - fee
        self._pay_queue()
        self._sweep()

    def pay_win(self, account: Account, net: int, *, fee: int) -> None:
        """Pay a winner from the LP, then the fee; profit that is not covered is queued.

        Nobody overtakes the queue: while it is not empty the LP is. A fee that the LP cannot cover
        after the profit is not charged.
        """
        paid = min(self.lp, net)
        self.lp -= paid
        self._ledger.credit(account, paid)
        if paid < net:
            self._enqueue(account, net - paid)
        covered = min(self.lp, fee)
        self.lp -= covered
        self._charge(covered)

    def send_out(self) -> int:
        """The keeper's batch: empty what waits; returns the part that goes to the staking pot."""
        to_stakers = self._waiting_staker_fees + self.waiting_sweep
        self._waiting_staker_fees = self.waiting_fees = self.waiting_sweep = 0
        return to_stakers

    def _charge(self, fee: int) -> None:
        to_stakers = fee // 2
        self.fees += fee
        self.staker_fees += to_stakers
        self.staker_rewards += to_stakers
        self.waiting_fees += fee
        self._waiting_staker_fees += to_stakers

    def _enqueue(self, account: Account, owed: int) -> None:
        self.queue.append(QueuedPayout(account, owed))
        self.queued += owed
        account.queued += owed
        account.queue_nodes += 1

    def _pay_queue(self) -> None:
        while self.queue and self.lp > 0:
            payout = self.queue[0]
            paid = min(self.lp, payout.owed)
            payout.owed -= paid
            payout.account.queued -= paid
            self.lp -= paid
            self.queued -= paid
            self._ledger.credit(payout.account, paid)
            if payout.owed == 0:
                payout.account.queue_nodes -= 1
                self.queue.popleft()

    def _sweep(self) -> None:
        self.tail_progress = max(self.tail_progress, self.tracked_lp + self.swept - CLIFF)
        excess = self.lp - CAP
        if excess <= 0:
            return
        to_stakers = excess * STAKERS_PERCENT_OF_SWEEP // 100
        self.lp = CAP
        self.swept += excess
        self.staker_rewards += to_stakers
        self.waiting_sweep += to_stakers
        self.waiting_fees += excess - to_stakers
