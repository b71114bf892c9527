"""The exchange's own words: bucket sizes, ranking spans and figures, kinds of trades, and contracts."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 86_400_000

EXCHANGE_CONTRACT: Final = "0x6cd5661646289fb6e65ea5c032310fded797d0a2"
PAPER_CONTRACT: Final = "0xe40f17915daa230324030003a197cdaef2261c0e"
STAKING_CONTRACT: Final = "0xaad6c7b0cc3014fc80ffedae0ed7ce5967b0f016"

WIN_FEE_RATE_SELECTOR: Final = "0x48ee5e08"
"""Getter of the exchange: the share of a win that goes to stakers, at 10^18."""

TOTAL_SUPPLY_SELECTOR: Final = "0x18160ddd"
"""Getter of a token: how much of it exists, at 10^18."""

BALANCE_OF_SELECTOR: Final = "0x70a08231"
"""Getter of a token: what the address in its one argument holds, at 10^18."""


class Interval(StrEnum):
    """A bucket size that the venue keeps its past in."""

    MINUTE = "1m"
    HOUR = "1h"
    DAY = "1d"

    @property
    def width_ms(self) -> int:
        """Milliseconds per bucket."""
        return {Interval.MINUTE: MINUTE_MS, Interval.HOUR: HOUR_MS, Interval.DAY: DAY_MS}[self]


class Window(StrEnum):
    """A span that the venue ranks over."""

    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"
    ALL = "all"

    @property
    def length_ms(self) -> int | None:
        """How far back the window reaches; None for all time."""
        days = {Window.DAY: 1, Window.WEEK: 7, Window.MONTH: 30}.get(self)
        return None if days is None else days * DAY_MS


class SortKey(StrEnum):
    """A figure of an account that the venue ranks by."""

    TOTAL_PNL = "totalWindowedPnl"
    REALIZED_PNL = "realizedPnl"
    UNREALIZED_PNL = "currentUnrealizedPnl"
    BALANCE = "currentBalance"
    OPEN_NOTIONAL = "currentOpenNotional"
    VOLUME = "totalVolume"
    PAPER = "paperTotal"
    OPEN_POSITIONS = "currentOpenPositionCount"


class TradeKind(StrEnum):
    """What a trade did to its position."""

    OPEN = "open"
    CLOSE = "close"
    LIQUIDATION = "liquidation"
