"""Positions that were opened before the world began."""

from __future__ import annotations

import pytest

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Side
from papertrade_site.market.settlement import settle_position
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MARKETS, TRADING_STARTS_AFTER_MS, WIN_FEE_RATE
from papertrade_site.simulator.open_past import PastPositions
from papertrade_site.simulator.open_positions import OpenPositions
from papertrade_site.simulator.price_past import PastPrices, draw_past
from papertrade_site.simulator.prices import Shocks
from papertrade_site.simulator.timeline import Timeline
from papertrade_site.simulator.traders import Crowd, Trader

GENESIS_MS = 1_791_326_520_000
NOW_MS = 1_796_040_000_000
OPENED_EVER = 6_000_000


class Past:
    """Everything that positions are drawn from."""

    def __init__(self) -> None:
        dice = Dice(4)
        self.prices: tuple[PastPrices, ...] = draw_past(
            dice, MARKETS, shocks=Shocks(dice, MARKETS), genesis_ms=GENESIS_MS, now_ms=NOW_MS
        )
        self.markets = [OpenPositions(market) for market in MARKETS]
        self.positions = PastPositions(
            dice,
            Crowd(dice, [Trader(Account("0x"), 400_000.0, stakes=True)], weights=[1.0]),
            markets=self.markets,
            past=self.prices,
            timeline=Timeline(dice, genesis_ms=GENESIS_MS, now_ms=NOW_MS),
            opened_ever=OPENED_EVER,
        )


@pytest.fixture
def past() -> Past:
    """A past without positions."""
    return Past()


def test_open_ones_were_opened_at_the_paths_price_and_not_crossed_since(past: Past) -> None:
    opened = list(past.positions.still_open(1_500))
    assert 500 < len(opened) <= 1_500
    for position in opened:
        bars = past.prices[position.instrument_id].bars
        since = [bar for bar in bars if bar.end_ms > position.opened_at_ms]
        assert since[0].low <= position.entry <= since[0].high
        worst = (
            min(bar.low for bar in since) if position.side is Side.LONG else max(bar.high for bar in since)
        )
        assert not is_crossed(position.side, mark=worst, bust=position.bust)


def test_numbers_rise_with_time_and_stay_below_those_ever_opened(past: Past) -> None:
    opened = list(past.positions.still_open(1_500))
    times = [position.opened_at_ms for position in opened]
    numbers = [int(position.id) for position in opened]
    assert times == sorted(times)
    assert numbers == sorted(set(numbers))
    assert numbers[0] > 0.9 * OPENED_EVER
    assert past.positions.highest_number == max(OPENED_EVER, numbers[-1])
    assert GENESIS_MS + TRADING_STARTS_AFTER_MS < times[0] <= times[-1] <= NOW_MS


def test_sides_follow_the_markets_as_they_fill(past: Past) -> None:
    for position in past.positions.still_open(3_000):
        past.markets[position.instrument_id].add(position)
    for market in past.markets:
        assert market.long_share() == pytest.approx(market.traits.long_share, abs=0.1)


def test_best_results_are_wins_by_the_contracts_arithmetic(past: Past) -> None:
    results = past.positions.best()
    assert len({result.position_id for result in results}) == len(results)
    for result in results:
        position = result.position
        settlement = settle_position(
            MARKETS[position.instrument_id].instrument,
            position,
            mark=result.exit_price,
            win_fee_rate=WIN_FEE_RATE,
        )
        assert settlement.net == result.net > 0
        assert position.opened_at_ms <= result.closed_at_ms <= NOW_MS


@pytest.mark.parametrize("days", [1, 7, 30])
def test_every_window_has_enough_best_results(past: Past, days: int) -> None:
    results = past.positions.best()
    assert sum(result.closed_at_ms >= NOW_MS - days * 86_400_000 for result in results) >= 50
