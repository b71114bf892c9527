"""What the Analytics server declares."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_analytics.server import SERVER
from tests.filled_venue import FilledVenue
from tests.tool_calls import size_of
from tests.venue_bodies import MAX_LEVERAGE

QUOTE: dict[str, Any] = {
    "symbol": "BTC",
    "side": "long",
    "marginUsd": 100,
    "leverage": 100,
    "priceMovePct": 1,
}


@pytest.mark.requirement("tool:titles")
def test_it_declares_the_tools_in_the_order_of_the_documents() -> None:
    assert [(tool.name, tool.title) for tool in SERVER.tools] == [
        ("get_protocol_snapshot", "Protocol snapshot"),
        ("get_history", "Protocol history series"),
        ("get_open_interest", "Open interest and skew"),
        ("get_paper_economics", "PAPER economics"),
        ("get_market_stats", "Market stats"),
        ("get_top_traders", "Top traders (leaderboard)"),
        ("get_position_insights", "Position insights"),
        ("quote_position_outcome", "Quote a position outcome (simulation)"),
    ]


def test_bad_arguments_are_results_and_the_json_is_repeated() -> None:
    assert SERVER.bad_arguments_are_results
    assert SERVER.repeats_json


@pytest.mark.requirement("endpoint:registry-name")
def test_it_goes_by_its_registry_name() -> None:
    assert SERVER.name == "io.github.nirholas/papertrade-analytics"
    assert SERVER.info_name == "papertrade-analytics"
    assert len(SERVER.description) <= 100


def test_the_instructions_name_only_tools_that_there_are() -> None:
    assert "get_market_stats" in SERVER.instructions
    assert "quote_position_outcome" in SERVER.instructions
    assert len(SERVER.instructions) < 1500


def test_every_argument_is_described_and_the_list_stays_small() -> None:
    for tool in SERVER.tools:
        for schema in tool.input_schema["properties"].values():
            assert schema["description"]
    assert size_of({"tools": [tool.listing() for tool in SERVER.tools]}) <= 48 * 1024


def test_a_model_is_told_where_the_age_of_prices_stands() -> None:
    assert "the fetchedAt of hyperliquid.book tells the age of marks" in SERVER.instructions
    assert "markPriceUsd alone is as old as hyperliquid.candles" in SERVER.instructions
    assert "asOf is the oldest input" in SERVER.instructions


class TestAnswers:
    @pytest.mark.requirement("result:analytics")
    def test_a_success_has_a_sentence_and_the_json_as_text_and_as_data(self) -> None:
        result = FilledVenue().dispatch(SERVER, "quote_position_outcome", QUOTE)["result"]
        sentence, repeated = result["content"]
        assert sentence["text"].startswith("Simulation: a 100x BTC long")
        assert json.loads(repeated["text"]) == result["structuredContent"]
        assert result["isError"] is False

    @pytest.mark.requirement("error:bad-arguments:analytics")
    @pytest.mark.parametrize(
        ("changed", "text"),
        [
            (
                {"leverage": 1001},
                "Simulation: Wrong arguments for quote_position_outcome: leverage is 1001: it must be",
            ),
            (
                {"leverage": 500},
                "Simulation: Wrong arguments for quote_position_outcome: leverage is 500: it must be at most "
                "200, the live maximum of BTC.",
            ),
            (
                {"entryPriceUsd": 0.1},
                "Simulation: Wrong arguments for quote_position_outcome: entryPriceUsd is 0.1: it is too",
            ),
            (
                {"symbol": "ETH", "entryPriceUsd": 9e16, "priceMovePct": 1000},
                "Simulation: Wrong arguments for quote_position_outcome: priceMovePct is 1000: it must keep",
            ),
        ],
    )
    def test_rules_of_the_schema_and_of_the_moment_are_refused_in_the_same_words(
        self, changed: dict[str, Any], text: str
    ) -> None:
        venue = FilledVenue()
        venue.put_market(0, **{f"at{MAX_LEVERAGE}": 200})
        result = venue.dispatch(SERVER, "quote_position_outcome", {**QUOTE, **changed})["result"]
        (block,) = result["content"]
        assert block["text"].startswith(text)
        assert result["isError"] is True
        assert "structuredContent" not in result

    @pytest.mark.requirement("error:tool")
    def test_a_failed_quote_says_that_it_is_a_simulation_what_happened_and_what_to_do(self) -> None:
        venue = FilledVenue()
        venue.fail("exchange.trading")
        result = venue.dispatch(SERVER, "quote_position_outcome", QUOTE)["result"]
        text = "Simulation: exchange.trading cannot be reached now. Try again in 7 s."
        assert result == {"content": [{"type": "text", "text": text}], "isError": True}
