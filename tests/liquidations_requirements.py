"""What the specification promises of the tools of Liquidations."""

from __future__ import annotations

from typing import Final

from tests.requirement import LIQUIDATIONS, Requirement

_L_TOOLS: Final = (LIQUIDATIONS, "Tools")
_L_PARAMETERS: Final = (LIQUIDATIONS, "Parameters")

LIQUIDATIONS_TOOLS: Final = [
    Requirement("wallet:arguments", "wallet is required: 0x and 40 hex digits.", (_L_PARAMETERS,)),
    Requirement("wallet:positions", "Every open position of the wallet comes back.", (_L_TOOLS,)),
    Requirement(
        "wallet:row",
        "A position has its bust price, the distance to it in percent and dollars, and a danger label.",
        (_L_TOOLS,),
    ),
]
