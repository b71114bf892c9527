"""Venues whose tracked wallets, house and liquidation map are what a test says."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream import exchange
from papertrade_site.upstream.resource import Resource
from tests.filled_venue import FilledVenue
from tests.venue_bodies import NOW_MS, body

FROZEN: Final = {
    "at5": True,
    "at6": True,
    "at8": True,
    "at9": "825000",
    "at10": "825003",
    "at11": 1796039000000,
}
"""Places of a terminal BTC market that marks at 82,500.1."""


def venue_of(*wallets: list[Any], house: tuple[float, float] = (150_000, 50_000)) -> FilledVenue:
    """A venue that tracks these wallets' positions, and whose house carries so many dollars of BTC a side."""
    venue = FilledVenue()
    venue.put_tracked(*wallets)
    history = body("house_history")
    history["columns"]["bl"][-1], history["columns"]["bs"][-1] = house
    venue.put(exchange.house_history(Interval.HOUR), history)
    return venue


def map_of(symbol: str) -> Resource[Any]:
    """The venue's own liquidation map of a market."""
    return exchange.liquidation_map(_market(symbol), settings.LIQUIDATION_MAP_PATH)


def _market(symbol: str) -> Instrument:
    market = exchange.trading().parse(body("trading"), NOW_MS).market(symbol)
    assert market is not None
    return market
