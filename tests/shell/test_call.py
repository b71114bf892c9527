"""What is typed after ``manage.py call``, and what it calls."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_analytics.tools import get_market_stats
from papertrade_site.servers import SERVERS
from papertrade_site.shell.call import (
    Outcome,
    UsageError,
    arguments_of,
    call,
    manual,
    page,
    server_list,
    server_named,
    tool_named,
)
from papertrade_site.shell.terminal import Terminal
from tests.filled_venue import FilledVenue

SCHEMA: dict[str, Any] = {
    "properties": {"market": {"type": "string"}, "wallets": {"type": "integer"}, "fine": {"type": "boolean"}}
}
TERMINAL = Terminal(80)


@pytest.mark.parametrize("name", SERVERS)
def test_every_server_is_found_by_its_short_name(name: str) -> None:
    assert server_named(name).slug == name


def test_a_wrong_name_is_answered_with_the_right_ones() -> None:
    with pytest.raises(UsageError, match=r'^There is no server "x"; there are liquidations, analytics\.$'):
        server_named("x")
    with pytest.raises(
        UsageError, match=r"no tool \"y\\u001b\" on liquidations, which has .*get_wallet_dist"
    ):
        tool_named(server_named("liquidations"), "y\x1b")


def test_words_become_arguments_and_only_truth_values_are_made_of_text_here() -> None:
    words = ["market=BTC", "wallets=12", "fine=True", "note=a=b", "empty="]
    expected = {"market": "BTC", "wallets": "12", "fine": True, "note": "a=b", "empty": ""}
    assert arguments_of(words, SCHEMA) == expected
    assert arguments_of(["fine=false"], SCHEMA) == {"fine": False}
    assert arguments_of(["fine=perhaps"], SCHEMA) == {"fine": "perhaps"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["BTC"], 'An argument is written name=value, not "BTC".'),
        (["market=BTC", "market=ETH"], '"market" is given twice.'),
    ],
)
def test_words_that_are_no_arguments_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        arguments_of(words, SCHEMA)
    assert str(refusal.value) == message


def test_a_call_goes_the_way_of_a_client_with_its_leniency_and_its_refusals() -> None:
    server = server_named("analytics")
    with FilledVenue().read_by_tools():
        found = call(server, get_market_stats.TOOL, {"symbol": " btc "})
        refused = call(server, get_market_stats.TOOL, {"symbol": "DOGE"})
    assert found.result is not None
    assert [market["market"] for market in found.result["markets"]] == ["BTC"]
    assert found.text.startswith("BTC last price $")
    assert refused.result is None
    assert refused.text.startswith('Wrong arguments for get_market_stats: symbol is "DOGE"')


def test_a_refusal_by_a_protocol_error_is_an_outcome_too() -> None:
    server = server_named("liquidations")
    tool = tool_named(server, "get_wallet_distance_to_bust")
    outcome = call(server, tool, {"wallet": "0x12"})
    assert outcome.result is None
    assert outcome.text.startswith('Wrong arguments for get_wallet_distance_to_bust: wallet is "0x12"')


def test_no_sentence_can_steer_the_terminal() -> None:
    with FilledVenue().read_by_tools():
        found = call(server_named("analytics"), get_market_stats.TOOL, {})
    steering = Outcome(f"\x1b[2J{found.text}", found.result)
    lines = [*page(get_market_stats.TOOL, steering, TERMINAL)]
    assert lines[0].startswith(r"\x1b[2JBTC last price $")
    assert not any("\x1b" in line for line in lines)


def test_a_server_s_tools_are_listed_with_their_titles() -> None:
    server = server_named("analytics")
    first, *tools = server_list([server], TERMINAL)
    assert first == "analytics: Papertrade Analytics"
    assert [line.split(maxsplit=1) for line in tools] == [[tool.name, tool.title] for tool in server.tools]


def test_a_tool_s_manual_tells_each_argument_with_what_it_may_be() -> None:
    server = server_named("analytics")
    text = "\n".join(manual(tool_named(server, "quote_position_outcome"), TERMINAL))
    assert text.startswith("quote_position_outcome: Quote a position outcome (simulation)\n")
    assert "\n  symbol  (required, BTC or ETH)\n    " in text
    assert "\n  leverage  (required, integer from 1 to " in text
    stats = "\n".join(manual(get_market_stats.TOOL, TERMINAL))
    assert "\n  include_sparkline  (optional, boolean, false when left out)\n" in stats
