"""How the mids of the two markets move."""

from __future__ import annotations

from math import log, sqrt
from statistics import fmean, stdev

import pytest

from papertrade_site.market.instrument import mid_price
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.prices import Prices, Shocks

MIDS = [850_000, 250_000]


def returns(days: int, *, per_day: int) -> list[list[float]]:
    """Log returns of both markets."""
    shocks = Shocks(Dice(5), MARKETS)
    draws = [shocks.draw(86_400 / per_day) for _ in range(days * per_day)]
    return [[draw[index] for draw in draws] for index in range(len(MARKETS))]


def test_a_days_move_is_about_two_percent_for_btc_and_three_for_eth() -> None:
    btc, eth = returns(2_000, per_day=1)
    assert stdev(btc) == pytest.approx(0.02, rel=0.12)
    assert stdev(eth) == pytest.approx(0.03, rel=0.12)


def test_short_moves_add_up_to_the_same_volatility() -> None:
    btc, _ = returns(60, per_day=1_440)
    assert stdev(btc) * sqrt(1_440) == pytest.approx(0.02, rel=0.15)


def test_the_markets_move_together() -> None:
    btc, eth = returns(2_000, per_day=1)
    together = fmean(a * b for a, b in zip(btc, eth, strict=True)) / (stdev(btc) * stdev(eth))
    assert 0.7 < together < 0.9


def test_volatility_clusters() -> None:
    btc, _ = returns(60, per_day=1_440)
    sizes = [abs(move) for move in btc]
    average = fmean(sizes)
    neighbours = fmean((a - average) * (b - average) for a, b in zip(sizes, sizes[60:], strict=False))
    assert neighbours / stdev(sizes) ** 2 > 0.03


def test_moves_have_fatter_tails_than_a_normal_draw() -> None:
    btc, _ = returns(60, per_day=1_440)
    spread = stdev(btc)
    assert sum(abs(move) > 5 * spread for move in btc) > 10


def test_a_step_moves_every_mid_and_keeps_its_quote_around_it() -> None:
    dice = Dice(6)
    prices = Prices(dice, MARKETS, shocks=Shocks(dice, MARKETS), mids=MIDS)
    for _ in range(2_000):
        prices.step(1.0)
        for mid, quote in zip(prices.mids, prices.quotes, strict=True):
            assert 0 < quote.bid < quote.ask
            assert mid_price(quote.bid, quote.ask) == mid
    assert all(mid != start for mid, start in zip(prices.mids, MIDS, strict=True))


def test_a_price_far_away_is_drawn_back_over_weeks_and_never_reaches_zero() -> None:
    dice = Dice(7)
    prices = Prices(dice, MARKETS, shocks=Shocks(dice, MARKETS), mids=[8_500, 2_500])
    for _ in range(80):
        prices.step(86_400.0)
        assert min(prices.mids) > 0
    assert abs(log(prices.mids[0] / 850_000)) < 0.3
    assert abs(log(prices.mids[1] / 250_000)) < 0.45
