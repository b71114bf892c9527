"""Hyperliquid's info API: the order book that the venue marks by, and candles."""

from __future__ import annotations

from typing import Final

from papertrade_site.market.vocabulary import Interval
from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.lifetimes import lifetime_of
from papertrade_site.upstream.models.hyperliquid import Book, Candle, Candles
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.resource import Host, Resource
from papertrade_site.upstream.wire import misfit, read

PATH: Final = "/info"

CANDLES_STAND_STILL_S: Final = 600
"""Seconds from the end of the newest candle after which all are of no use; the next may come minutes late."""


def book(coin: str) -> Resource[Book]:
    """The order book of a coin such as ``BTC``; weight 2 of Hyperliquid's 1,200 a minute."""
    name = "hyperliquid.book"

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        return client.post_json(PATH, {"type": "l2Book", "coin": coin}, source=name, budget=budget)

    def parse(body: Json, now_ms: int) -> Book:
        found = read(Book, body, now_ms=now_ms, source=name)
        if found.coin != coin:
            raise misfit(name, where="coin")
        if now_ms - found.time > lifetime_of(name).stale_s * 1000:
            raise unexpected(name, "stands still: its prices are too old to mark by")
        return found

    return Resource(
        host=Host.HYPERLIQUID,
        name=name,
        key=f"hyperliquid:book:{coin}",
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=parse,
        observed_at_ms=lambda found: found.time,
    )


def candles(coin: str, *, interval: Interval, count: int) -> Resource[tuple[Candle, ...]]:
    """The newest candles of a coin, oldest first, the open one included; weight 20 and 1 per 60 candles.

    The newest is the one under way or, for some minutes, the one before it.
    """
    name = "hyperliquid.candles"

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        end_ms = client.clock.now_ms()
        start_ms = end_ms - end_ms % interval.width_ms - (count - 1) * interval.width_ms
        request = {"coin": coin, "interval": interval.value, "startTime": start_ms, "endTime": end_ms}
        return client.post_json(PATH, {"type": "candleSnapshot", "req": request}, source=name, budget=budget)

    def parse(body: Json, now_ms: int) -> tuple[Candle, ...]:
        found = read(Candles, {"candles": body}, now_ms=now_ms, source=name).candles
        if any(candle.coin != coin or candle.interval != interval for candle in found):
            raise misfit(name, where="candles")
        closes_ms = found[-1].open_ms + interval.width_ms
        if now_ms - closes_ms > CANDLES_STAND_STILL_S * 1000:
            raise unexpected(name, "stands still: it ends long ago")
        return found

    return Resource(
        host=Host.HYPERLIQUID,
        name=name,
        key=f"hyperliquid:candles:{coin}:{interval}:{count}",
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=parse,
        observed_at_ms=lambda found: None,
    )
