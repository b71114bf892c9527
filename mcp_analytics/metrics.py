"""The figures whose past the exchange keeps, and the protocol's history by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import WithJsonSchema

from papertrade_site.market.scale import WAD, nearest_div, paper, usd
from papertrade_site.market.series import Point, Series
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.past import Past, protocol_past
from papertrade_site.upstream.models.history import Totals
from papertrade_site.upstream.sources import Sources

MetricName = Literal[
    "tvl",
    "volume",
    "volume_btc",
    "volume_eth",
    "traders",
    "trades",
    "liquidated_volume",
    "trader_pnl",
    "paper_supply",
    "paper_staked",
]
Unit = Literal["usd", "count", "paper"]
Kind = Literal["level", "cumulative"]

Figure = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A figure of any unit; a count stays a whole number."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of the protocol.

    Attributes:
        column: its column in the histories.
        words: what it is called in a sentence.
        total: where the exact current figure stands beside a history, if it does; counts are plain.
    """

    column: str
    unit: Unit
    kind: Kind
    words: str
    total: Callable[[Totals], int] | None = None

    def shown(self, amount: int) -> int | float:
        """An amount at 10^18 for people: a whole number of things, or dollars or PAPER to 6 decimals."""
        if self.unit == "count":
            return nearest_div(amount, WAD)
        return usd(amount) if self.unit == "usd" else paper(amount)

    def latest(self, totals: Totals) -> int | None:
        """The exact current figure at 10^18, or None when only the history has it."""
        if self.total is None:
            return None
        return self.total(totals) * (WAD if self.unit == "count" else 1)


METRICS: Final[Mapping[MetricName, Metric]] = MappingProxyType(
    {
        "tvl": Metric("tvl", "usd", "level", "total value locked", lambda totals: totals.tvl),
        "volume": Metric("volume", "usd", "cumulative", "volume", lambda totals: totals.volume),
        "volume_btc": Metric("volume_btc", "usd", "cumulative", "BTC volume"),
        "volume_eth": Metric("volume_eth", "usd", "cumulative", "ETH volume"),
        "traders": Metric("users", "count", "cumulative", "traders", lambda totals: totals.users),
        "trades": Metric("trades", "count", "cumulative", "trades", lambda totals: totals.trades),
        "liquidated_volume": Metric(
            "liquidation", "usd", "cumulative", "liquidated volume", lambda totals: totals.liquidation
        ),
        "trader_pnl": Metric("trader_pnl", "usd", "cumulative", "net trader PnL"),
        "paper_supply": Metric("paper_supply", "paper", "level", "PAPER supply"),
        "paper_staked": Metric("paper_staked", "paper", "level", "PAPER staked"),
    }
)
"""In the order of the documents."""


@dataclass(frozen=True, slots=True)
class ProtocolHistory:
    """The protocol's past, and the exact totals that the exchange sent with it."""

    past: Past
    totals: Totals

    def series(self, metric: Metric) -> Series:
        """The past of one figure; where it reaches the present it ends in the exact total."""
        past = self.past
        is_current = past.closes_ms[-1:] == (past.as_of_ms,)
        return Series(
            closes_ms=past.closes_ms,
            values=past.columns[metric.column],
            width_ms=past.interval_ms,
            latest=metric.latest(self.totals) if is_current else None,
        )

    def newest(self, metric: Metric) -> Point | None:
        """The newest known point of one figure."""
        return next(iter(self.series(metric).newest(1)), None)


def protocol_history(sources: Sources, interval: Interval) -> ProtocolHistory:
    """The protocol's past in buckets of one size.

    Raises:
        UpstreamError: when the exchange's history cannot be read.
    """
    return ProtocolHistory(protocol_past(sources, interval), sources.history(interval).totals)
