"""What the crowd orders."""

from __future__ import annotations

from collections import Counter

import pytest

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import BTC, MARKETS, MINIMUM_MARGIN, MINIMUM_NOTIONAL
from papertrade_site.simulator.open_positions import OpenPositions
from papertrade_site.simulator.traders import Crowd, Trader, mean_hold_seconds, mean_standing


def trader(size_usd: float, name: int = 1) -> Trader:
    """A trader who stakes."""
    return Trader(Account(f"0x{name:040x}"), size_usd, stakes=True)


@pytest.fixture
def markets() -> list[OpenPositions]:
    """Both markets with nothing open."""
    return [OpenPositions(market) for market in MARKETS]


@pytest.mark.parametrize("size_usd", [10.0, 3_000.0, 400_000.0, 5e8])
def test_every_order_keeps_to_the_venues_bounds(markets: list[OpenPositions], size_usd: float) -> None:
    crowd = Crowd(Dice(1), [trader(size_usd)], weights=[1.0])
    for _ in range(2_000):
        order = crowd.order(crowd.pick(), markets)
        assert 1 <= order.leverage <= 1_000
        assert order.margin >= MINIMUM_MARGIN
        assert MINIMUM_NOTIONAL <= order.margin * order.leverage <= 10_000_000 * WAD
        assert order.margin % (WAD // 100) == 0
        assert order.hold_seconds > 0


def test_leverage_clusters_at_round_numbers(markets: list[OpenPositions]) -> None:
    crowd = Crowd(Dice(2), [trader(400_000.0)], weights=[1.0])
    seen = Counter(crowd.order(crowd.pick(), markets).leverage for _ in range(5_000))
    round_ones = sum(seen[leverage] for leverage in (10, 25, 50, 100, 200, 250, 500, 1_000))
    assert round_ones > 0.75 * 5_000
    assert all(seen[leverage] for leverage in (10, 25, 50, 100, 200, 250, 500, 1_000))
    assert len(seen) > 50
    assert min(seen) == 1


def test_both_markets_and_both_sides_are_traded_as_usual(markets: list[OpenPositions]) -> None:
    crowd = Crowd(Dice(3), [trader(400_000.0)], weights=[1.0])
    orders = [crowd.order(crowd.pick(), markets) for _ in range(5_000)]
    for index, market in enumerate(MARKETS):
        here = [order for order in orders if order.market == index]
        assert len(here) / 5_000 == pytest.approx(market.open_share, abs=0.03)
        longs = sum(order.side is Side.LONG for order in here)
        assert longs / len(here) == pytest.approx(market.long_share, abs=0.05)


def test_the_crowd_leans_against_a_skewed_market(markets: list[OpenPositions]) -> None:
    markets[0].add(
        Position(
            id="1",
            wallet="0x",
            instrument_id=0,
            side=Side.LONG,
            margin=100 * WAD,
            leverage=100,
            entry=800_000,
            bust=1,
            opened_at_ms=0,
        )
    )
    crowd = Crowd(Dice(4), [trader(400_000.0)], weights=[1.0])
    assert Counter(crowd.side(markets[0]) for _ in range(500))[Side.SHORT] > 450


def test_standing_orders_are_of_lower_leverage(markets: list[OpenPositions]) -> None:
    crowd = Crowd(Dice(5), [trader(400_000.0)], weights=[1.0])

    def share_of_high(*, standing: bool) -> float:
        orders = [crowd.order(crowd.pick(), markets, standing=standing) for _ in range(3_000)]
        return sum(order.leverage >= 500 for order in orders) / 3_000

    assert share_of_high(standing=True) < share_of_high(standing=False)
    assert mean_hold_seconds(1_000, BTC) < mean_hold_seconds(100, BTC) < mean_hold_seconds(10, BTC)


def test_active_traders_are_picked_more_often() -> None:
    busy, lazy = trader(1.0, 1), trader(1.0, 2)
    crowd = Crowd(Dice(6), [busy, lazy], weights=[9.0, 1.0])
    picks = Counter(crowd.pick().account.address for _ in range(5_000))
    assert picks[busy.account.address] / 5_000 == pytest.approx(0.9, abs=0.02)


def test_a_newcomer_is_picked_too_and_stakes_if_so_minded() -> None:
    crowd = Crowd(Dice(7), [trader(1.0, 1)], weights=[1.0])
    newcomer = trader(1.0, 2)
    crowd.join(newcomer, weight=1.0)
    assert newcomer in {crowd.pick() for _ in range(50)}
    assert newcomer.account.address in crowd.stakers


def test_the_number_of_standing_orders_is_rate_times_hold() -> None:
    assert mean_standing(3.0, MARKETS) == pytest.approx(3 * mean_standing(1.0, MARKETS))
    assert 1_000 < mean_standing(1.0, MARKETS) < 10_000
