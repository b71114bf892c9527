"""Histories as the venue sends them, of the columns that a test gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from papertrade_site.market.scale import wad_of
from papertrade_site.market.vocabulary import Interval
from tests.venue_bodies import NOW_MS

AS_OF_MS = NOW_MS + 1_380_000
"""12:23 UTC, when the histories of these tests were made, unless they say another."""

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
HOUSE_COLUMNS = ("bl", "bs", "el", "es", "lp")
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
        "columns": {name: list(columns.get(name, [0] * points)) for name in HOUSE_COLUMNS},
        "source": {"asOfMs": as_of_ms},
    }


def _start_ms(interval: Interval, points: int, as_of_ms: int) -> int:
    width = interval.width_ms
    return as_of_ms // width * width - max(points - 1, 0) * width
