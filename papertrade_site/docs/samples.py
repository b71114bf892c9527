"""A call of each tool that is worth making first: the arguments that its form begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.snippets import Value
from papertrade_site.mcp.tool import Tool


@dataclass(frozen=True, slots=True)
class Sample:
    """A call: a tool's name and its arguments."""

    tool: str
    arguments: Mapping[str, Value]


_SAMPLES: Final[Mapping[str, Mapping[str, Value]]] = {
    "get_bust_map": {"market": "BTC", "cascadePercent": 1},
    "get_closest_to_bust": {"market": "BTC", "limit": 5},
    "get_protocol_liquidation_map": {"market": "BTC"},
    "get_history": {"metric": "volume", "interval": "1h", "limit": 24, "mode": "per_bucket"},
    "get_open_interest": {"history": True, "resolution": "1h", "limit": 24},
    "get_market_stats": {"symbol": "BTC"},
    "get_top_traders": {"window": "7d", "limit": 5},
    "get_position_insights": {"window": "24h"},
    "quote_position_outcome": {
        "symbol": "ETH",
        "side": "short",
        "marginUsd": 200,
        "leverage": 100,
        "priceMovePct": -0.5,
    },
}


def sample_arguments(tool: str) -> Mapping[str, Value]:
    """The arguments of a tool's first call; none where it needs none, or nothing but what a reader has."""
    return _SAMPLES.get(tool, {})


def first_sample(tools: Iterable[Tool[Any]]) -> Sample:
    """The first call of several tools that has arguments, and so shows how they are written.

    Raises:
        StopIteration: when none has.
    """
    calls = (Sample(tool.name, sample_arguments(tool.name)) for tool in tools)
    return next(call for call in calls if call.arguments)


def first_call(tool: Tool[Any], some_trader: Callable[[], str]) -> Mapping[str, Value]:
    """The arguments of a call that can be made now, with the wallet of some trader where one is needed."""
    if "wallet" in tool.input_schema["properties"]:
        return {"wallet": some_trader()}
    return sample_arguments(tool.name)
