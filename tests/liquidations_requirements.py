"""What the specification promises of the tools of Liquidations."""

from __future__ import annotations

from typing import Final

from tests.requirement import LIQUIDATIONS, Requirement

_L_TOOLS: Final = (LIQUIDATIONS, "Tools")
_L_PARAMETERS: Final = (LIQUIDATIONS, "Parameters")

_L_READING: Final = (LIQUIDATIONS, "Reading results")

LIQUIDATIONS_TOOLS: Final = [
    Requirement(
        "bust-map:arguments",
        "market is BTC or ETH and required; bucketUsd, wallets 1 to 44, cascadePercent 0 to 25, maxBuckets 1 "
        "to 200.",
        (_L_PARAMETERS,),
    ),
    Requirement("bust-map:buckets", "The map shows bust notional per price bucket.", (_L_TOOLS,)),
    Requirement("bust-map:coverage", "The map says what share of the protocol it covers.", (_L_TOOLS,)),
    Requirement("bust-map:cascade", "A percent move adds what it would bust.", (_L_TOOLS,)),
    Requirement(
        "cascade:estimate", "The cascade is called an estimate at the resolution of buckets.", (_L_READING,)
    ),
    Requirement(
        "closest:arguments",
        "market is BTC, ETH or all; limit 1 to 50; side long, short or both; maxDistancePercent; "
        "wallets 1 to 44.",
        (_L_PARAMETERS,),
    ),
    Requirement("closest:ranked", "Open positions are ranked by distance to their bust price.", (_L_TOOLS,)),
    Requirement("closest:filters", "They can be filtered by market, side and maximum distance.", (_L_TOOLS,)),
    Requirement("clusters:arguments", "market, wallets, and clusters 1 to 10 a side.", (_L_PARAMETERS,)),
    Requirement(
        "clusters:largest",
        "The largest clusters on each side of the mark come with notional and distance from the mark.",
        (_L_TOOLS,),
    ),
    Requirement("protocol-map:arguments", "market and bucketUsd.", (_L_PARAMETERS,)),
    Requirement("protocol-map:venue", "The exchange's own map of the whole market is shown.", (_L_TOOLS,)),
    Requirement("protocol-map:regrouped", "It can be regrouped onto a bucket size.", (_L_TOOLS,)),
    Requirement(
        "tracked:coverage",
        "Tracked figures say what share of the protocol's notional they cover as coverage.fraction.",
        (_L_READING,),
    ),
    Requirement(
        "tracked:tail",
        "It is said that the heavy tail of small wallets is not included.",
        (_L_READING,),
    ),
    Requirement("wallet:arguments", "wallet is required: 0x and 40 hex digits.", (_L_PARAMETERS,)),
    Requirement("wallet:positions", "Every open position of the wallet comes back.", (_L_TOOLS,)),
    Requirement(
        "wallet:row",
        "A position has its bust price, the distance to it in percent and dollars, and a danger label.",
        (_L_TOOLS,),
    ),
]
