"""Figures in the sentences of summaries, in the same digits as in the result."""

from __future__ import annotations

from decimal import Decimal


def number(value: float) -> str:
    """A number with its thousands apart and no empty decimals, such as ``83,065.5``."""
    text = f"{Decimal(repr(value)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(value: float) -> str:
    """Dollars such as ``-$1,234.5``."""
    return f"-${number(-value)}" if value < 0 else f"${number(value)}"


def signed(value: float) -> str:
    """A number with its sign, such as ``+0.4``."""
    return number(value) if value < 0 else f"+{number(value)}"
