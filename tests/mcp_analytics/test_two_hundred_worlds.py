"""What an analyst would check of PAPER, leaders and sizes, in two hundred different worlds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from mcp_analytics.tools import get_paper_economics, get_position_insights, get_top_traders
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import DAY_MS, SortKey, Window
from papertrade_site.simulator.leaderboard import Leaderboard
from tests.simulated_calls import SimulatedCalls

SEEDS = range(200)
AT_ONCE = 50
MILLION = 10**6 * WAD
CURRENT = ("balanceUsd", "openNotionalUsd", "openPositions", "unrealizedPnlUsd", "paper")

Traders = dict[Window, list[dict[str, Any]]]


@pytest.mark.slow
@pytest.mark.requirement(
    "paper:rate", "paper:rate25", "top-traders:ranking", "insights:medians", "insights:buckets"
)
@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_in_every_world_the_figures_are_those_of_its_own_book(first: int) -> None:
    for seed in SEEDS[first : first + AT_ONCE]:
        with closing(SimulatedCalls(seed=seed)) as calls:
            _check_paper(calls)
            _check_leaders(calls, list(SortKey)[seed % len(SortKey)])
            _check_sizes(calls, "24h" if seed % 2 else "all")


def _check_paper(calls: SimulatedCalls) -> None:
    result = calls.call(get_paper_economics.TOOL, {})
    paper, world = result["paper"], calls.world.exchange
    progress = world.house.tail_progress
    left = max(120 * MILLION - progress, 0)
    assert paper["tailToRate25Usd"] == pytest.approx(left / WAD, abs=1e-6)
    assert paper["rate25Reached"] == (left == 0)
    tail = 100 * Fraction(120 * MILLION, 120 * MILLION + progress) ** 2
    rate = 100 if world.house.tracked_lp < 2 * MILLION else float(tail)
    assert paper["mintRate"] == pytest.approx(rate, abs=6e-7)
    assert paper["stakedShare"] == pytest.approx(world.paper.staked / world.paper.supply, abs=6e-7)
    assert result["staking"]["rewards24hUsd"] <= result["staking"]["rewardsPaidTotalUsd"]


def _check_leaders(calls: SimulatedCalls, sort: SortKey) -> None:
    by_window: Traders = {}
    ranking = Leaderboard(calls.world)
    for window in Window:
        arguments = {"window": window.value, "sort": sort.value, "limit": 50}
        by_window[window] = calls.call(get_top_traders.TOOL, arguments)["traders"]
        best = ranking.ranking(window, sort)[:50]
        assert [trader["wallet"] for trader in by_window[window]] == [account.address for account in best]
    for wallet_rows in _rows_by_wallet(by_window):
        assert len({tuple(row[name] for name in CURRENT) for row in wallet_rows}) == 1
        assert all(shorter["volumeUsd"] <= longer["volumeUsd"] for shorter, longer in pairwise(wallet_rows))


def _rows_by_wallet(by_window: Traders) -> Iterator[list[dict[str, Any]]]:
    """Each wallet's rows, that of the shortest window first."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for window in Window:
        for trader in by_window[window]:
            rows.setdefault(trader["wallet"], []).append(trader)
    yield from rows.values()


def _check_sizes(calls: SimulatedCalls, window: str) -> None:
    result = calls.call(get_position_insights.TOOL, {"window": window})
    since_ms = calls.world.now_ms - DAY_MS if window == "24h" else None
    best = [row.position for row in calls.world.exchange.best.best(since_ms=since_ms)]
    assert result["count"] == len(best)
    for part in ("leverage", "size"):
        assert sum(bucket["count"] for bucket in result[part]["buckets"]) == len(best)
        assert sum(bucket["share"] for bucket in result[part]["buckets"]) == pytest.approx(1, abs=4e-6)
    assert result["medianLeverage"] == median(position.leverage for position in best)
    middle = median(Fraction(position.notional, WAD) for position in best)
    assert result["medianNotionalUsd"] == pytest.approx(float(middle), abs=1e-6)
