"""What a loss mints in PAPER, along the mint curve and now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from papertrade_site.figures.text import amount, dollars, money, number
from papertrade_site.market.emission import Curve, paper_minted
from papertrade_site.market.scale import WAD, paper, usd
from papertrade_site.market.settlement import Settlement, paper_basis

LOSS_USD: Final = 1000
DECAYS: Final = (
    Fraction(0),
    Fraction(1, 8),
    Fraction(1, 4),
    Fraction(1, 2),
    Fraction(1),
    Fraction(2),
    Fraction(4),
)
"""Points on the tail of the mint curve, in multiples of its decay."""


@dataclass(frozen=True, slots=True)
class RateRow:
    """The mint rate at one point of the tail; ``times`` is the progress in multiples of the decay."""

    times: str
    progress: str
    rate: str


@dataclass(frozen=True, slots=True)
class MintTerms:
    """The terms of the mint curve, and where it stands."""

    max_rate: str
    cliff: str
    decay: str
    tracked_lp: str
    tail_progress: str
    phase: str
    mint_rate: str


@dataclass(frozen=True, slots=True)
class MintRow:
    """How much PAPER one loss mints: the part of it that counts, and what that makes."""

    how: str
    basis: str
    minted: str


def rate_rows(curve: Curve) -> tuple[RateRow, ...]:
    """The tail's mint rate along the curve."""
    return tuple(_rate_row(curve, times) for times in DECAYS)


def _rate_row(curve: Curve, times: Fraction) -> RateRow:
    progress = curve.decay * times.numerator // times.denominator
    there = Curve(
        tracked_lp=curve.cliff,
        tail_progress=progress,
        cliff=curve.cliff,
        cap=curve.cap,
        max_rate=curve.max_rate,
        decay=curve.decay,
    )
    return RateRow(
        times=number(float(times)), progress=money(usd(progress)), rate=amount(paper(there.mint_rate))
    )


def mint_terms(curve: Curve) -> MintTerms:
    """The curve in words."""
    return MintTerms(
        max_rate=amount(paper(curve.max_rate)),
        cliff=money(usd(curve.cliff)),
        decay=money(usd(curve.decay)),
        tracked_lp=money(usd(curve.tracked_lp)),
        tail_progress=money(usd(curve.tail_progress)),
        phase=curve.phase.value,
        mint_rate=amount(paper(curve.mint_rate)),
    )


def mint_rows(curve: Curve) -> tuple[MintRow, ...]:
    """What a loss of ``LOSS_USD`` mints at the present rate, in each way that one can lose."""
    return tuple(_mint_rows(curve))


def _mint_rows(curve: Curve) -> Iterator[MintRow]:
    for how, liquidated, queue_active in (
        ("liquidated", True, False),
        ("closed by the trader while nobody waits in the payout queue", False, False),
        ("closed by the trader while winners wait in the payout queue", False, True),
    ):
        lost = -LOSS_USD * WAD
        basis = paper_basis(
            Settlement(raw=lost, adjusted=lost, win_fee=0, net=lost, liquidated=liquidated),
            queue_active=queue_active,
        )
        minted = paper_minted(basis, rate=curve.mint_rate)
        yield MintRow(how, dollars(usd(basis)), amount(paper(minted)))
