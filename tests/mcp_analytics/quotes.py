"""The quote that tests begin with, and what a quote has."""

from __future__ import annotations

from typing import Any, Final

BTC_LONG: Final[dict[str, Any]] = {
    "symbol": "BTC",
    "side": "long",
    "marginUsd": 100,
    "leverage": 100,
    "priceMovePct": 1,
}

FIELDS: Final = [
    "simulation",
    "notice",
    "symbol",
    "side",
    "marginUsd",
    "leverage",
    "notionalUsd",
    "entryPriceUsd",
    "exitPriceUsd",
    "bustPriceUsd",
    "bustDistancePct",
    "liquidated",
    "rawPnlUsd",
    "afterImpactUsd",
    "winFeeUsd",
    "netPnlUsd",
    "keptFraction",
    "returnOnMarginPct",
    "paperMintBasisUsd",
]
