"""The prompts that Analytics' documents suggest, by the Inspector, beside the exchange's own books."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from papertrade_site.figures.text import amount, money, number
from tests.clients.inspector import Inspector
from tests.clients.still import StillSite

pytestmark = pytest.mark.slow

WAD: Final = 10**18
SYMBOL, LONG_OI, SHORT_OI, LONG_CAP, SHORT_CAP = 1, 19, 20, 21, 22
"""Places of a market's row in the trading state."""

WEEK: Final = 7
PAGE: Final = 200
MICRO: Final = 1e-6


@pytest.fixture
def inspector(still: StillSite, tmp_path: Path) -> Inspector:
    return Inspector(still.endpoint("analytics"), tmp_path)


@pytest.mark.requirement("open-interest:prompt")
def test_is_the_btc_book_skewed_long_or_short_and_how_full_are_the_caps(
    inspector: Inspector, still: StillSite
) -> None:
    result, sentence = inspector.result("get_open_interest", {"market": "BTC"})

    columns = still.body("/query/house/history?interval=1h")["columns"]
    longs, shorts = columns["bl"][-1], columns["bs"][-1]
    (btc,) = [row for row in still.body("/state/trading")["instruments"] if row[SYMBOL] == "BTC"]
    fills = {
        side: 100 * Fraction(int(btc[held]), int(btc[cap]))
        for side, held, cap in (("long", LONG_OI, LONG_CAP), ("short", SHORT_OI, SHORT_CAP))
    }
    (row,) = result["markets"]
    assert (row["longUsd"], row["shortUsd"]) == pytest.approx((longs, shorts), abs=MICRO)
    assert row["longShare"] == pytest.approx(longs / (longs + shorts), abs=MICRO)
    assert row["caps"]["longFillPercent"] == pytest.approx(float(fills["long"]), abs=MICRO)
    assert row["caps"]["shortFillPercent"] == pytest.approx(float(fills["short"]), abs=MICRO)
    assert f"{money(row['longUsd'])} long and {money(row['shortUsd'])} short" in sentence
    assert f"long {amount(row['caps']['longFillPercent'])} % full" in sentence
    assert f"short {amount(row['caps']['shortFillPercent'])} % full" in sentence


@pytest.mark.requirement("history:prompt")
def test_chart_weekly_volume_since_launch(inspector: Inspector, still: StillSite) -> None:
    asked = {"metric": "volume", "interval": "1d", "mode": "per_bucket", "limit": 500}
    result, _ = inspector.result("get_history", asked)

    running = still.body("/query/protocol/history?interval=1d")["columns"]["volume"]
    summary = still.body("/query/protocol/summary")
    days = [point["value"] for point in result["points"]]
    assert len(days) == result["totalPoints"] == len(running) - 1
    for first in range(0, len(days), WEEK):
        week = days[first : first + WEEK]
        grown = running[first + len(week)] - running[first]
        assert sum(week) == pytest.approx(grown, rel=1e-12, abs=1e-3)
    assert running[0] + sum(days) == pytest.approx(int(summary["activity"]["volume"]) / WAD, rel=1e-12)


@pytest.mark.requirement("top-traders:sizing")
def test_who_are_the_top_five_traders_this_week_and_how_do_they_size(
    inspector: Inspector, still: StillSite
) -> None:
    result, sentence = inspector.result("get_top_traders", {"window": "7d", "limit": 5})

    accounts = _accounts(still, window="7d")
    best = sorted(accounts, key=lambda account: -int(account["totalWindowedPnl"]))[:5]
    assert result["uniqueAccounts"] == len(accounts)
    for row, account in zip(result["traders"], best, strict=True):
        assert row["wallet"] == account["address"]
        assert row["totalPnlUsd"] == pytest.approx(int(account["totalWindowedPnl"]) / WAD, abs=MICRO)
        assert row["volumeUsd"] == pytest.approx(int(account["totalVolume"]) / WAD, rel=1e-12)
        assert row["openNotionalUsd"] == pytest.approx(int(account["currentOpenNotional"]) / WAD, abs=MICRO)
        assert row["openPositions"] == account["currentOpenPositionCount"]
        assert f"{account['address']} with {money(row['totalPnlUsd'])}, {_sizing(account)}" in sentence


@pytest.mark.requirement("paper:where")
def test_where_is_paper_on_its_mint_curve(inspector: Inspector, still: StillSite) -> None:
    result, sentence = inspector.result("get_paper_economics", {})

    told = {name: int(figure) for name, figure in still.body("/query/protocol/summary")["paper"].items()}
    paper = result["paper"]
    assert paper["supplySource"] == "onchain"
    assert (paper["supply"], paper["staked"]) == pytest.approx(
        (told["supply"] / WAD, told["staked"] / WAD), rel=1e-12
    )
    is_flat = told["trackedLp"] < told["cliff"]
    tail = Fraction(told["decay"], told["decay"] + told["tailProgress"]) ** 2
    rate = float(told["rate"] * (1 if is_flat else tail) / WAD)
    past_cap = "tail_overflow" if told["trackedLp"] >= told["cap"] else "tail"
    assert paper["mintRate"] == pytest.approx(rate, abs=MICRO)
    assert paper["phase"] == ("flat" if is_flat else past_cap)
    # the tail's rate is 25 of 100 once progress is as large as the decay
    left = max(told["decay"] - told["tailProgress"], 0)
    assert paper["tailToRate25Usd"] == pytest.approx(left / WAD, abs=MICRO)
    assert f"PAPER mints {amount(paper['mintRate'])} per $1 of trader loss" in sentence
    assert f"in the {paper['phase']} phase" in sentence


def _accounts(still: StillSite, *, window: str) -> list[dict[str, Any]]:
    """Every account of the exchange's leaderboard, in whatever order."""
    accounts: list[dict[str, Any]] = []
    pages = 1
    while len(accounts) < pages * PAGE and len(accounts) % PAGE == 0:
        path = f"/state/leaderboard/accounts?page={len(accounts) // PAGE}&pageSize={PAGE}&sortKey=totalVolume"
        document = still.body(f"{path}&window={window}")
        accounts += document["accounts"]
        pages = document["pageInfo"]["totalPages"]
    return accounts


def _sizing(account: dict[str, Any]) -> str:
    count = account["currentOpenPositionCount"]
    if count == 0:
        return "nothing open"
    mean = Fraction(int(account["currentOpenNotional"]), count * WAD)
    size = f"of {money(float(mean))} notional"
    return f"1 open position {size}" if count == 1 else f"{number(count)} open positions {size} on average"
