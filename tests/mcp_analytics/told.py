"""A venue that tells of its past and present, as the tests of Analytics' tools want it."""

from __future__ import annotations

from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream import exchange, hyperliquid
from tests.filled_venue import FilledVenue
from tests.histories import AS_OF_MS, Column, history, house
from tests.venue_bodies import MARKETS, body, book


class ToldVenue(FilledVenue):
    """A venue with a summary and both histories, at the time of ``AS_OF_MS``."""

    def __init__(self) -> None:
        super().__init__()
        self.clock.ms = AS_OF_MS
        for symbol, (bid, ask) in MARKETS.items():
            self.put(hyperliquid.book(symbol), book(symbol, bid, ask, at_ms=AS_OF_MS))
        self.put(exchange.summary(), body("summary"))
        ramp = [float(place) for place in range(1, 169)]
        self.put_history(Interval.HOUR, tvl=ramp, volume=ramp, users=ramp, trades=ramp)
        self.put_history(Interval.DAY, tvl=ramp[:56], volume=ramp[:56], users=ramp[:56], trades=ramp[:56])
        for interval in Interval:
            self.put_house(interval, bl=ramp[:60], bs=ramp[:60], el=ramp[:60], es=ramp[:60])

    def put_history(self, interval: Interval, *, as_of_ms: int = AS_OF_MS, **columns: Column) -> None:
        """Let this be the protocol's past."""
        self.put(exchange.history(interval), history(interval, as_of_ms=as_of_ms, **columns))

    def put_house(self, interval: Interval, *, as_of_ms: int = AS_OF_MS, **columns: Column) -> None:
        """Let this be the house's past."""
        self.put(exchange.house_history(interval), house(interval, as_of_ms=as_of_ms, **columns))
