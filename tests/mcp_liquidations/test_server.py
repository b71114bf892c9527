"""What the Liquidations server declares."""

from __future__ import annotations

import json

import pytest

from mcp_liquidations.server import SERVER
from papertrade_site.upstream import exchange
from tests.filled_venue import FilledVenue
from tests.venue_bodies import body


def test_it_declares_its_tools() -> None:
    assert [tool.name for tool in SERVER.tools] == [
        "get_bust_map",
        "get_closest_to_bust",
        "get_bust_cluster_summary",
        "get_wallet_distance_to_bust",
        "get_protocol_liquidation_map",
    ]


def test_a_model_is_told_of_every_tool_on_connecting() -> None:
    assert [tool.name for tool in SERVER.tools if tool.name not in SERVER.instructions] == []


def test_bad_arguments_are_protocol_errors_and_the_json_is_sent_once() -> None:
    assert not SERVER.bad_arguments_are_results
    assert not SERVER.repeats_json


@pytest.mark.requirement("endpoint:registry-name")
def test_it_goes_by_its_registry_name() -> None:
    assert SERVER.name == "io.github.nirholas/papertrade-liquidations"
    assert SERVER.info_name == "papertrade-liquidations"
    assert len(SERVER.description) <= 100


@pytest.mark.parametrize("tool", ["get_wallet_distance_to_bust", "get_closest_to_bust"])
def test_the_danger_thresholds_stand_in_the_description(tool: str) -> None:
    for threshold in ("0.05 %", "0.25 %", "1 %"):
        assert threshold in SERVER.tools_by_name[tool].description


def test_every_argument_is_described_and_the_list_stays_small() -> None:
    for tool in SERVER.tools:
        for schema in tool.input_schema["properties"].values():
            assert schema["description"]
    assert len(json.dumps([tool.listing() for tool in SERVER.tools])) <= 48 * 1024


def test_a_model_is_told_where_the_age_of_prices_stands() -> None:
    wallet = SERVER.tools_by_name["get_wallet_distance_to_bust"]
    for text in (SERVER.instructions, wallet.description):
        assert "fetchedAt of hyperliquid.book" in text
        assert "asOf is the oldest input" in text


def test_a_model_is_told_that_only_three_tools_look_at_the_largest_wallets() -> None:
    named, _, others = SERVER.instructions.partition(": these three look at the largest wallets")
    for tool in SERVER.tools:
        reads_tracked = "coverage.fraction" in tool.description
        assert (tool.name in named) == reads_tracked
        assert (tool.name in others) != reads_tracked


def test_a_model_is_told_that_the_exchanges_map_may_be_missing_and_what_stands_for_it() -> None:
    tool = SERVER.tools_by_name["get_protocol_liquidation_map"]
    assert "The exchange does not document this map" in tool.description
    width = tool.input_schema["properties"]["bucketUsd"]["description"]
    assert "($100 for BTC and $5 for ETH in a derived map)" in width


class TestAnswers:
    @pytest.mark.requirement("result:liquidations")
    def test_a_success_has_a_sentence_and_data(self) -> None:
        venue = FilledVenue()
        wallet = body("wallet")
        venue.put(exchange.wallet(wallet["address"]), wallet)
        arguments = {"wallet": wallet["address"]}
        result = venue.dispatch(SERVER, "get_wallet_distance_to_bust", arguments)["result"]
        (sentence,) = result["content"]
        assert sentence["text"].startswith(f"Wallet {wallet['address']} has 3 open positions")
        assert result["structuredContent"]["totals"]["positions"] == 3

    @pytest.mark.requirement("error:bad-arguments:liquidations")
    def test_a_bad_address_is_minus_32602_with_the_faults_as_data(self) -> None:
        error = FilledVenue().dispatch(SERVER, "get_wallet_distance_to_bust", {"wallet": "0x12"})["error"]
        assert error["code"] == -32602
        (fault,) = error["data"]["errors"]
        assert (fault["argument"], fault["value"]) == ("wallet", '"0x12"')
        assert "0x and 40 hex digits, in any case)." in error["message"]

    @pytest.mark.requirement("error:tool")
    def test_an_outage_is_a_result_that_says_what_to_do_next(self) -> None:
        venue = FilledVenue()
        venue.fail("exchange.wallets")
        arguments = {"wallet": "0x" + "1" * 40}
        result = venue.dispatch(SERVER, "get_wallet_distance_to_bust", arguments)["result"]
        text = "exchange.wallets cannot be reached now. Try again in 7 s."
        assert result == {"content": [{"type": "text", "text": text}], "isError": True}
