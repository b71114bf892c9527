"""PAPER: how much a loss mints, where the curve stands, and what a stake has earned.

Formulas: the tokenomics contract's integer form, as a published client library states it. Rates are
PAPER per dollar of loss at 10^18; LP figures, cliff, cap and decay are dollars at 10^18.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isqrt

from papertrade_site.market.scale import RAY, WAD

MAX_UINT256 = 2**256 - 1


class Phase(StrEnum):
    """Which part of the curve the LP's running gain puts the protocol in."""

    FLAT = "flat"
    TAIL = "tail"
    TAIL_OVERFLOW = "tail_overflow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The curve's parameters and where it stands.

    ``tracked_lp`` is the LP's running result and may be negative; ``tail_progress`` is the highest
    point that its gain past the cliff, sweeps included, has reached, and never falls.
    """

    tracked_lp: int
    tail_progress: int
    cliff: int
    cap: int
    max_rate: int
    decay: int

    @property
    def phase(self) -> Phase:
        """The part of the curve that applies now."""
        if self.tracked_lp < self.cliff:
            return Phase.FLAT
        return Phase.TAIL if self.tracked_lp < self.cap else Phase.TAIL_OVERFLOW

    @property
    def mint_rate(self) -> int:
        """PAPER minted per dollar of loss basis now, at 10^18.

        Flat at ``max_rate`` below the cliff, even after tail progress (one published client does so;
        the venue's documents leave the case open); past it ``max_rate * (S / (S + H))^2``, divided
        in two truncating steps. 0 when decay and progress are both 0.
        """
        if self.phase is Phase.FLAT:
            return self.max_rate
        span = self.decay + self.tail_progress
        if span == 0:
            return 0
        once = self.max_rate * self.decay // span
        return once * self.decay // span

    def tail_to_rate(self, rate: int) -> int:
        """Dollars of further tail progress until the tail's rate falls to ``rate`` above 0; 0 once it has."""
        return max(self.tail_at_rate(rate) - self.tail_progress, 0)

    def tail_at_rate(self, rate: int) -> int:
        """Dollars of tail progress at which the tail's rate falls to ``rate``, above 0; 0 if it starts there.

        Solves ``max_rate * (S / (S + H))^2 = rate`` for H with an integer square root, exact to a unit.
        """
        return max(isqrt(self.max_rate * self.decay * self.decay // rate) - self.decay, 0)


def paper_minted(basis: int, *, rate: int) -> int:
    """PAPER at 10^18 minted by a loss basis in dollars at 10^18."""
    return basis * rate // WAD


def pending_rewards(*, staked: int, accumulator: int, reward_debt: int, base: int) -> int:
    """Dollars at 10^18 that a stake has earned and not claimed; never below ``base``.

    ``accumulator`` is dollars per PAPER at 10^27. A product past 256 bits counts as nothing earned.
    """
    product = staked * accumulator
    if product > MAX_UINT256:
        return base
    return base + max(product // RAY - reward_debt, 0)
