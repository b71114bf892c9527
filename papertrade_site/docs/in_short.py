"""What each tool is for, in a sentence for people; its description is for models, and long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

IN_SHORT: Final[Mapping[str, str]] = {
    "get_bust_map": "At which prices the largest wallets bust, how much money stands there, and what a move "
    "would take.",
    "get_closest_to_bust": "Who busts next: the open positions that are nearest to their bust price.",
    "get_bust_cluster_summary": "The few price ranges, below and above the mark, where most money busts.",
    "get_wallet_distance_to_bust": "How safe one wallet is: each open position, where it busts, and how far "
    "that is.",
    "get_protocol_liquidation_map": "The exchange's own map of where everybody busts, small wallets too.",
    "get_protocol_snapshot": "How Papertrade is doing now, and how that changed in a day and in a week.",
    "get_history": "One figure of the whole exchange over time, by the hour or by the day.",
    "get_open_interest": "What traders have open, long against short, and how full the caps are.",
    "get_paper_economics": "How much PAPER there is, how much is staked, and what a lost dollar mints now.",
    "get_market_stats": "BTC and ETH at a glance: price, volume, what may be opened, and what a win costs.",
    "get_top_traders": "Who earns, trades or holds most, by the exchange's leaderboard.",
    "get_position_insights": "Which leverage and size the best settled positions had.",
    "quote_position_outcome": "What a position that you describe would pay after a move of the price; a "
    "simulation, nothing is sent.",
}
"""By the names of the tools."""
