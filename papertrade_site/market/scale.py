"""The contract's number scales, its truncating division, and the one rounding at the edge."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

WAD = 10**18
"""Scale of US dollars, coins, PAPER and fractions: 10^18 is one."""

RAY = 10**27
"""Scale of the staking accumulator (dollars earned per PAPER staked)."""

USD_DIGITS = 6
PAPER_DIGITS = 6
SHARE_DIGITS = 6

_DECIMAL = re.compile(r"(-?)([0-9]{1,40})(?:\.([0-9]{1,40}))?", re.ASCII)


def truncating_div(numerator: int, denominator: int) -> int:
    """Divide and drop the fraction toward zero, as the contract does; Python's ``//`` drops it downward.

    Raises:
        ZeroDivisionError: when ``denominator`` is 0.
    """
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def nearest_div(numerator: int, denominator: int) -> int:
    """Divide by a positive number and round to nearest, halves away from zero."""
    quotient = (2 * abs(numerator) + denominator) // (2 * denominator)
    return -quotient if numerator < 0 else quotient


def parse_decimal(text: str, scale: int) -> int:
    """Read a plain decimal such as ``"83065.5"`` as an integer at ``scale``, rounded to nearest.

    Raises:
        ValueError: when the text is not a plain decimal of at most 40 digits a side (so no
            exponent, no sign but a leading minus, no NaN and no infinity).
    """
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise ValueError(f"not a plain decimal number: {text[:60]!r}")
    sign, whole, digits = match.group(1), match.group(2), match.group(3) or ""
    value = nearest_div(int(whole + digits) * scale, 10 ** len(digits))
    return -value if sign else value


def wad_of(plain: float) -> int:
    """A finite number of a source as the decimal that it wrote, at 10^18; what is finer is dropped."""
    return int(Decimal(repr(plain)).scaleb(18))


def to_float(amount: int | Fraction, scale: int = 1, *, digits: int) -> float:
    """Turn an exact amount at ``scale`` into a number for people, rounded once to ``digits`` decimals.

    Rounds to nearest, halves away from zero, before the value ever becomes a float.
    """
    places: int = 10**digits
    return nearest_div(amount.numerator * places, amount.denominator * scale) / places


def usd(amount_wad: int) -> float:
    """Dollars for people, to 6 decimals, from dollars at 10^18."""
    return to_float(amount_wad, WAD, digits=USD_DIGITS)


def paper(amount_wad: int) -> float:
    """PAPER for people, to 6 decimals, from PAPER at 10^18."""
    return to_float(amount_wad, WAD, digits=PAPER_DIGITS)


def percent(share: Fraction) -> float:
    """A share of one as percent (0.0095 becomes 0.95), to 6 decimals."""
    return to_float(share * 100, digits=SHARE_DIGITS)
