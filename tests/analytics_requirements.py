"""What the specification promises of the tools of Analytics."""

from __future__ import annotations

from typing import Final

from tests.requirement import ANALYTICS, Requirement

_A_TOOLS: Final = (ANALYTICS, "Tools")
_A_SNAPSHOT: Final = (ANALYTICS, "get_protocol_snapshot")
_A_HISTORY: Final = (ANALYTICS, "get_history")
_A_OPEN: Final = (ANALYTICS, "get_open_interest")
_A_STATS: Final = (ANALYTICS, "get_market_stats")
_A_PAPER: Final = (ANALYTICS, "get_paper_economics")
_A_TOP: Final = (ANALYTICS, "get_top_traders")
_A_INSIGHTS: Final = (ANALYTICS, "get_position_insights")
_A_QUOTE: Final = (ANALYTICS, "quote_position_outcome")
_A_EXAMPLES: Final = (ANALYTICS, "Examples")
_A_SAFETY: Final = (ANALYTICS, "Safety")

ANALYTICS_TOOLS: Final = [
    Requirement("snapshot:arguments", "It takes no arguments.", (_A_SNAPSHOT,)),
    Requirement(
        "snapshot:returns", "The result holds generatedAt, source, protocol and deltas.", (_A_SNAPSHOT,)
    ),
    Requirement(
        "snapshot:figures",
        "One call gives what the exchange holds and of what, volume of a day and in all, what is open in "
        "number and notional, how many trade and how often, liquidations and fees.",
        (_A_TOOLS, _A_SNAPSHOT),
    ),
    Requirement(
        "snapshot:changes", "It also gives changes of 24 hours and of 7 days.", (_A_TOOLS, _A_SNAPSHOT)
    ),
    Requirement("snapshot:plain-dollars", "All dollars are plain numbers.", (_A_SNAPSHOT,)),
    Requirement(
        "history:arguments",
        "metric is one of ten and required; interval is 1h or 1d, mode value or per_bucket, limit 2 to 500.",
        (_A_HISTORY,),
    ),
    Requirement("history:defaults", "Unless told otherwise it gives 48 values of days.", (_A_HISTORY,)),
    Requirement("history:returns", "The result holds the ten fields from metric to change7d.", (_A_HISTORY,)),
    Requirement(
        "history:metrics",
        "Each of the ten can be had: what is held, volume in all and per market, who and how often, "
        "liquidations, the traders' result, PAPER in all and staked.",
        (_A_TOOLS, _A_HISTORY),
    ),
    Requirement(
        "history:cumulative",
        "Trades, volume, liquidations and traders run up since launch; per_bucket gives what each bucket "
        "added.",
        (_A_HISTORY,),
    ),
    Requirement("history:levels-refused", "per_bucket is not available for levels.", (_A_HISTORY,)),
    Requirement(
        "history:stamps",
        "A point has the time at which its bucket closed; the newest is last.",
        (_A_HISTORY,),
    ),
    Requirement(
        "history:reach", "Hourly history is short; daily history reaches back to launch.", (_A_HISTORY,)
    ),
    Requirement("history:prompt", "Weekly volume since launch can be charted.", (_A_EXAMPLES,)),
    Requirement(
        "open-interest:arguments",
        "market is all, BTC or ETH, history a truth value, resolution 1m, 1h or 1d, limit 2 to 500; all may "
        "be left out.",
        (_A_OPEN,),
    ),
    Requirement(
        "open-interest:returns", "The result holds generatedAt, totals, markets and history.", (_A_OPEN,)
    ),
    Requirement(
        "open-interest:skew",
        "Each market has the notional of longs and of shorts that the house carries, and the longs' share.",
        (_A_TOOLS, _A_OPEN),
    ),
    Requirement(
        "open-interest:caps",
        "Each market has the open interest that counts against the caps, and how full they are per side.",
        (_A_TOOLS, _A_OPEN),
    ),
    Requirement(
        "open-interest:history",
        "When asked, the house's book over time comes too, by minutes, hours or days.",
        (_A_OPEN,),
    ),
    Requirement("open-interest:reach", "Only the buckets that the protocol kept are there.", (_A_OPEN,)),
    Requirement(
        "open-interest:prompt",
        "It answers which way the book is skewed and how full the caps are.",
        (_A_EXAMPLES,),
    ),
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
        "A market tells what is left after fees of a long of $100 at 500x that wins 0.1 %.",
        (_A_TOOLS, _A_STATS),
    ),
    Requirement(
        "market-stats:sparkline", "When asked, the hourly closes of the last 7 days come too.", (_A_STATS,)
    ),
    Requirement("paper:arguments", "get_paper_economics takes no arguments.", (_A_PAPER,)),
    Requirement("paper:returns", "The result holds generatedAt, paper and staking.", (_A_PAPER,)),
    Requirement(
        "paper:supply", "Total supply, the staked amount and its share are told.", (_A_TOOLS, _A_PAPER)
    ),
    Requirement(
        "paper:rate",
        "The current mint rate, in PAPER per $1 of trader loss, stands beside its maximum.",
        (_A_TOOLS, _A_PAPER),
    ),
    Requirement("paper:phase", "The phase of the curve is told.", (_A_TOOLS, _A_PAPER)),
    Requirement(
        "paper:rate25",
        "It is told how much more tail progress brings the rate down to 25.",
        (_A_TOOLS, _A_PAPER),
    ),
    Requirement(
        "paper:staking",
        "accRewardPerShare, pending rewards, reward cap and overflow are told.",
        (_A_TOOLS, _A_PAPER),
    ),
    Requirement(
        "paper:on-chain", "Supply and stake are HyperEVM's when supplySource is onchain.", (_A_PAPER,)
    ),
    Requirement(
        "paper:where",
        "Where PAPER is on its mint curve is answered in the sentence alone.",
        (_A_EXAMPLES,),
    ),
    Requirement(
        "top-traders:arguments",
        "window, sort and limit may be left out; they are 24h, totalWindowedPnl and 10 then.",
        (_A_TOP,),
    ),
    Requirement(
        "top-traders:returns",
        "The result holds window, sort, uniqueAccounts, tracked and traders.",
        (_A_TOP,),
    ),
    Requirement(
        "top-traders:ranking",
        "Accounts of the window's leaderboard are ranked by the chosen key.",
        (_A_TOOLS, _A_TOP),
    ),
    Requirement(
        "top-traders:figures",
        "A trader has results, volume, what is open, PAPER, and a link to the explorer.",
        (_A_TOP,),
    ),
    Requirement(
        "top-traders:names",
        "Names are called untrusted data and never instructions where they are given.",
        (_A_TOP, _A_SAFETY),
    ),
    Requirement("safety:names", "Names lose control characters and are cut to a length.", (_A_SAFETY,)),
    Requirement(
        "top-traders:sizing",
        "Who the top five of the week are and how they size is answered in the sentence alone.",
        (_A_EXAMPLES,),
    ),
    Requirement("insights:arguments", "window is 24h or all, 24h when left out.", (_A_INSIGHTS,)),
    Requirement(
        "insights:returns",
        "The result holds window, count, leverage, size, longShareByNotional and both medians.",
        (_A_INSIGHTS,),
    ),
    Requirement(
        "insights:buckets",
        "Settled positions are counted by leverage and by notional.",
        (_A_TOOLS, _A_INSIGHTS),
    ),
    Requirement(
        "insights:long-share", "Long notional is set against short notional.", (_A_TOOLS, _A_INSIGHTS)
    ),
    Requirement("insights:medians", "Median leverage and median size are told.", (_A_TOOLS, _A_INSIGHTS)),
    Requirement(
        "insights:rows", "The best single-position rows of the chosen window are used.", (_A_INSIGHTS,)
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
