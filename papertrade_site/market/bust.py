"""Where a position busts, how far that is, and how to call it.

Crossing the bust price loses the whole margin. Prices are raw integers at the market's scale.
Formulas: the contract's, as read in a working integration and confirmed against live positions.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from papertrade_site.market.instrument import Side
from papertrade_site.market.scale import WAD

CRITICAL_BELOW = Fraction(5, 10_000)
HIGH_BELOW = Fraction(25, 10_000)
MEDIUM_BELOW = Fraction(1, 100)


class Danger(StrEnum):
    """How near a position is to busting, by distance as a share of the mark."""

    BUSTED = "busted"
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


def bust_price(entry: int, *, leverage: int, side: Side, bust_buffer: int) -> int:
    """The bust price that the contract stores when a position opens.

    ``step = entry div leverage``; the zero-equity price ``entry -/+ step`` moves back toward the
    entry by its own ``bust_buffer`` (a fraction at 10^18). A 1x long has a bust price of 0.
    """
    step = entry // leverage
    if side is Side.LONG:
        zero_equity = entry - step
        return zero_equity + zero_equity * bust_buffer // WAD
    zero_equity = entry + step
    return zero_equity - zero_equity * bust_buffer // WAD


def is_crossed(side: Side, *, mark: int, bust: int) -> bool:
    """Whether the mark has reached the bust price; equality counts."""
    return mark <= bust if side is Side.LONG else mark >= bust


def distance(side: Side, *, mark: int, bust: int) -> int:
    """Raw price units from the mark to the bust price; 0 or negative once crossed."""
    return mark - bust if side is Side.LONG else bust - mark


def distance_share(side: Side, *, mark: int, bust: int) -> Fraction:
    """The distance as an exact share of the mark, which must be above 0."""
    return Fraction(distance(side, mark=mark, bust=bust), mark)


def danger(share: Fraction) -> Danger:
    """The label for a distance given as a share of the mark."""
    if share <= 0:
        return Danger.BUSTED
    if share < CRITICAL_BELOW:
        return Danger.CRITICAL
    if share < HIGH_BELOW:
        return Danger.HIGH
    if share < MEDIUM_BELOW:
        return Danger.MEDIUM
    return Danger.LOW


def risk_basis_points(side: Side, *, entry: int, bust: int, mark: int) -> int:
    """How much of the way from entry to bust the mark has gone, 0 to 10,000 (100 %), truncated."""
    span = abs(entry - bust)
    against = entry - mark if side is Side.LONG else mark - entry
    if span == 0:
        return 10_000 if is_crossed(side, mark=mark, bust=bust) else 0
    if against <= 0:
        return 0
    if against >= span:
        return 10_000
    return against * 10_000 // span
