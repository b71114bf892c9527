"""A market's price over seven days, with how it has moved and what the market allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.pictures import moments
from papertrade_site.docs.pictures.amounts import UNKNOWN
from papertrade_site.docs.pictures.scale import Axis
from papertrade_site.docs.pictures.shapes import Note, Shapes
from papertrade_site.figures.text import number, signed

TOP: Final = 56
BLOCK: Final = 140
"""Pixels from one market to the next."""

RIGHT: Final = 98.0
"""Where the line ends, in percent, so that its last point is whole."""

LINE_TOP: Final = 46
LINE_BOTTOM: Final = 102
"""The line's part of a market, in pixels from the market's top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceLine:
    """The closes; ``points`` is in thousandths of the width and in pixels from the market's top."""

    points: str
    last_x: float
    last_y: float
    high: str
    low: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketPrice:
    """One market, ``y`` pixels from the top."""

    market: str
    y: int
    price: str
    day_move: str
    week_move: str
    status: str
    line: PriceLine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparkline(Shapes):
    """All that the template draws."""

    markets: tuple[MarketPrice, ...]
    line_top: int = LINE_TOP
    line_bottom: int = LINE_BOTTOM


def sparkline(result: Mapping[str, Any]) -> Sparkline:
    """Place the result of ``get_market_stats`` with its sparkline."""
    markets = tuple(_market(row, y=TOP + place * BLOCK) for place, row in enumerate(result["markets"]))
    return Sparkline(
        title="Prices, 7 days",
        headline=Note("Hourly closes of Hyperliquid"),
        foot=TOP + len(markets) * BLOCK,
        markets=markets,
    )


def _market(row: Mapping[str, Any], *, y: int) -> MarketPrice:
    return MarketPrice(
        market=row["market"],
        y=y,
        price=_price(row),
        day_move=_move(row["change24hPercent"], "24 h"),
        week_move=_move(row["change7dPercent"], "7 d"),
        status=_status(row["status"]),
        line=_line(row.get("sparkline") or ()),
    )


def _price(row: Mapping[str, Any]) -> str:
    """The price at which the venue marks, else the last close, and which of them it is."""
    if row["midPriceUsd"] is not None:
        kind = "frozen" if row["status"]["terminal"] else "mid"
        return f"${number(row['midPriceUsd'])} {kind}"
    last = row["markPriceUsd"]
    return f"price {UNKNOWN}" if last is None else f"${number(last)} last"


def _move(change: float | None, span: str) -> str:
    return f"{span} {UNKNOWN}" if change is None else f"{span} {signed(round(change, 2))} %"


def _status(flags: Mapping[str, bool]) -> str:
    for flag, text in (("terminal", "ended for good"), ("paused", "paused"), ("closeOnly", "close only")):
        if flags[flag]:
            return text
    return "" if flags["openable"] else "no new positions"


def _line(points: Sequence[Mapping[str, Any]]) -> PriceLine | None:
    if not points:
        return None
    closes = [point["closeUsd"] for point in points]
    times = [moments.seconds(point["time"]) for point in points]
    across = Axis(times[0], times[-1], 0, RIGHT)
    prices = Axis(min(closes), max(closes), LINE_BOTTOM, LINE_TOP)
    places = [(across.place(at_s), prices.place(close)) for at_s, close in zip(times, closes, strict=True)]
    return PriceLine(
        points=" ".join(f"{x * 10:.1f},{y:g}" for x, y in places),
        last_x=places[-1][0],
        last_y=places[-1][1],
        high=f"high {number(max(closes))}",
        low=f"low {number(min(closes))}",
        words=f"Hourly closes from {points[0]['time']} to {points[-1]['time']}: "
        f"{number(closes[0])} at first, {number(closes[-1])} at last.",
    )
