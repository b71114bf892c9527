"""What sources are called in sentences, for readers who know Papertrade and not this program's names."""

from __future__ import annotations

from typing import Final

LABELS: Final = {
    "exchange.trading": "the exchange's list of markets",
    "exchange.summary": "the exchange's summary",
    "exchange.history": "the exchange's history",
    "exchange.house_history": "the exchange's history of the house",
    "exchange.market_stats": "the exchange's table of volumes",
    "exchange.queue": "the exchange's payout queue",
    "exchange.recent_trades": "the exchange's list of recent trades",
    "exchange.relayer": "the exchange's order relayer",
    "exchange.wallets": "the exchange's record of the wallet",
    "exchange.leaderboard": "the exchange's leaderboard",
    "exchange.best_positions": "the exchange's list of best positions",
    "exchange.liquidation_map": "the exchange's liquidation map",
    "hyperliquid.book": "Hyperliquid's order book",
    "hyperliquid.candles": "Hyperliquid's price chart",
    "hyperevm.paper": "HyperEVM's record of PAPER",
}
"""By the resource's name; each a thing in the singular, so that one sentence fits all."""


def sentence(pattern: str, source: str) -> str:
    """A sentence about a source, whose label takes the place of ``{}``; an unlisted one keeps its name."""
    text = pattern.format(LABELS.get(source, source))
    return text[:1].upper() + text[1:] if source in LABELS else text
