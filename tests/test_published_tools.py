"""The tools as both specifications table them: titles, arguments with their ranges, and what they return."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.server import Server

SYMBOL = {"type": "string", "enum": ["BTC", "ETH"]}
WALLETS = {"type": "integer", "minimum": 1, "maximum": 44, "default": 44}
STATS = ANALYTICS.tools_by_name["get_market_stats"]
QUOTE = ANALYTICS.tools_by_name["quote_position_outcome"]
BUCKET_USD = {"type": "number", "minimum": 0.01, "maximum": 10_000}
BUST_MAP = LIQUIDATIONS.tools_by_name["get_bust_map"]
CLUSTERS = LIQUIDATIONS.tools_by_name["get_bust_cluster_summary"]
PROTOCOL_MAP = LIQUIDATIONS.tools_by_name["get_protocol_liquidation_map"]
CLOSEST = LIQUIDATIONS.tools_by_name["get_closest_to_bust"]
WALLET = LIQUIDATIONS.tools_by_name["get_wallet_distance_to_bust"]


def _arguments(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {keyword: value for keyword, value in argument.items() if keyword != "description"}
        for name, argument in schema["properties"].items()
    }


@pytest.mark.requirement("market-stats:arguments")
def test_market_stats_takes_what_its_table_says() -> None:
    assert STATS.input_schema.get("required", []) == []
    assert _arguments(STATS.input_schema) == {
        "symbol": SYMBOL,
        "include_sparkline": {"type": "boolean", "default": False},
    }


@pytest.mark.requirement("market-stats:returns")
def test_market_stats_returns_its_time_and_the_markets() -> None:
    assert {"generatedAt", "markets"} <= set(STATS.output_schema["required"])


@pytest.mark.requirement("quote:arguments")
def test_a_quote_takes_what_its_table_says() -> None:
    required = ["symbol", "side", "marginUsd", "leverage", "priceMovePct"]
    assert QUOTE.input_schema["required"] == required
    assert _arguments(QUOTE.input_schema) == {
        "symbol": SYMBOL,
        "side": {"type": "string", "enum": ["long", "short"]},
        "marginUsd": {"type": "number", "minimum": 1, "maximum": 1_000_000},
        "leverage": {"type": "integer", "minimum": 1, "maximum": 1000},
        "priceMovePct": {"type": "number", "minimum": -100, "maximum": 1000},
        "entryPriceUsd": {"type": "number", "minimum": 0},
    }


@pytest.mark.requirement("quote:label")
def test_a_quote_is_called_a_simulation_before_anyone_asks_for_one() -> None:
    assert QUOTE.title == "Quote a position outcome (simulation)"
    assert QUOTE.description.startswith("SIMULATION ONLY")


@pytest.mark.requirement("quote:simulation")
def test_no_quote_can_be_valid_without_its_label() -> None:
    assert "simulation" in QUOTE.output_schema["required"]
    assert QUOTE.output_schema["properties"]["simulation"]["enum"] == [True]


@pytest.mark.requirement("bust-map:arguments")
def test_the_bust_map_takes_what_its_table_says() -> None:
    assert BUST_MAP.input_schema["required"] == ["market"]
    assert _arguments(BUST_MAP.input_schema) == {
        "market": SYMBOL,
        "bucketUsd": BUCKET_USD,
        "wallets": WALLETS,
        "cascadePercent": {"type": "number", "minimum": 0, "maximum": 25},
        "maxBuckets": {"type": "integer", "minimum": 1, "maximum": 200, "default": 60},
    }


@pytest.mark.requirement("clusters:arguments")
def test_the_clusters_take_what_their_table_says() -> None:
    assert CLUSTERS.input_schema.get("required", []) == []
    assert _arguments(CLUSTERS.input_schema) == {
        "market": {"type": "string", "enum": ["BTC", "ETH", "all"], "default": "all"},
        "wallets": WALLETS,
        "clusters": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
    }


@pytest.mark.requirement("protocol-map:arguments")
def test_the_map_of_the_protocol_takes_what_its_table_says() -> None:
    assert PROTOCOL_MAP.input_schema.get("required", []) == []
    assert _arguments(PROTOCOL_MAP.input_schema) == {
        "market": SYMBOL | {"default": "BTC"},
        "bucketUsd": BUCKET_USD,
    }


@pytest.mark.requirement("closest:arguments")
def test_the_closest_positions_take_what_their_table_says() -> None:
    assert CLOSEST.input_schema.get("required", []) == []
    assert _arguments(CLOSEST.input_schema) == {
        "market": {"type": "string", "enum": ["BTC", "ETH", "all"], "default": "all"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "side": {"type": "string", "enum": ["long", "short", "both"], "default": "both"},
        "maxDistancePercent": {"type": "number", "minimum": 0.0001, "maximum": 100},
        "wallets": WALLETS,
    }


@pytest.mark.requirement("wallet:arguments")
def test_the_distance_of_a_wallet_takes_an_address_alone() -> None:
    assert WALLET.input_schema["required"] == ["wallet"]
    assert _arguments(WALLET.input_schema) == {
        "wallet": {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$", "minLength": 42, "maxLength": 42}
    }


@pytest.mark.requirement("result:data-not-instructions")
@pytest.mark.parametrize("server", [LIQUIDATIONS, ANALYTICS], ids=lambda server: server.slug)
def test_models_are_told_on_connecting_that_texts_are_data(server: Server) -> None:
    assert re.search(r"data(,| and)? never (as )?instructions", server.instructions)
