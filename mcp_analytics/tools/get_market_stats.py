"""``get_market_stats``: price, activity, limits and costs of each market."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from pydantic import Field

from mcp_analytics import SLUG
from papertrade_site.clock import iso
from papertrade_site.figures.text import change, dollars, money
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.venue import WinFee, listed_markets, win_fee
from papertrade_site.figures.wire import SYMBOLS, MarkPrice, Symbol, WireModel
from papertrade_site.market.bust import bust_price
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import SHARE_DIGITS, USD_DIGITS, WAD, percent, to_float, usd
from papertrade_site.market.settlement import DEADBAND_DIVISOR, PriceOutOfRangeError, exit_price, settle
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.house_book import book_of
from papertrade_site.recorded.past import house_past
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.models.hyperliquid import Candle
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "Current figures of the BTC and ETH markets: last price with its change over 24 hours and 7 days, "
    "volume of 24 hours, open long and short notional, what may be opened (leverage, margin, notional, "
    "status), and what a win costs (impact parameters, fee, and a worked example of $100 at 500x after a "
    "move of +0.1 %). Use it for an overview or before quoting a position; for one position of your own "
    "call quote_position_outcome. markPriceUsd is Hyperliquid's last close; the exchange itself fills and "
    "marks at midPriceUsd. Where a source fails, its figures are null, "
    "the sparkline is left out and the win fee is assumed; freshness says so."
)

HOURS: Final = 7 * 24
"""Hours that the longest change and the sparkline reach back."""

EXAMPLE_MARGIN: Final = 100 * WAD
EXAMPLE_LEVERAGE: Final = 500
EXAMPLE_MOVE_PERCENT: Final = Decimal("0.1")


class MarketStatsArguments(WireModel):
    """Which markets, and how much of each."""

    symbol: Symbol | None = Field(default=None, description="The market; both when left out.")
    include_sparkline: bool = Field(
        default=False,
        alias="include_sparkline",
        description="Also give the hourly closes of the last 7 days (about 8 KB a market).",
    )


class StatusFlags(WireModel):
    """What the market lets traders do."""

    paused: bool = Field(description="This market, or the whole exchange, is paused.")
    close_only: bool
    openable: bool = Field(description="New positions are taken, apart from limits of size and leverage.")
    terminal: bool = Field(description="Ended for good: it marks at a frozen price.")


class Impact(WireModel):
    """What a win costs.

    Paid before the win fee, as a share of a win over a move of m (a fraction, after the deadband):
    (1 - baseRate) / (1 + 1/(rateMultiplier*m) + referenceNotionalUsd/(1e6*positionMultiplier*m)).
    """

    rate_multiplier: float
    position_multiplier: float
    base_rate: float = Field(description="Fraction of every win that is not paid.")
    reference_notional_usd: float
    deadband_bps: float = Field(description="Basis points of the entry taken off a winning move.")
    bust_buffer_bps: float = Field(description="Basis points by which a bust comes before zero equity.")
    win_fee_percent: float


class Example(WireModel):
    """A long at the present price that is closed after the move."""

    margin_usd: float
    leverage: int
    move_percent: float
    gross_usd: float = Field(description="Notional times move.")
    net_usd: float = Field(description="What is left once deadband, impact and win fee are off.")
    kept_fraction: float = Field(description="netUsd over grossUsd.")


class SparklinePoint(WireModel):
    """One hour."""

    time: str = Field(
        description="Close of the hour, ISO 8601 UTC; for the hour under way, when its price was read."
    )
    close_usd: float


class Market(WireModel):
    """One market."""

    market: str
    mark_price_usd: float | None = Field(
        description="Hyperliquid's last close. It is not what the exchange marks at, which is midPriceUsd "
        "here and called markPriceUsd by the tools about bust prices."
    )
    mid_price_usd: MarkPrice | None
    change_24h_percent: float | None
    change_7d_percent: float | None
    volume_24h_usd: float | None = Field(description="Notional opened and closed in 24 hours.")
    open_long_usd: float | None = Field(description="Notional of open longs at their entry prices.")
    open_short_usd: float | None = Field(description="Notional of open shorts at their entry prices.")
    max_leverage: int
    min_margin_usd: float
    min_notional_usd: float
    max_position_usd: float | None = Field(description="Largest notional of a position; null for no limit.")
    status: StatusFlags
    impact: Impact
    example: Example | None = Field(description="Null when there is no usable price.")
    sparkline: tuple[SparklinePoint, ...] | None = Field(
        default=None,
        exclude_if=lambda points: points is None,
        description="Oldest first; only if asked for and its source answers.",
    )


class MarketStats(WireModel):
    """The markets asked for."""

    markets: tuple[Market, ...]


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the rows of all markets need."""

    trading: TradingState
    fee: WinFee
    candles: Mapping[int, tuple[Candle, ...]]
    """By market id."""
    candles_read_ms: int
    """When the oldest of them were read."""


