"""Venues whose tracked wallets, house and liquidation map are what a test says."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream import exchange
from papertrade_site.upstream.resource import Resource
from tests.filled_venue import FilledVenue
from tests.venue_bodies import NOW_MS, body


def venue_of(*wallets: list[Any], house: tuple[float, float] = (150_000, 50_000)) -> FilledVenue:
    """A venue that tracks these wallets' positions, and whose house carries so many dollars of BTC a side."""
    venue = FilledVenue()
    venue.put_tracked(*wallets)
    columns = venue.sent(exchange.house_history(Interval.HOUR))["columns"]
    columns["bl"][-1], columns["bs"][-1] = house
    return venue


def map_of(symbol: str) -> Resource[Any]:
    """The venue's own liquidation map of a market."""
    return exchange.liquidation_map(_market(symbol), settings.LIQUIDATION_MAP_PATH)


def _market(symbol: str) -> Instrument:
    market = exchange.trading().parse(body("trading"), NOW_MS).market(symbol)
    assert market is not None
    return market
