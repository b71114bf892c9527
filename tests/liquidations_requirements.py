"""What the specification promises of the tools of Liquidations."""

from __future__ import annotations

from typing import Final

from tests.requirement import LIQUIDATIONS, Requirement

_L_TOOLS: Final = (LIQUIDATIONS, "Tools")
_L_PARAMETERS: Final = (LIQUIDATIONS, "Parameters")

_L_READING: Final = (LIQUIDATIONS, "Reading results")

LIQUIDATIONS_TOOLS: Final = [
    Requirement(
        "closest:arguments",
        "market is BTC, ETH or all; limit 1 to 50; side long, short or both; maxDistancePercent; "
        "wallets 1 to 44.",
        (_L_PARAMETERS,),
    ),
    Requirement("closest:ranked", "Open positions are ranked by distance to their bust price.", (_L_TOOLS,)),
    Requirement("closest:filters", "They can be filtered by market, side and maximum distance.", (_L_TOOLS,)),
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