def find(arguments: MarketStatsArguments, sources: Sources) -> Found:
    """Read the markets asked for; all but the trading state may be missing.

    Raises:
        ToolError: when the exchange lists none of them.
        UpstreamError: when the trading state cannot be read.
    """
    symbols = SYMBOLS if arguments.symbol is None else (arguments.symbol,)
    sources.prefetch(
        exchange.trading(),
        exchange.market_stats(),
        exchange.house_history(Interval.HOUR),
        hyperevm.paper(),
        *(hyperliquid.book(symbol) for symbol in symbols),
        *(hyperliquid.candles(symbol, interval=Interval.HOUR, count=HOURS + 1) for symbol in symbols),
    )
    trading = sources.trading()
    listed = listed_markets(trading, symbols)
    candles = {market.id: _candles(market, sources) for market in listed}
    shared = _Shared(trading, win_fee(sources, trading), candles, _candles_read_ms(sources))
    rows = tuple(
        _row(market, shared, sources=sources, with_sparkline=arguments.include_sparkline) for market in listed
    )
    return Found(MarketStats(markets=rows), f"{'; '.join(map(_summary, rows))}.")


def _row(market: Instrument, shared: _Shared, *, sources: Sources, with_sparkline: bool) -> Market:
    trading = shared.trading
    candles = shared.candles[market.id]
    last = market.parse_price(f"{candles[-1].close:f}") if candles else None
    mid = sources.optional(lambda: sources.mark(market), missing="There is no midpoint where it is null.")
    price = last if mid is None else mid
    longs, shorts = _open_notional(market, sources)
    volume = sources.optional(
        lambda: _volume(market, sources), missing="There is no volume of 24 hours where it is null."
    )
    return Market(
        market=market.symbol,
        mark_price_usd=None if last is None else market.price_usd(last),
        mid_price_usd=None if mid is None else market.price_usd(mid),
        change_24h_percent=_change(candles, hours=24),
        change_7d_percent=_change(candles, hours=HOURS),
        volume_24h_usd=None if volume is None else usd(volume),
        open_long_usd=longs,
        open_short_usd=shorts,
        max_leverage=market.max_leverage,
        min_margin_usd=usd(trading.minimum_margin),
        min_notional_usd=usd(trading.minimum_open_notional),
        max_position_usd=usd(market.max_position_notional) if market.max_position_notional else None,
        status=_status(market, trading),
        impact=_impact(market, shared.fee),
        example=None if price is None else _example(market, entry=price, fee=shared.fee),
        sparkline=_sparkline(market, candles, read_ms=shared.candles_read_ms) if with_sparkline else None,
    )


def _candles(market: Instrument, sources: Sources) -> tuple[Candle, ...]:
    candles = sources.optional(
        lambda: sources.candles(market.symbol, interval=Interval.HOUR, count=HOURS + 1),
        missing="There are no last price, changes and sparkline where they are null or left out.",
    )
    return candles or ()


def _candles_read_ms(sources: Sources) -> int:
    read = (row.fetched_at_ms for row in sources.freshness().sources if row.name == "hyperliquid.candles")
    return next(read, None) or sources.clock.now_ms()


def _change(candles: tuple[Candle, ...], *, hours: int) -> float | None:
    """Percent from the close so many hours before the newest one; None when there is none."""
    if not candles:
        return None
    then_ms = candles[-1].open_ms - hours * Interval.HOUR.width_ms
    then = next((candle for candle in candles if candle.open_ms == then_ms), None)
    if then is None:
        return None
    return percent(Fraction(candles[-1].close) / Fraction(then.close) - 1)


