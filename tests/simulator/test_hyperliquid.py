"""Hyperliquid's info API in front of the little market."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from papertrade_site.market.instrument import mid_price
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.simulator.hyperliquid import info
from papertrade_site.simulator.markets import MARKETS, MarketTraits
from papertrade_site.simulator.refusal import RefusedRequestError
from papertrade_site.simulator.world import World

NOON_MS = 1_796_040_000_000


def candles(world: World, coin: str, *, interval: Interval, start_ms: int) -> list[dict[str, Any]]:
    """Candles up to noon."""
    wanted = {"coin": coin, "interval": interval.value, "startTime": start_ms, "endTime": NOON_MS}
    found: Any = info(world, {"type": "candleSnapshot", "req": wanted})
    return list(found)


@pytest.mark.parametrize("market", MARKETS, ids=lambda market: market.instrument.symbol)
def test_the_books_best_prices_have_the_mark_in_their_middle(world: World, market: MarketTraits) -> None:
    for second in range(60):
        world.advance_to(NOON_MS + second * 1_000)
        book: Any = info(world, {"type": "l2Book", "coin": market.instrument.symbol})
        bids, asks = book["levels"]
        best = [market.instrument.parse_price(side[0]["px"]) for side in (bids, asks)]
        assert mid_price(*best) == world.prices.mids[market.instrument.id]
        assert book["time"] == world.now_ms


@pytest.mark.parametrize("coin", ["BTC", "ETH"])
def test_a_book_has_twenty_levels_a_side_best_first(world: World, coin: str) -> None:
    book: Any = info(world, {"type": "l2Book", "coin": coin})
    bids, asks = ([float(level["px"]) for level in side] for side in book["levels"])
    assert (len(bids), len(asks)) == (20, 20)
    assert bids == sorted(set(bids), reverse=True)
    assert asks == sorted(set(asks))
    assert bids[0] < asks[0]
    assert all(float(level["sz"]) > 0 and level["n"] > 0 for side in book["levels"] for level in side)


def test_reading_changes_nothing_and_the_same_moment_shows_the_same_book(world: World) -> None:
    before = (world.now_ms, world.revision, world.point)
    request = {"type": "l2Book", "coin": "BTC"}
    assert info(world, request) == info(world, request)
    assert (world.now_ms, world.revision, world.point) == before


def test_the_same_seed_and_moment_show_the_same_book_whatever_was_read_before(world: World) -> None:
    request = {"type": "l2Book", "coin": "BTC"}
    other = World.create(seed=11, now_ms=NOON_MS, traders=60)
    info(world, request)
    for each in (world, other):
        each.advance_to(NOON_MS + 60_000)
    assert info(world, request) == info(other, request)


def test_a_week_of_hours_is_169_candles_that_end_at_the_mark(world: World) -> None:
    found = candles(world, "BTC", interval=Interval.HOUR, start_ms=NOON_MS - 168 * HOUR_MS)
    assert len(found) == 169
    assert MARKETS[0].instrument.parse_price(found[-1]["c"]) == world.prices.mids[0]
    assert [row["t"] for row in found] == [NOON_MS - hours * HOUR_MS for hours in range(168, -1, -1)]
    assert all(later["o"] == earlier["c"] for earlier, later in pairwise(found))


@pytest.mark.parametrize("interval", list(Interval))
def test_every_interval_gives_sound_candles_oldest_first(world: World, interval: Interval) -> None:
    found = candles(world, "ETH", interval=interval, start_ms=0)
    assert found
    assert [row["t"] for row in found] == sorted({row["t"] for row in found})
    for row in found:
        low, opening, close, high = (float(row[key]) for key in "loch")
        assert 0 < low <= min(opening, close) <= max(opening, close) <= high
        assert row["t"] % interval.width_ms == 0
        assert row["T"] == row["t"] + interval.width_ms - 1
        assert (row["s"], row["i"]) == ("ETH", interval)


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"type": "sell"},
        {"type": "allMids"},
        {"type": "l2Book"},
        {"type": "l2Book", "coin": "DOGE"},
        {"type": "candleSnapshot"},
        {"type": "candleSnapshot", "req": {"coin": "BTC", "interval": "7m", "startTime": 0}},
        {"type": "candleSnapshot", "req": {"coin": "BTC", "interval": ["1m"], "startTime": 0}},
        {"type": "candleSnapshot", "req": {"coin": "BTC", "interval": "1m", "startTime": "0"}},
        {"type": "candleSnapshot", "req": {"coin": "BTC", "interval": "1m", "startTime": True}},
        {"type": "candleSnapshot", "req": {"coin": "DOGE", "interval": "1m", "startTime": 0}},
    ],
)
def test_a_request_that_is_not_understood_is_refused(world: World, body: object) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        info(world, body)
    assert refused.value.status == 422
