"""The official Python SDK's server: stateless, with plain JSON answers as long as ours.

It runs in an environment of its own, and is told by ``SDK_BENCH`` how long each answer shall be.
"""

from __future__ import annotations

import json
import os

from mcp.server.mcpserver import MCPServer

SIZES: dict[str, int] = json.loads(os.environ["SDK_BENCH"])


def quote_position_outcome(
    symbol: str,
    side: str,
    leverage: int,
    marginUsd: float,  # noqa: N803 - the SDK makes the schema of these names
    priceMovePct: float,  # noqa: N803
    entryPriceUsd: float,  # noqa: N803
) -> str:
    return "x" * SIZES["quote_position_outcome"]


def get_market_stats() -> str:
    return "x" * SIZES["get_market_stats"]


def get_wallet_distance_to_bust(wallet: str) -> str:
    return "x" * SIZES["get_wallet_distance_to_bust"]


server = MCPServer("bench", instructions="x" * SIZES["initialize"], log_level="ERROR")
for tool in (quote_position_outcome, get_market_stats, get_wallet_distance_to_bust):
    # A third of the list each: the descriptions make up nearly all of its length.
    server.add_tool(tool, description="x" * (SIZES["tools/list"] // 3), structured_output=False)
app = server.streamable_http_app(stateless_http=True, json_response=True)
