"""``get_protocol_snapshot``: the protocol's current figures and how they changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pydantic import Field

from mcp_analytics import SLUG
from mcp_analytics.changes import LAST_DAY, LAST_WEEK, Change, Changes, Span
from mcp_analytics.metrics import METRICS, MetricName, ProtocolHistory
from papertrade_site.clock import iso
from papertrade_site.figures.text import change, money, number
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.wire import SYMBOLS, Symbol, WireModel
from papertrade_site.market.scale import usd
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.house_book import OpenSides, book_of
from papertrade_site.recorded.past import house_past
from papertrade_site.upstream import exchange
from papertrade_site.upstream.models.summary import Summary
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "The protocol's headline figures now: total value locked and what it is made of, volume, open positions "
    "and notional, traders, trades, liquidations, fees, net trader PnL, and how six of them changed in 24 "
    "hours and 7 days. Start here for how Papertrade as a whole is doing; for a figure over time call "
    "get_history, for the skew and the caps get_open_interest, for one market get_market_stats. Balances, "
    "volumeTotalUsd, openPositions and fees are those of the block in source; the others may be up to a "
    "minute or so older (see freshness), and are null where their source fails or its newest figure is over "
    "ten minutes old. Volume counts a position when it opens and when it ends. Each change in deltas says "
    "which point it compares with."
)


MARKET_IDS: Final[Mapping[Symbol, int]] = MappingProxyType({"BTC": 0, "ETH": 1})
"""The markets without which a volume is not the whole protocol's, by the ids that the exchange gave them."""


class SnapshotArguments(WireModel):
    """No arguments."""


class SnapshotSource(WireModel):
    """The venue's own snapshot."""

    block: int
    at: str = Field(description="ISO 8601 UTC.")


class Protocol(WireModel):
    """The figures."""

    tvl_usd: float = Field(
        description="All that the exchange holds: more than the parts shown here, as traders keep balances "
        "beside their margin."
    )
    lp_usd: float = Field(description="Cash of the liquidity pool, the traders' counterparty.")
    margin_usd: float = Field(description="Margin of open positions.")
    reserve_usd: float = Field(description="As the venue reports it; not documented.")
    queued_payouts_usd: float = Field(description="Profit that winners still wait for.")
    queued_payouts: int | None = Field(description="How many payouts wait.")
    volume_24h_usd: float | None
    volume_total_usd: float = Field(description="Since launch.")
    open_positions: int
    open_notional_usd: float | None = Field(description="Longs plus shorts, at entry prices.")
    open_long_usd: float | None
    open_short_usd: float | None
    traders: int | None = Field(description="Since launch.")
    trades: int | None = Field(description="Since launch.")
    liquidated_usd: float | None = Field(description="Notional liquidated since launch.")
    fees_lifetime_usd: float = Field(description="As the venue reports it; make-up not documented.")
    fees_pending_usd: float
    trader_pnl_usd: float | None = Field(
        description="What all traders made together since launch, after fees; negative: the house won."
    )
    staking_rewards_usd: float | None = Field(description="Paid or owed to PAPER stakers since launch.")
    live_since: str = Field(description="Genesis of the contracts, ISO 8601 UTC.")
    block: int


class FigureChanges(WireModel):
    """Changes of six figures; null where the past is not known."""

    tvl_usd: Change | None
    volume_usd: Change | None
    trades: Change | None
    traders: Change | None
    liquidated_usd: Change | None
    trader_pnl_usd: Change | None


class Deltas(WireModel):
    """Changes over two spans."""

    change_24h: FigureChanges
    change_7d: FigureChanges


class Snapshot(WireModel):
    """The protocol now."""

    source: SnapshotSource
    protocol: Protocol
    deltas: Deltas


def find(_: SnapshotArguments, sources: Sources) -> Found:
    """Read the protocol's figures; all but the summary may be missing.

    Raises:
        UpstreamError: when the summary cannot be read.
    """
    sources.prefetch(
        exchange.summary(),
        exchange.history(Interval.HOUR),
        exchange.house_history(Interval.HOUR),
        exchange.market_stats(),
        exchange.queue(),
    )
    summary, changes = sources.summary(), Changes(sources)
    history = changes.history(Interval.HOUR) or changes.history(Interval.DAY)
    figures = Snapshot(
        source=SnapshotSource(block=summary.source.block, at=iso(summary.source.at)),
        protocol=_protocol(summary, history, changes, sources),
        deltas=Deltas(
            change_24h=_moves(changes, LAST_DAY, history), change_7d=_moves(changes, LAST_WEEK, history)
        ),
    )
    return Found(figures, _sentence(figures))


