"""The protocol's current figures in one snapshot."""

from __future__ import annotations

from papertrade_site.market.emission import Curve
from papertrade_site.upstream.wire import Amount, Answered, Block, Count, PastMs, Wad, Wire


class SnapshotSource(Wire):
    """Where and when a snapshot was taken; ``genesis`` is the protocol's first moment in ms."""

    block: Block
    at: PastMs
    genesis: PastMs


class Balances(Wire):
    """Dollars at 10^18: all the exchange holds, margin of open positions, LP cash, what winners wait for.

    What ``reserve`` stands for is not documented.
    """

    tvl: Amount
    margin: Amount
    lp: Wad
    reserve: Wad
    queue: Amount


class Activity(Wire):
    """Notional since genesis in dollars at 10^18, and the number of open positions."""

    volume: Amount
    open: Count


class Fees(Wire):
    """Fees in dollars at 10^18 as the venue counts them; their make-up is not documented."""

    pending: Wad
    lifetime: Wad


class Paper(Wire):
    """PAPER and its staking pot: PAPER and dollars at 10^18, ``accumulator`` at 10^27.

    ``rate`` is the highest mint rate in PAPER per dollar at 10^18. ``reserve``, ``unallocated``,
    ``pending_rewards`` and ``excess`` are passed on as reported.
    """

    supply: Amount
    staked: Amount
    tracked_lp: Wad
    accumulator: Amount
    tail_progress: Amount
    reserve: Wad
    unallocated: Wad
    pending_rewards: Wad
    cliff: Amount
    cap: Amount
    excess: Wad
    rate: Amount
    decay: Amount

    @property
    def curve(self) -> Curve:
        """The mint curve and where it stands."""
        return Curve(
            tracked_lp=self.tracked_lp,
            tail_progress=self.tail_progress,
            cliff=self.cliff,
            cap=self.cap,
            max_rate=self.rate,
            decay=self.decay,
        )


class Summary(Answered):
    """One snapshot of the protocol."""

    source: SnapshotSource
    balances: Balances
    activity: Activity
    fees: Fees
    paper: Paper
