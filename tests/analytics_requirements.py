"""What the specification promises of the tools of Analytics."""

from __future__ import annotations

from typing import Final

from tests.requirement import ANALYTICS, Requirement

_A_TOOLS: Final = (ANALYTICS, "Tools")
_A_STATS: Final = (ANALYTICS, "get_market_stats")
_A_QUOTE: Final = (ANALYTICS, "quote_position_outcome")
_A_SAFETY: Final = (ANALYTICS, "Safety")

ANALYTICS_TOOLS: Final = [
    Requirement(
        "market-stats:arguments",
        "symbol is BTC or ETH and may be left out; include_sparkline is a truth value, false unless given.",
        (_A_STATS,),
    ),
    Requirement("market-stats:returns", "The result holds generatedAt and markets.", (_A_STATS,)),
    Requirement("market-stats:all", "Without symbol all markets come back.", (_A_STATS,)),
    Requirement(
        "market-stats:figures",
        "A market has mark, changes, volume, open sides, limits, status and impact parameters.",
        (_A_TOOLS, _A_STATS),
    ),
    Requirement("market-stats:mark", "The mark is Hyperliquid's last close.", (_A_TOOLS, _A_STATS)),
    Requirement("market-stats:status", "A market is told paused, close-only and openable.", (_A_STATS,)),
    Requirement(
        "market-stats:example",
        "A market tells what a $100 500x long that wins 0.1 % keeps after fees.",
        (_A_TOOLS, _A_STATS),
    ),
    Requirement(
        "market-stats:sparkline", "When asked, the hourly closes of the last 7 days come too.", (_A_STATS,)
    ),
    Requirement(
        "quote:arguments",
        "symbol, side, marginUsd, leverage and priceMovePct are required, each within its range; "
        "entryPriceUsd may be left out.",
        (_A_QUOTE,),
    ),
    Requirement(
        "quote:returns",
        "The result holds the nineteen fields from simulation to paperMintBasisUsd.",
        (_A_QUOTE,),
    ),
    Requirement("quote:simulation", "Every result is labelled simulation: true.", (_A_QUOTE, _A_SAFETY)),
    Requirement(
        "quote:label", "Title and description say that it is a simulation only.", (_A_TOOLS, _A_QUOTE)
    ),
    Requirement(
        "quote:arithmetic",
        "It applies deadband, price impact, 2 % fee on a win and bust price as the exchange settles.",
        (_A_QUOTE,),
    ),
    Requirement("quote:entry", "The entry is the current mark unless one is given.", (_A_QUOTE,)),
    Requirement("quote:direction", "A price that rises is a positive move for both sides.", (_A_QUOTE,)),
]
