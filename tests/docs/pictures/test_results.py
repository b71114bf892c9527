"""Tools are called as often as they have something new to say."""

from __future__ import annotations

import pytest

from mcp_analytics.tools.get_open_interest import TOOL
from papertrade_site.docs.pictures.results import Results
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import BadArgumentsError
from tests.filled_venue import FilledVenue
from tests.simulated_calls import simulated_calls


def test_a_result_is_what_clients_get(venue: FilledVenue) -> None:
    result = Results().of(TOOL, {"market": "BTC"})
    assert result.figures == venue.call(TOOL, {"market": "BTC"})
    assert result.summary == venue.answer(TOOL, {"market": "BTC"})[1]


def test_it_is_used_again_while_it_is_current_and_no_longer() -> None:
    with simulated_calls() as calls, calls.read_by_tools():
        results = Results()
        first = results.of(TOOL, {"market": "BTC"})
        assert results.of(TOOL, {"market": " btc"}) is first
        assert results.of(TOOL, {}) is not first
        calls.clock.advance(120_000)
        assert results.of(TOOL, {"market": "BTC"}) is not first


def test_failures_are_told_and_not_remembered(venue: FilledVenue) -> None:
    results = Results()
    with pytest.raises(BadArgumentsError):
        results.of(TOOL, {"market": "DOGE"})
    venue.fail("exchange.trading", "exchange.house_history")
    for _ in range(2):
        with pytest.raises(ToolError):
            results.of(TOOL, {})
