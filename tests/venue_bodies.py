"""Sound bodies of the sources, as the tests' venues send them."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import HOUR_MS

NOW_MS = 1_796_040_000_000
"""2026-11-30 12:00:00 UTC, when the recorded bodies were sound."""

MAX_LEVERAGE = 14
BUST_BUFFER = 16

MARKETS = {"BTC": ("83065.0", "83066.1"), "ETH": ("2512.15", "2512.15")}
"""Best bid and ask; the midpoints are 83,065.5 and 2,512.15."""


FROZEN: Final = {
    "at5": True,
    "at6": True,
    "at8": True,
    "at9": "825000",
    "at10": "825003",
    "at11": 1796039000000,
}
"""Places of a terminal BTC market that marks at 82,500.1."""


@cache
def _bodies() -> dict[str, Any]:
    path = Path(__file__).parent / "upstream" / "bodies.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


def body(name: str) -> Any:  # noqa: ANN401
    """A fresh, sound body of a source."""
    return deepcopy(_bodies()[name])


def book(symbol: str, bid: str, ask: str, *, at_ms: int = NOW_MS) -> Any:  # noqa: ANN401
    """An order book of one level a side."""
    levels = [[{"px": price, "sz": "1", "n": 1}] for price in (bid, ask)]
    return {"coin": symbol, "time": at_ms, "levels": levels}


def hourly_candles(symbol: str, closes: list[str]) -> list[Any]:
    """Hourly candles that end with the hour under way, oldest first."""
    first_ms = NOW_MS - (len(closes) - 1) * HOUR_MS
    return [
        {
            "t": first_ms + place * HOUR_MS,
            "T": first_ms + (place + 1) * HOUR_MS - 1,
            "s": symbol,
            "i": "1h",
            **dict.fromkeys("ohlc", close),
        }
        for place, close in enumerate(closes)
    ]


def position_row(number: int, *, market: int = 0, is_long: bool = True, **changed: Any) -> list[Any]:  # noqa: ANN401
    """An open position in the venue's order of places: $100 at 100x from 83,065.5 unless changed."""
    row = {
        "entry": "830655",
        "margin": str(100 * WAD),
        "leverage": 100,
        "bust": "822740" if is_long else "838530",
        "opened": NOW_MS - 60_000,
        **changed,
    }
    places = (row[name] for name in ("entry", "margin", "leverage", "bust", "opened"))
    return [str(number), market, is_long, False, *places, None]


def address(number: int) -> str:
    """The address of a wallet that tests know by number."""
    return f"0x{number:040x}"