def _protocol(
    summary: Summary, history: ProtocolHistory | None, changes: Changes, sources: Sources
) -> Protocol:
    balances, fees = summary.balances, summary.fees
    totals = None if history is None else history.totals
    book = _open_book(sources)
    volume = sources.optional(lambda: _volume_24h(sources), missing="volume24hUsd is null.")
    return Protocol(
        tvl_usd=usd(balances.tvl),
        lp_usd=usd(balances.lp),
        margin_usd=usd(balances.margin),
        reserve_usd=usd(balances.reserve),
        queued_payouts_usd=usd(balances.queue),
        queued_payouts=sources.optional(lambda: sources.queue().count, missing="queuedPayouts is null."),
        volume_24h_usd=None if volume is None else usd(volume),
        volume_total_usd=usd(summary.activity.volume),
        open_positions=summary.activity.open,
        open_notional_usd=None if book is None else usd(book.longs + book.shorts),
        open_long_usd=None if book is None else usd(book.longs),
        open_short_usd=None if book is None else usd(book.shorts),
        traders=None if totals is None else totals.users,
        trades=None if totals is None else totals.trades,
        liquidated_usd=None if totals is None else usd(totals.liquidation),
        fees_lifetime_usd=usd(fees.lifetime),
        fees_pending_usd=usd(fees.pending),
        trader_pnl_usd=_trader_pnl(history, changes),
        staking_rewards_usd=None if totals is None else usd(totals.rewards),
        live_since=iso(summary.source.genesis),
        block=summary.source.block,
    )


def _open_book(sources: Sources) -> OpenSides | None:
    """What is open in all markets together."""

    def read() -> OpenSides:
        past = house_past(sources, Interval.HOUR)
        books = [book_of(past, symbol) for symbol in SYMBOLS]
        return OpenSides(sum(book.longs for book in books), sum(book.shorts for book in books))

    return sources.optional(read, missing="Open notional is null.")


def _volume_24h(sources: Sources) -> int:
    markets = sources.market_stats().markets
    for symbol, market_id in MARKET_IDS.items():
        if market_id not in markets:
            raise unexpected("exchange.market_stats", f"leaves out {symbol}")
    return sum(market.volume_24h for market in markets.values())


def _trader_pnl(history: ProtocolHistory | None, changes: Changes) -> float | None:
    now = None if history is None else changes.current(history, METRICS["trader_pnl"])
    return None if now is None else usd(now.value)


def _moves(changes: Changes, span: Span, history: ProtocolHistory | None) -> FigureChanges:
    def over(name: MetricName) -> Change | None:
        metric = METRICS[name]
        return None if history is None else changes.over(span, metric, changes.current(history, metric))

    return FigureChanges(
        tvl_usd=over("tvl"),
        volume_usd=over("volume"),
        trades=over("trades"),
        traders=over("traders"),
        liquidated_usd=over("liquidated_volume"),
        trader_pnl_usd=over("trader_pnl"),
    )


def _sentence(found: Snapshot) -> str:
    protocol, tvl = found.protocol, found.deltas.change_24h.tvl_usd
    tvl_moved = "" if tvl is None or tvl.percent is None else f" ({change(tvl.percent)} in 24 h)"
    parts = [f"TVL {money(protocol.tvl_usd)}{tvl_moved}"]
    if protocol.volume_24h_usd is not None:
        parts.append(f"volume {money(protocol.volume_24h_usd)} in 24 h")
    parts.append(f"volume {money(protocol.volume_total_usd)} since launch")
    parts.append(f"{number(protocol.open_positions)} open positions")
    if protocol.open_notional_usd is not None:
        parts[-1] += f" of {money(protocol.open_notional_usd)} notional"
    if protocol.traders is not None and protocol.trades is not None:
        parts.append(f"{number(protocol.traders)} traders and {number(protocol.trades)} trades so far")
    return f"At block {found.source.block}: {', '.join(parts)}."


TOOL: Final = reading_tool(
    find,
    server=SLUG,
    name="get_protocol_snapshot",
    title="Protocol snapshot",
    description=DESCRIPTION,
    arguments=SnapshotArguments,
    figures=Snapshot,
)
