"""How long a copy of each resource lasts: one table, so that every number can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from papertrade_site.upstream.resource import Lifetime

_HALF_A_MINUTE: Final = Lifetime(fresh_s=30.0, stale_s=600.0)
_MINUTE: Final = Lifetime(fresh_s=60.0, stale_s=600.0)

LIFETIMES: Final[Mapping[str, Lifetime]] = MappingProxyType(
    {
        # The mark comes from the book; at 1000x an older one is worthless.
        "hyperliquid.book": Lifetime(fresh_s=2.0, stale_s=15.0),
        "exchange.trading": _HALF_A_MINUTE,
        "exchange.summary": _HALF_A_MINUTE,
        "exchange.queue": _HALF_A_MINUTE,
        "exchange.recent_trades": _HALF_A_MINUTE,
        "exchange.relayer": _HALF_A_MINUTE,
        "exchange.wallets": _HALF_A_MINUTE,
        "exchange.leaderboard": _HALF_A_MINUTE,
        "exchange.liquidation_map": _HALF_A_MINUTE,
        "exchange.history": _MINUTE,
        "exchange.house_history": _MINUTE,
        "exchange.market_stats": _MINUTE,
        "exchange.best_positions": _MINUTE,
        "hyperliquid.candles": _MINUTE,
        "hyperevm.paper": _MINUTE,
    }
)
"""By the names that resources have in freshness reports."""
