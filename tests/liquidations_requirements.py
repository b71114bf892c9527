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
        "market must be given, as BTC or ETH; wallets is from 1 to 44, cascadePercent from 0 to 25, "
        "maxBuckets from 1 to 200; bucketUsd is free.",
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
        "market is one of BTC, ETH, all; limit is from 1 to 50, side one of long, short, both, and wallets "
        "from 1 to 44; maxDistancePercent is free.",
        (_L_PARAMETERS,),
    ),
    Requirement("closest:ranked", "The position that is nearest to busting comes first.", (_L_TOOLS,)),
    Requirement(
        "closest:filters",
        "A market, a side and a largest distance each leave out what is not asked for.",
        (_L_TOOLS,),
    ),
    Requirement(
        "clusters:arguments",
        "market, wallets, and clusters, of which 1 to 10 a side may be asked for.",
        (_L_PARAMETERS,),
    ),
    Requirement(
        "clusters:largest",
        "Below and above the mark the largest clusters are shown, with what busts there and how far off.",
        (_L_TOOLS,),
    ),
    Requirement("protocol-map:arguments", "market and bucketUsd.", (_L_PARAMETERS,)),
    Requirement("protocol-map:venue", "The exchange's own map of the whole market is shown.", (_L_TOOLS,)),
    Requirement("protocol-map:regrouped", "It can be had in wider buckets.", (_L_TOOLS,)),
    Requirement(
        "tracked:coverage",
        "Tracked figures say what share of the protocol's notional they cover as coverage.fraction.",
        (_L_READING,),
    ),
    Requirement(
        "tracked:tail",
        "It is said that the many small wallets are left out.",
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
