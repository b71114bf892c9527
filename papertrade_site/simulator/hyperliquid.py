"""Hyperliquid's ``POST /info``: the order books that the venue marks by, mids, contexts and candles."""

from __future__ import annotations

from collections.abc import Mapping

from papertrade_site.simulator.candles import DAY_MS, INTERVALS, Candle
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.markets import MARKETS, MarketTraits
from papertrade_site.simulator.refusal import RefusedRequestError
from papertrade_site.simulator.wire import Json
from papertrade_site.simulator.world import World

LEVELS_PER_SIDE = 20
MOST_CANDLES = 5_000
UNPROCESSABLE = 422
HIGHEST_LEVERAGE = {"BTC": 40, "ETH": 25}
SIZE_DECIMALS = {"BTC": 5, "ETH": 4}


def info(world: World, body: object) -> Json:
    """Answer one request.

    Raises:
        RefusedRequestError: with status 422 when the request is not one that is understood.
    """
    wish = body if isinstance(body, Mapping) else {}
    kind = wish.get("type")
    if kind == "l2Book":
        return _book(world, _market(wish.get("coin")))
    if kind == "allMids":
        return {m.instrument.symbol: _price(m, world.prices.mids[m.instrument.id]) for m in MARKETS}
    if kind == "metaAndAssetCtxs":
        return [{"universe": [_asset(m) for m in MARKETS]}, [_context(world, m) for m in MARKETS]]
    if kind == "candleSnapshot" and isinstance(wish.get("req"), Mapping):
        return _candles(world, wish["req"])
    raise RefusedRequestError("the request is not understood", status=UNPROCESSABLE)


def _market(coin: object) -> MarketTraits:
    for market in MARKETS:
        if market.instrument.symbol == coin:
            return market
    raise RefusedRequestError("no such coin", status=UNPROCESSABLE)


def _price(market: MarketTraits, raw: int) -> str:
    return f"{raw / market.instrument.price_scale:.{market.price_digits}f}"


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
        levels.append({"px": _price(market, raw), "sz": f"{size:.4f}", "n": dice.randint(1, 12)})
        raw += direction * dice.randint(1, 6)
    return levels


def _asset(market: MarketTraits) -> Json:
    symbol = market.instrument.symbol
    return {"name": symbol, "szDecimals": SIZE_DECIMALS[symbol], "maxLeverage": HIGHEST_LEVERAGE[symbol]}


def _context(world: World, market: MarketTraits) -> Json:
    index = market.instrument.id
    quote, mid = world.prices.quotes[index], _price(market, world.prices.mids[index])
    day_ago_ms = world.now_ms - DAY_MS
    coins = world.candles[index].coins_since(day_ago_ms)
    return {
        "markPx": mid,
        "midPx": mid,
        "oraclePx": mid,
        "prevDayPx": _price(market, world.candles[index].close_before(day_ago_ms)),
        "dayNtlVlm": f"{coins * float(mid):.2f}",
        "openInterest": f"{coins:.4f}",
        "funding": "0.0000125",
        "premium": "0.0",
        "impactPxs": [_price(market, quote.bid), _price(market, quote.ask)],
    }


def _candles(world: World, wish: Mapping[str, object]) -> Json:
    market = _market(wish.get("coin"))
    interval, start, end = wish.get("interval"), wish.get("startTime"), wish.get("endTime", world.now_ms)
    if not isinstance(interval, str) or interval not in INTERVALS:
        raise RefusedRequestError("no such interval", status=UNPROCESSABLE)
    if not isinstance(start, int) or not isinstance(end, int):
        raise RefusedRequestError("startTime and endTime are milliseconds", status=UNPROCESSABLE)
    found = world.candles[market.instrument.id].select(interval, start_ms=start, end_ms=end)
    return [_candle(market, interval, candle) for candle in found[-MOST_CANDLES:]]


def _candle(market: MarketTraits, interval: str, candle: Candle) -> Json:
    return {
        "t": candle.start_ms,
        "T": candle.end_ms,
        "s": market.instrument.symbol,
        "i": interval,
        "o": _price(market, candle.open),
        "c": _price(market, candle.close),
        "h": _price(market, candle.high),
        "l": _price(market, candle.low),
        "v": f"{candle.coins:.5f}",
        "n": candle.trades,
    }
