"""The long that examples are about, and how figures of examples are written."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from papertrade_site.figures.text import dollars, number
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.scale import to_float

ENTRY_USD: Final = 100_000
MARGIN_USD: Final = 100
LEVERAGE: Final = 100


def price(market: Instrument, raw: int) -> str:
    """A raw price of a market in dollars."""
    return dollars(market.price_usd(raw))


def percent(share: Fraction, *, digits: int = 4) -> str:
    """A share of one in percent, without the sign for it."""
    return number(to_float(share * 100, digits=digits))
