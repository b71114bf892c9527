"""Figures as pictures write them: three digits and a letter; who points at one reads it in full digits."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from papertrade_site.figures.text import number

DIGITS: Final = 3
"""Significant digits of a short figure."""

LETTERS: Final = ("", "K", "M", "B", "T")
UNKNOWN: Final = "unknown"

_EMPTY_DECIMALS: Final = re.compile(r"(\.[0-9]*?)0+(?=[KMBT])")
_THREE_DIGITS: Final = Context(prec=DIGITS, rounding=ROUND_HALF_UP)


def short(value: float) -> str:
    """A number of any size in three digits, such as ``14.4M``; below a thousand to the hundredth at most."""
    size = abs(Decimal(repr(value)))
    exponent = max(_THREE_DIGITS.plus(size).adjusted(), 0) if size else 0
    group = min(exponent // 3, len(LETTERS) - 1)
    places = max(DIGITS - 1 - exponent + 3 * group, 0)
    shown = size.scaleb(-3 * group).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{shown:f}" if group else number(float(shown))
    return f"{'-' if value < 0 and shown else ''}{text}{LETTERS[group]}"


def short_usd(value: float) -> str:
    """Dollars in three digits, such as ``-$14.4M``."""
    text = short(value)
    return f"-${text[1:]}" if text.startswith("-") else f"${text}"


def trimmed(text: str) -> str:
    """A short figure without empty decimals, for an axis: ``$20.0M`` becomes ``$20M``."""
    return _EMPTY_DECIMALS.sub(lambda found: found[1].rstrip("."), text)


def short_percent(value: float) -> str:
    """A percentage in two decimals, or in two digits below a tenth of one percent, such as ``0.085 %``."""
    exact = Decimal(repr(value))
    places = min(max(1 - exact.adjusted(), 2), 6) if exact else 0
    return f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):,f} %"


def share_percent(share: float) -> str:
    """A share of one as a percentage."""
    return short_percent(float(Decimal(repr(share)) * 100))


def counted(count: int, noun: str) -> str:
    """So many things, such as ``1 long`` or ``23 longs``."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"
