"""Which sources the tools of each server read; a test compares it with what they do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SOURCES_READ: Final[Mapping[str, tuple[str, ...]]] = {
    "liquidations": (
        "hyperliquid.book",
        "exchange.trading",
        "exchange.leaderboard",
        "exchange.wallets",
        "exchange.house_history",
        "exchange.liquidation_map",
        "hyperevm.paper",
    ),
    "analytics": (
        "hyperliquid.book",
        "hyperliquid.candles",
        "exchange.trading",
        "exchange.summary",
        "exchange.queue",
        "exchange.history",
        "exchange.house_history",
        "exchange.market_stats",
        "exchange.leaderboard",
        "exchange.best_positions",
        "hyperevm.paper",
    ),
}
"""By the names that sources have in ``freshness``, those of prices first."""
