"""Hyperliquid's ``POST /info``: the order books that the venue marks by, and candles."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from papertrade_site.market.vocabulary import Interval
from papertrade_site.simulator.candles import Bar
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MARKETS, MarketTraits
from papertrade_site.simulator.refusal import RefusedRequestError
from papertrade_site.simulator.wire import Json
from papertrade_site.simulator.world import World

LEVELS_PER_SIDE = 20
MOST_CANDLES = 5_000


def info(world: World, body: object) -> Json:
    """Answer one request.

    Raises:
        RefusedRequestError: with status 422 when the request is not one that is understood.
    """
    request = body if isinstance(body, Mapping) else {}
    kind = request.get("type")
    if kind == "l2Book":
        return _book(world, _market(request.get("coin")))
    if kind == "candleSnapshot" and isinstance(request.get("req"), Mapping):
        return _candles(world, request["req"])
    raise _not_understood("the request is not understood")


def _not_understood(message: str) -> RefusedRequestError:
    return RefusedRequestError(message, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _market(coin: object) -> MarketTraits:
    for market in MARKETS:
        if market.instrument.symbol == coin:
            return market
    raise _not_understood("no such coin")


def _book(world: World, market: MarketTraits) -> Json:
    quote = world.prices.quotes[market.instrument.id]
    dice = Dice(f"{market.instrument.symbol} {world.now_ms} {quote.bid}")
    return {
        "coin": market.instrument.symbol,
        "time": world.now_ms,
        "levels": [
            _levels(dice, market, best=quote.bid, direction=-1),
            _levels(dice, market, best=quote.ask, direction=1),
        ],
    }


def _levels(dice: Dice, market: MarketTraits, *, best: int, direction: int) -> list[Json]:
    levels: list[Json] = []
    raw = best
    for depth in range(LEVELS_PER_SIDE):
        size = dice.heavy_tailed(market.book_size_coins * (1 + depth / 4), spread=0.8)
        price = market.instrument.price_text(raw)
        levels.append({"px": price, "sz": f"{size:.4f}", "n": dice.randint(1, 12)})
        raw += direction * dice.randint(1, 6)
    return levels


def _candles(world: World, request: Mapping[str, object]) -> Json:
    market = _market(request.get("coin"))
    interval = _interval(request.get("interval"))
    start, end = request.get("startTime"), request.get("endTime", world.now_ms)
    if type(start) is not int or type(end) is not int:
        raise _not_understood("startTime and endTime are milliseconds")
    found = world.candles[market.instrument.id].select(interval, start_ms=start, end_ms=end)
    return [_candle(candle, market=market, interval=interval) for candle in found[-MOST_CANDLES:]]


def _interval(text: object) -> Interval:
    for interval in Interval:
        if interval == text:
            return interval
    raise _not_understood("no such interval")


def _candle(candle: Bar, *, market: MarketTraits, interval: Interval) -> Json:
    price_text = market.instrument.price_text
    return {
        "t": candle.start_ms,
        "T": candle.end_ms - 1,
        "s": market.instrument.symbol,
        "i": interval.value,
        "o": price_text(candle.open),
        "c": price_text(candle.close),
        "h": price_text(candle.high),
        "l": price_text(candle.low),
        "v": f"{candle.coins:.5f}",
        "n": candle.trades,
    }
