"""The tools before anybody traded: the venue's markets as recorded, and nothing in any book."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from mcp_analytics.tools import (
    get_history,
    get_market_stats,
    get_open_interest,
    get_position_insights,
    get_protocol_snapshot,
    get_top_traders,
)
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.upstream import exchange
from papertrade_site.upstream.exchange import SMALL_PAGE
from tests.filled_venue import NAMED
from tests.mcp_analytics.told import ToldVenue
from tests.venue_bodies import body

INSTRUMENTS: Final = Path(__file__).parents[1] / "recorded" / "instruments_2026-10-10.json"
OPEN_INTEREST_AT: Final = (19, 20)
BEST_POSITIONS_PATH: Final = "/state/leaderboard/positions"


@pytest.fixture
def venue() -> ToldVenue:
    """Two hours after genesis."""
    venue = ToldVenue()
    instruments = json.loads(INSTRUMENTS.read_text(encoding="utf-8"))
    for row in instruments:
        for place in OPEN_INTEREST_AT:
            row[place] = "0"
    venue.put_trading(instruments=instruments)
    for interval in Interval:
        venue.put_history(interval, tvl=[0.0, 0.0])
        venue.put_house(interval, bl=[0.0, 0.0])
    volumes = {number: {"volume_24h": "0"} for number in ("0", "1")}
    venue.put(NAMED["market_stats"], {**body("market_stats"), "markets": volumes})
    for window in Window:
        venue.put_accounts([], [], window=window, sort=SortKey.TOTAL_PNL)
        first = exchange.leaderboard(window, SortKey.TOTAL_PNL, page=0, page_size=SMALL_PAGE)
        venue.sent(first)["summary"] = {"uniqueAccounts": 0, "trackedBalance": "0"}
        venue.put(exchange.best_positions(window, BEST_POSITIONS_PATH), {"ok": True, "positions": []})
    return venue


def test_open_interest_is_nothing_with_no_share_and_the_caps_are_empty(venue: ToldVenue) -> None:
    result, summary = venue.answer(get_open_interest.TOOL, {"history": True})
    assert result["totals"] == {"longUsd": 0, "shortUsd": 0, "netUsd": 0, "longShare": None}
    for row in result["markets"]:
        assert (row["longUsd"], row["shortUsd"], row["longShare"]) == (0, 0, None)
        assert set(row["capTracked"].values()) == {0}
        assert (row["caps"]["longFillPercent"], row["caps"]["shortFillPercent"]) == (0, 0)
        assert row["caps"]["longUsd"] > 0
    assert [past["longUsd"] for past in result["history"]] == [[0, 0], [0, 0]]
    assert (
        "BTC open notional $0 long and $0 short (nothing is open); caps: long 0 % full, short 0 % full"
        in summary
    )
    assert result["freshness"]["degraded"] is False


def test_markets_have_prices_and_limits_and_no_activity(venue: ToldVenue) -> None:
    result, summary = venue.answer(get_market_stats.TOOL, {})
    for row in result["markets"]:
        assert (row["volume24hUsd"], row["openLongUsd"], row["openShortUsd"]) == (0, 0, 0)
        assert row["midPriceUsd"] > 0
        assert row["example"]["netUsd"] > 0
        assert row["maxLeverage"] == 1000
    assert "volume $0 in 24 h, open notional $0 long and $0 short" in summary
    assert result["freshness"]["degraded"] is False


@pytest.mark.parametrize("window", Window)
def test_there_are_no_traders(venue: ToldVenue, window: Window) -> None:
    result, summary = venue.answer(get_top_traders.TOOL, {"window": window.value, "limit": 50})
    assert (result["uniqueAccounts"], result["tracked"]["balanceUsd"], result["traders"]) == (0, 0, [])
    assert summary.startswith("The exchange has no account ranked by total PnL over ")
    assert result["freshness"]["degraded"] is False


@pytest.mark.parametrize("window", ["24h", "all"])
def test_nothing_was_settled(venue: ToldVenue, window: str) -> None:
    result, summary = venue.answer(get_position_insights.TOOL, {"window": window})
    assert result["count"] == 0
    assert result["longShareByNotional"] is result["medianLeverage"] is result["medianNotionalUsd"] is None
    assert {bucket["count"] for part in ("leverage", "size") for bucket in result[part]["buckets"]} == {0}
    assert summary.startswith("The exchange lists no settled positions of ")
    assert result["freshness"]["degraded"] is False


def test_figures_of_the_protocol_are_zeros_that_have_not_changed_yet(venue: ToldVenue) -> None:
    result = venue.call(get_protocol_snapshot.TOOL, {})
    protocol = result["protocol"]
    for name in ("volume24hUsd", "openNotionalUsd", "traders", "trades", "liquidatedUsd", "traderPnlUsd"):
        assert protocol[name] == 0
    assert set(result["deltas"]["change7d"].values()) == {None}
    assert result["freshness"]["degraded"] is False


@pytest.mark.parametrize("mode", ["value", "per_bucket"])
def test_a_history_is_of_zeros(venue: ToldVenue, mode: str) -> None:
    result = venue.call(get_history.TOOL, {"metric": "volume", "interval": "1h", "mode": mode})
    assert {point["value"] for point in result["points"]} == {0}
    assert result["change24h"] is None
    assert result["freshness"]["degraded"] is False
