"""What the venue tells of its past and present, as the tests of Analytics' tools want it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from papertrade_site.market.scale import wad_of
from papertrade_site.market.vocabulary import Interval
from papertrade_site.simulator import hyperliquid as simulated_hyperliquid, query_bodies, state_bodies
from papertrade_site.simulator.world import World
from papertrade_site.upstream import exchange, hyperliquid
from tests.filled_venue import FilledVenue
from tests.venue_bodies import NOW_MS, body

AS_OF_MS = NOW_MS + 1_380_000
"""12:23 UTC, when the histories of these tests were made."""

PROTOCOL_COLUMNS = (
    "tvl",
    "stakingRewards",
    "volume",
    "volumeBtc",
    "volumeEth",
    "traderPnl",
    "users",
    "liquidation",
    "trades",
    "paperSupply",
    "paperStaked",
)
TOTALS = {
    "tvl": "tvlRaw",
    "stakingRewards": "rewardsRaw",
    "volume": "volumeRaw",
    "liquidation": "liquidationRaw",
}
COUNTS = {"trades": "tradesRaw", "users": "usersRaw"}

Column = Sequence[float | None]


def history(interval: Interval, *, as_of_ms: int = AS_OF_MS, **columns: Column) -> dict[str, Any]:
    """The protocol's history, one bucket under way at its end; columns that are not given are zeros.

    Its totals are the newest figures.
    """
    (points,) = {len(column) for column in columns.values()}
    told = {name: list(columns.get(name, [0] * points)) for name in PROTOCOL_COLUMNS}
    newest = {name: column[-1] or 0 for name, column in told.items()} if points else dict.fromkeys(told, 0)
    return {
        "startMs": _start_ms(interval, points, as_of_ms),
        "intervalMs": interval.width_ms,
        "columns": told,
        "source": {"asOfMs": as_of_ms},
        "totals": {total: str(wad_of(newest[name])) for name, total in TOTALS.items()}
        | {total: str(round(newest[name])) for name, total in COUNTS.items()}
        | {"stakerFees24hRaw": "0"},
    }


def house(interval: Interval, *, as_of_ms: int = AS_OF_MS, **columns: Column) -> dict[str, Any]:
    """The house's history, one bucket under way at its end; columns that are not given are zeros."""
    (points,) = {len(column) for column in columns.values()}
    return {
        "baseTimeMs": _start_ms(interval, points, as_of_ms),
        "intervalMs": interval.width_ms,
        "timeOffsetsMs": [place * interval.width_ms for place in range(points)],
        "columns": {name: list(columns.get(name, [0] * points)) for name in ("bl", "bs", "el", "es", "lp")},
        "source": {"asOfMs": as_of_ms},
    }


def _start_ms(interval: Interval, points: int, as_of_ms: int) -> int:
    width = interval.width_ms
    return as_of_ms // width * width - max(points - 1, 0) * width


class ToldVenue(FilledVenue):
    """A venue with a summary and both histories, at the time of ``AS_OF_MS``."""

    def __init__(self) -> None:
        super().__init__()
        self.clock.ms = AS_OF_MS
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

    def put_world(self, world: World) -> None:
        """Let everything be as in a world of the embedded exchange."""
        self.clock.ms = world.now_ms
        self.put(exchange.trading(), state_bodies.trading(world))
        self.put(exchange.summary(), query_bodies.summary(world))
        self.put(exchange.market_stats(), query_bodies.market_stats(world))
        self.put(exchange.queue(), query_bodies.queue_summary(world))
        for interval in Interval:
            self.put(exchange.history(interval), query_bodies.protocol_history(world, interval))
            self.put(exchange.house_history(interval), query_bodies.house_history(world, interval))
        for symbol in ("BTC", "ETH"):
            asked = {"type": "l2Book", "coin": symbol}
            self.put(hyperliquid.book(symbol), simulated_hyperliquid.info(world, asked))


def notes(result: dict[str, Any]) -> dict[str, str]:
    """The notes of a result's sources, by source."""
    return {row["name"]: row["note"] for row in result["freshness"]["sources"] if "note" in row}