def _volume(market: Instrument, sources: Sources) -> int:
    row = sources.market_stats().markets.get(market.id)
    if row is None:
        raise unexpected("exchange.market_stats", f"leaves out {market.symbol}")
    return row.volume_24h


def _open_notional(market: Instrument, sources: Sources) -> tuple[float | None, float | None]:
    """Dollars of open longs and of open shorts, as the house's book has them now."""
    book = sources.optional(
        lambda: book_of(house_past(sources, Interval.HOUR), market.symbol),
        missing="There are no open long and short notional where they are null.",
    )
    return (None, None) if book is None else (usd(book.longs), usd(book.shorts))


def _status(market: Instrument, trading: TradingState) -> StatusFlags:
    return StatusFlags(
        paused=trading.trading_paused or market.paused,
        close_only=market.close_only,
        openable=market.openable(trading_paused=trading.trading_paused),
        terminal=market.terminal,
    )


def _impact(market: Instrument, fee: WinFee) -> Impact:
    return Impact(
        rate_multiplier=_plain(market.rate_multiplier),
        position_multiplier=_plain(market.position_multiplier),
        base_rate=_plain(market.base_rate),
        reference_notional_usd=usd(market.reference_notional),
        deadband_bps=10_000 / DEADBAND_DIVISOR,
        bust_buffer_bps=_plain(10_000 * market.bust_buffer),
        win_fee_percent=fee.percent,
    )


def _plain(amount: int) -> float:
    return to_float(amount, WAD, digits=SHARE_DIGITS)


def _example(market: Instrument, *, entry: int, fee: WinFee) -> Example | None:
    """The worked example from an entry price; None when the contract could not hold that price."""
    bust = bust_price(entry, leverage=EXAMPLE_LEVERAGE, side=Side.LONG, bust_buffer=market.bust_buffer)
    try:
        settlement = settle(
            market,
            side=Side.LONG,
            margin=EXAMPLE_MARGIN,
            leverage=EXAMPLE_LEVERAGE,
            entry=entry,
            bust=bust,
            exit_price=exit_price(entry, move_percent=EXAMPLE_MOVE_PERCENT),
            win_fee_rate=fee.rate,
        )
    except PriceOutOfRangeError:
        return None
    gross = EXAMPLE_MARGIN * EXAMPLE_LEVERAGE * Fraction(EXAMPLE_MOVE_PERCENT) / 100
    return Example(
        margin_usd=usd(EXAMPLE_MARGIN),
        leverage=EXAMPLE_LEVERAGE,
        move_percent=float(EXAMPLE_MOVE_PERCENT),
        gross_usd=to_float(gross, WAD, digits=USD_DIGITS),
        net_usd=usd(settlement.net),
        kept_fraction=to_float(settlement.net / gross, digits=SHARE_DIGITS),
    )


def _sparkline(
    market: Instrument, candles: tuple[Candle, ...], *, read_ms: int
) -> tuple[SparklinePoint, ...] | None:
    points = tuple(
        SparklinePoint(
            time=iso(min(candle.open_ms + Interval.HOUR.width_ms, read_ms)),
            close_usd=market.price_usd(market.parse_price(f"{candle.close:f}")),
        )
        for candle in candles
    )
    return points or None


def _summary(row: Market) -> str:
    parts = ["price unknown" if row.mark_price_usd is None else f"last price {dollars(row.mark_price_usd)}"]
    if row.change_24h_percent is not None:
        parts.append(f"{change(row.change_24h_percent)} in 24 h")
    if row.change_7d_percent is not None:
        parts.append(f"{change(row.change_7d_percent)} in 7 d")
    if row.volume_24h_usd is not None:
        parts.append(f"volume {money(row.volume_24h_usd)} in 24 h")
    if row.open_long_usd is not None and row.open_short_usd is not None:
        longs, shorts = money(row.open_long_usd), money(row.open_short_usd)
        parts.append(f"open notional {longs} long and {shorts} short")
    if not row.status.openable:
        parts.append("not open to new positions")
    return f"{row.market} {', '.join(parts)}"


TOOL: Final = reading_tool(
    find,
    server=SLUG,
    name="get_market_stats",
    title="Market stats",
    description=DESCRIPTION,
    arguments=MarketStatsArguments,
    figures=MarketStats,
)
