"""A new user's questions, asked by the Inspector alone and answered anew from the exchange's own book."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from papertrade_site.figures.text import dollars, money
from tests.clients.inspector import Inspector
from tests.clients.still import StillSite

pytestmark = pytest.mark.slow

WALLETS: Final = 44
BUCKET_USD: Final = 100
WAD: Final = 10**18


@pytest.fixture
def inspector(still: StillSite, tmp_path: Path) -> Inspector:
    return Inspector(still.endpoint("liquidations"), tmp_path)


@dataclass(frozen=True, slots=True)
class _Position:
    number: str
    wallet: str
    is_long: bool
    notional: Fraction
    bust: Fraction

    def share_away(self, mark: Fraction) -> Fraction:
        distance = mark - self.bust if self.is_long else self.bust - mark
        return distance / mark


@dataclass(frozen=True, slots=True)
class _Bitcoin:
    """Bitcoin's mark, all that is open in it, and what the largest wallets hold of it; in dollars."""

    mark: Fraction
    open_notional: Fraction
    positions: tuple[_Position, ...]


@pytest.fixture(scope="module")
def bitcoin(still: StillSite) -> _Bitcoin:
    row = still.body("/state/trading")["instruments"][0]
    market, scale = row[0], int(row[3])
    bids, asks = still.info({"type": "l2Book", "coin": row[1]})["levels"]
    bid, ask_price = (int(Decimal(levels[0]["px"]) * scale) for levels in (bids, asks))
    house = still.body("/query/house/history?interval=1h")["columns"]
    ranking = f"page=0&pageSize={WALLETS}&sortKey=currentOpenNotional&window=all"
    accounts = still.body(f"/state/leaderboard/accounts?{ranking}")["accounts"]
    return _Bitcoin(
        mark=Fraction((bid + ask_price) // 2, scale),
        open_notional=Fraction(house["bl"][-1]) + Fraction(house["bs"][-1]),
        positions=tuple(
            _position(open_row, account["address"], scale)
            for account in accounts
            for open_row in still.wallet(account["address"])["openPositions"]
            if open_row[1] == market
        ),
    )


def _position(row: list[Any], wallet: str, scale: int) -> _Position:
    number, _, is_long, _, _, margin, leverage, bust, *_ = row
    notional = Fraction(int(margin) * leverage, WAD)
    return _Position(number, wallet, is_long, notional, Fraction(int(bust), scale))


def test_how_much_long_notional_busts_if_bitcoin_falls_by_one_percent(
    inspector: Inspector, bitcoin: _Bitcoin
) -> None:
    answer, sentence = inspector.result("get_bust_map", {"market": "BTC", "cascadePercent": 1})
    target = bitcoin.mark * Fraction(99, 100)
    longs = [each for each in bitcoin.positions if each.is_long and each.bust < bitcoin.mark]
    busted = sum(each.notional for each in longs if each.bust >= target)
    touched = [each for each in longs if (each.bust // BUCKET_USD + 1) * BUCKET_USD > target]
    swept = sum(each.notional for each in touched)
    down = answer["cascade"]["down"]
    assert answer["markPriceUsd"] == float(bitcoin.mark)
    assert down["targetPriceUsd"] == pytest.approx(float(target), abs=0.1)
    assert down["notionalUsd"] == pytest.approx(float(swept), rel=1e-12, abs=1e-6)
    assert down["positions"] == len(touched) > 0
    assert 0 < busted <= swept
    busting = f"{len(touched)} longs ({money(down['notionalUsd'])} notional) would bust"
    assert f"If the price fell 1 % to {dollars(down['targetPriceUsd'])}, {busting}" in sentence


def test_how_sure_that_is(inspector: Inspector, bitcoin: _Bitcoin) -> None:
    answer, sentence = inspector.result("get_bust_map", {"market": "BTC", "cascadePercent": 1})
    held = sum(each.notional for each in bitcoin.positions)
    coverage = answer["coverage"]
    assert 0 < coverage["fraction"] < 1
    assert coverage["fraction"] == pytest.approx(float(held / bitcoin.open_notional), rel=1e-12, abs=1e-6)
    assert coverage["trackedNotionalUsd"] == pytest.approx(float(held), rel=1e-12, abs=1e-6)
    assert coverage["protocolNotionalUsd"] == pytest.approx(float(bitcoin.open_notional), rel=1e-12, abs=1e-6)
    assert (coverage["walletsRead"], coverage["walletsFailed"]) == (WALLETS, 0)
    assert f"The {WALLETS} largest wallets hold" in sentence
    assert answer["freshness"]["degraded"] is False
    assert "An estimate as coarse as the buckets" in answer["cascade"]["note"]


def test_which_wallet_is_closest(inspector: Inspector, bitcoin: _Bitcoin) -> None:
    answer, sentence = inspector.result("get_closest_to_bust", {"market": "BTC", "limit": 3})
    nearest = sorted(bitcoin.positions, key=lambda each: (each.share_away(bitcoin.mark), -each.notional))
    assert [(row["positionId"], row["wallet"]) for row in answer["positions"]] == [
        (each.number, each.wallet) for each in nearest[:3]
    ]
    away = float(nearest[0].share_away(bitcoin.mark) * 100)
    assert answer["positions"][0]["distancePercent"] == pytest.approx(away, abs=1e-6)
    assert f"in wallet {nearest[0].wallet}, " in sentence
