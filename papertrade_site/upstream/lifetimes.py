"""How long a copy of each resource lasts: one table, so that every number can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from papertrade_site.upstream.resource import Lifetime

_TEN_MINUTES = 600.0

BOOK: Final = Lifetime(fresh_s=2.0, stale_s=15.0)
"""The mark comes from the book; at 1000x an older one is worthless."""

TRADING: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
SUMMARY: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
QUEUE: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
TRADES: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
RELAYER: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
WALLET: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
LEADERBOARD: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)
LIQUIDATION_MAP: Final = Lifetime(fresh_s=30.0, stale_s=_TEN_MINUTES)

HISTORY: Final = Lifetime(fresh_s=60.0, stale_s=_TEN_MINUTES)
HOUSE_HISTORY: Final = Lifetime(fresh_s=60.0, stale_s=_TEN_MINUTES)
MARKET_STATS: Final = Lifetime(fresh_s=60.0, stale_s=_TEN_MINUTES)
BEST_POSITIONS: Final = Lifetime(fresh_s=60.0, stale_s=_TEN_MINUTES)
CANDLES: Final = Lifetime(fresh_s=60.0, stale_s=_TEN_MINUTES)
PAPER: Final = Lifetime(fresh_s=60.0, stale_s=_TEN_MINUTES)

BY_SOURCE: Final[Mapping[str, Lifetime]] = MappingProxyType(
    {
        "hyperliquid.book": BOOK,
        "exchange.trading": TRADING,
        "exchange.summary": SUMMARY,
        "exchange.queue": QUEUE,
        "exchange.recent_trades": TRADES,
        "exchange.relayer": RELAYER,
        "exchange.wallets": WALLET,
        "exchange.leaderboard": LEADERBOARD,
        "exchange.liquidation_map": LIQUIDATION_MAP,
        "exchange.history": HISTORY,
        "exchange.house_history": HOUSE_HISTORY,
        "exchange.market_stats": MARKET_STATS,
        "exchange.best_positions": BEST_POSITIONS,
        "hyperliquid.candles": CANDLES,
        "hyperevm.paper": PAPER,
    }
)
"""The same by the names that sources have in results."""
