"""``get_position_insights``: leverage and size of the best settled positions of a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

from pydantic import Field

from papertrade_site.figures.text import money, number, share_text
from papertrade_site.figures.tool import Found, failure_text, reading_tool
from papertrade_site.figures.wire import WireModel
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import MAX_LEVERAGE
from papertrade_site.market.scale import SHARE_DIGITS, USD_DIGITS, WAD, to_float
from papertrade_site.market.sizing import banded, median, share
from papertrade_site.market.vocabulary import Window
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream.errors import MissingError, UpstreamError
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "Leverage and size of the settled positions with the best results, over 24 hours or all time: how many "
    "fall into each band, the long share of notional, and medians. Caveat: the list holds "
    "best single results alone, so it shows survivors. What lost or was liquidated at the same leverage is "
    "not in it; never read it as how traders size, or as odds. For accounts call get_top_traders, for "
    "liquidated notional get_history. Where nothing was settled, count is 0 and medians are null. The "
    "exchange does not document this list, and it may be missing."
)

LEVERAGES: Final = {
    1: "1x to 9x",
    10: "10x to 24x",
    25: "25x to 49x",
    50: "50x to 99x",
    100: "100x to 249x",
    250: "250x to 499x",
    500: "500x to 1000x",
}
"""Labels of the buckets by the leverage that each begins with."""

SIZES: Final = {
    0: "below $10k",
    10_000: "$10k to $50k",
    50_000: "$50k to $100k",
    100_000: "$100k to $500k",
    500_000: "$500k to $1M",
    1_000_000: "$1M to $5M",
    5_000_000: "$5M and more",
}
"""Labels of the buckets by the dollars of notional that each begins with."""

_INSTEAD: Final = (
    "use get_top_traders for what accounts earned and hold open, or get_history for volume and liquidations."
)


class PositionInsightsArguments(WireModel):
    """Which settled positions."""

    window: Literal["24h", "all"] = Field(
        default="24h", description="Positions settled in the last 24 hours, or ever."
    )


class CountedBucket(WireModel):
    """Positions of like leverage or size."""

    label: str
    min: int = Field(description="Belongs to the bucket.")
    max: int | None = Field(
        description="Where the next bucket begins; of the last one, the highest there is, or null for no end."
    )
    count: int
    share: float | None = Field(description="count over all positions, 0 to 1; null without any.")


class LeverageBuckets(WireModel):
    """By leverage."""

    buckets: tuple[CountedBucket, ...]


class SizeBuckets(WireModel):
    """By notional in dollars."""

    buckets: tuple[CountedBucket, ...]


class PositionInsights(WireModel):
    """The best settled positions of a window, counted."""

    window: Literal["24h", "all"]
    count: int = Field(description="Positions counted: the first page of the exchange's list of the best.")
    leverage: LeverageBuckets
    size: SizeBuckets
    long_share_by_notional: float | None = Field(
        description="Notional of longs over that of all, 0 to 1; null without positions."
    )
    median_leverage: float | None = Field(
        description="The mean of the two middle ones when the count is even, as for the other median."
    )
    median_notional_usd: float | None


def find(arguments: PositionInsightsArguments, sources: Sources) -> Found:
    """Count the best settled positions of a window.

    Raises:
        ToolError: naming other tools, when the list cannot be read.
    """
    try:
        positions = sources.best_positions(Window(arguments.window))
    except UpstreamError as error:
        raise ToolError(_failure(error)) from error
    leverages = [position.leverage for position in positions]
    notionals = [position.notional for position in positions]
    longs = sum(position.notional for position in positions if position.side is Side.LONG)
    figures = PositionInsights(
        window=arguments.window,
        count=len(positions),
        leverage=LeverageBuckets(buckets=_buckets(leverages, LEVERAGES, top=MAX_LEVERAGE)),
        size=SizeBuckets(buckets=_buckets(notionals, SIZES, scale=WAD)),
        long_share_by_notional=_rounded(share(longs, sum(notionals)), digits=SHARE_DIGITS),
        median_leverage=_rounded(median(leverages), digits=1),
        median_notional_usd=_rounded(median(notionals), WAD, digits=USD_DIGITS),
    )
    return Found(figures, _summary(figures))


def _failure(error: UpstreamError) -> str:
    if isinstance(error, MissingError):
        return f"{error} It is not documented, so it may have moved or never been there; instead {_INSTEAD}"
    return f"{failure_text(error)} Meanwhile {_INSTEAD}"


def _buckets(
    values: Sequence[int], labels: Mapping[int, str], *, top: int | None = None, scale: int = 1
) -> tuple[CountedBucket, ...]:
    """The values, which are at ``scale``, counted by the buckets that begin where the labels say."""
    bands = banded(values, [low * scale for low in labels], top=top)
    return tuple(
        CountedBucket(
            label=label,
            min=band.low // scale,
            max=None if band.high is None else band.high // scale,
            count=band.count,
            share=_rounded(share(band.count, len(values)), digits=SHARE_DIGITS),
        )
        for label, band in zip(labels.values(), bands, strict=True)
    )


def _rounded(value: Fraction | None, scale: int = 1, *, digits: int) -> float | None:
    return None if value is None else to_float(value, scale, digits=digits)


def _summary(figures: PositionInsights) -> str:
    span = "of all time" if figures.window == "all" else f"of the last {figures.window}"
    longs, leverage, notional = (
        figures.long_share_by_notional,
        figures.median_leverage,
        figures.median_notional_usd,
    )
    if longs is None or leverage is None or notional is None:
        return f"The exchange lists no settled positions {span}."
    return (
        f"Of the best settled positions {span} ({figures.count}, not a sample of all) the median leverage is "
        f"{number(leverage)}x, the median notional {money(notional)} and the long share of notional "
        f"{share_text(longs)}; most often they have {_fullest(figures.leverage.buckets)} and "
        f"{_fullest(figures.size.buckets)}."
    )


def _fullest(buckets: Sequence[CountedBucket]) -> str:
    fullest = max(buckets, key=lambda bucket: bucket.count)
    return f"{fullest.label} ({fullest.count})"


TOOL: Final = reading_tool(
    find,
    name="get_position_insights",
    title="Position insights",
    description=DESCRIPTION,
    arguments=PositionInsightsArguments,
    figures=PositionInsights,
)
