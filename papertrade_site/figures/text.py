"""Figures in sentences.

Prices, limits and what a caller has asked for keep all digits that the result has: ``number``, ``dollars``,
``signed``. What was counted up or measured is told in as many digits as a reader takes in: ``amount``,
``money``, ``share_text`` and ``change``, whose digits ``_told`` alone decides. The result itself is exact.
What is smaller than ``PLAIN_FROM`` is written with an exponent, as nobody counts so many zeros.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

WHOLE_FROM: Final = 10_000
"""The size from which an amount is told without decimals."""

PLAIN_FROM: Final = Decimal("1e-18")
"""The size from which a number is written without an exponent: the last decimal that any result has."""

_CENT: Final = Decimal("0.01")
_ANY_SIZE: Final = Context(prec=400, rounding=ROUND_HALF_UP)
"""Digits enough for every finite float."""

_THREE_DIGITS: Final = Context(prec=3, rounding=ROUND_HALF_UP)


def number(value: float) -> str:
    """A number with its thousands apart and no empty decimals, such as ``83,065.5``."""
    return _written(Decimal(repr(value)))


def dollars(value: float) -> str:
    """Dollars such as ``-$1,234.5``."""
    return f"-${number(-value)}" if value < 0 else f"${number(value)}"


def signed(value: float) -> str:
    """A number with its sign, such as ``+0.4``."""
    return number(value) if value < 0 else f"+{number(value)}"


def amount(value: float) -> str:
    """So much of anything: ``4,993,279``, ``1,234.57``, or ``0.0499`` below one."""
    return _written(_told(value))


def money(value: float) -> str:
    """So many dollars: ``-$4,993,279``, ``$1,234.50``, or ``$0.0499`` below one."""
    told = _told(value)
    text = amount(abs(value))
    if "." in text[-2:]:  # cents are two
        text += "0"
    return f"-${text}" if told < 0 else f"${text}"


def share_text(share: float) -> str:
    """A share of one as a percentage, such as ``44.61 %``."""
    return f"{amount(float(Decimal(repr(share)) * 100))} %"


def change(percent: float) -> str:
    """A change in percent with its sign, such as ``+1.33 %``."""
    return f"{'' if percent < 0 else '+'}{amount(percent)} %"


def _told(value: float) -> Decimal:
    """The value in the digits of a sentence: whole if large, to the hundredth, or three digits below one."""
    exact, size = Decimal(repr(value)), abs(value)
    if size >= WHOLE_FROM:
        return exact.quantize(Decimal(1), context=_ANY_SIZE)
    return exact.quantize(_CENT, context=_ANY_SIZE) if size >= 1 else _THREE_DIGITS.plus(exact)


def _written(value: Decimal) -> str:
    if 0 < abs(value) < PLAIN_FROM:
        return f"{value:e}"
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
