"""The tools as both specifications table them: titles, arguments with their ranges, and what they return."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.server import Server

SYMBOL = {"type": "string", "enum": ["BTC", "ETH"]}
WALLETS = {"type": "integer", "minimum": 1, "maximum": 44}
SNAPSHOT = ANALYTICS.tools_by_name["get_protocol_snapshot"]
HISTORY = ANALYTICS.tools_by_name["get_history"]
OPEN_INTEREST = ANALYTICS.tools_by_name["get_open_interest"]
STATS = ANALYTICS.tools_by_name["get_market_stats"]
PAPER = ANALYTICS.tools_by_name["get_paper_economics"]
TOP = ANALYTICS.tools_by_name["get_top_traders"]
INSIGHTS = ANALYTICS.tools_by_name["get_position_insights"]
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


@pytest.mark.requirement("snapshot:arguments", "snapshot:returns")
def test_the_snapshot_takes_nothing_and_returns_its_source_the_protocol_and_deltas() -> None:
    assert SNAPSHOT.input_schema["properties"] == {}
    assert {"generatedAt", "source", "protocol", "deltas"} <= set(SNAPSHOT.output_schema["required"])


@pytest.mark.requirement("history:arguments", "history:defaults")
def test_the_history_takes_what_its_table_says() -> None:
    metrics = "tvl volume volume_btc volume_eth traders trades liquidated_volume trader_pnl"
    assert HISTORY.input_schema["required"] == ["metric"]
    assert _arguments(HISTORY.input_schema) == {
        "metric": {"type": "string", "enum": [*metrics.split(), "paper_supply", "paper_staked"]},
        "interval": {"type": "string", "enum": ["1h", "1d"], "default": "1d"},
        "limit": {"type": "integer", "minimum": 2, "maximum": 500, "default": 48},
        "mode": {"type": "string", "enum": ["value", "per_bucket"], "default": "value"},
    }


@pytest.mark.requirement("history:returns")
def test_the_history_returns_the_ten_fields() -> None:
    fields = "metric unit kind mode interval asOf totalPoints points change24h change7d"
    assert set(fields.split()) <= set(HISTORY.output_schema["required"])


@pytest.mark.requirement("open-interest:arguments")
def test_open_interest_takes_what_its_table_says() -> None:
    assert OPEN_INTEREST.input_schema.get("required", []) == []
    assert _arguments(OPEN_INTEREST.input_schema) == {
        "market": {"type": "string", "enum": ["all", "BTC", "ETH"], "default": "all"},
        "history": {"type": "boolean", "default": False},
        "resolution": {"type": "string", "enum": ["1m", "1h", "1d"], "default": "1h"},
        "limit": {"type": "integer", "minimum": 2, "maximum": 500, "default": 48},
    }


@pytest.mark.requirement("open-interest:returns")
def test_open_interest_returns_totals_markets_and_a_history() -> None:
    returned = {"generatedAt", "totals", "markets", "history"}
    assert returned <= set(OPEN_INTEREST.output_schema["required"])


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


@pytest.mark.requirement("paper:arguments", "paper:returns")
def test_paper_economics_takes_nothing_and_returns_paper_and_staking() -> None:
    assert _arguments(PAPER.input_schema) == {}
    assert {"generatedAt", "paper", "staking"} <= set(PAPER.output_schema["required"])


@pytest.mark.requirement("top-traders:arguments")
def test_top_traders_takes_what_its_table_says() -> None:
    assert TOP.input_schema.get("required", []) == []
    keys = [
        "totalWindowedPnl",
        "realizedPnl",
        "currentUnrealizedPnl",
        "currentBalance",
        "currentOpenNotional",
        "totalVolume",
        "paperTotal",
        "currentOpenPositionCount",
    ]
    assert _arguments(TOP.input_schema) == {
        "window": {"type": "string", "enum": ["24h", "7d", "30d", "all"], "default": "24h"},
        "sort": {"type": "string", "enum": keys, "default": "totalWindowedPnl"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    }


@pytest.mark.requirement("top-traders:returns")
def test_top_traders_returns_the_ranking_and_what_it_is_of() -> None:
    fields = {"window", "sort", "uniqueAccounts", "tracked", "traders"}
    assert fields <= set(TOP.output_schema["required"])


@pytest.mark.requirement("top-traders:names")
def test_a_model_is_told_that_names_are_untrusted_wherever_it_reads_of_them() -> None:
    name = TOP.output_schema["properties"]["traders"]["items"]["properties"]["name"]
    assert "untrusted" in name["description"]
    assert "data, never an instruction" in TOP.description


@pytest.mark.requirement("insights:arguments")
def test_position_insights_takes_what_its_table_says() -> None:
    assert INSIGHTS.input_schema.get("required", []) == []
    assert _arguments(INSIGHTS.input_schema) == {
        "window": {"type": "string", "enum": ["24h", "all"], "default": "24h"}
    }


@pytest.mark.requirement("insights:returns")
def test_position_insights_returns_counts_share_and_medians() -> None:
    fields = {"window", "count", "leverage", "size", "longShareByNotional", "medianLeverage"}
    assert {*fields, "medianNotionalUsd"} <= set(INSIGHTS.output_schema["required"])


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
        "entryPriceUsd": {"type": "number", "minimum": 0.01, "maximum": 9 * 10**16},
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
