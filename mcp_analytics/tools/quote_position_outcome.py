"""``quote_position_outcome``: what a made-up position would pay after a price move."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal, NoReturn

from pydantic import Field

from mcp_analytics import SLUG
from papertrade_site.figures.text import change, dollars, money, number, share_text
from papertrade_site.figures.tool import Found, failure_text, reading_tool, refuse
from papertrade_site.figures.venue import WinFee, listed_market, win_fee
from papertrade_site.figures.wire import ExactNumber, Symbol, WireModel
from papertrade_site.market.bust import bust_price, distance
from papertrade_site.market.instrument import Instrument, Side, Status
from papertrade_site.market.scale import SHARE_DIGITS, WAD, nearest_div, percent, to_float, usd
from papertrade_site.market.settlement import (
    MAX_RAW_PRICE,
    PriceOutOfRangeError,
    Settlement,
    exit_price,
    paper_basis,
    settle,
)
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.resource import Resource
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "SIMULATION ONLY: works out what a position you describe would pay when it is closed priceMovePct "
    "percent away from its entry. It applies the contract's own steps in order: deadband "
    "(0.2 basis points taken off a win), price-impact haircut, win fee, bust price. Use it to compare "
    "leverages, sizes or moves. It cannot open anything, and it says nothing about where the price will "
    "go. A price that passes the bust price on the way and comes back is not seen: only the final price "
    "counts here. Without entryPriceUsd the entry is the current mark, halfway between the best bid and "
    "the best ask of Hyperliquid."
)

NOTICE: Final = "Simulation only: nothing was signed, sent or ordered, and a real fill may differ."


class QuoteArguments(WireModel):
    """The position and the move."""

    symbol: Symbol = Field(description="The market.")
    side: Side = Field(description="long earns when the price rises, short when it falls.")
    margin_usd: ExactNumber = Field(
        description="Margin put at risk, in US dollars.",
        json_schema_extra={"minimum": 1, "maximum": 1_000_000},
    )
    leverage: int = Field(
        ge=1,
        le=1000,
        description="How many times the margin is bet, a whole number. The market's live maximum may be "
        "lower than 1000.",
    )
    price_move_pct: ExactNumber = Field(
        description="Move of the price from the entry in percent, 0.1 for +0.1 %; a rise is positive, for "
        "a short too.",
        json_schema_extra={"minimum": -100, "maximum": 1000},
    )
    entry_price_usd: ExactNumber | None = Field(
        default=None,
        description="Entry price in US dollars, rounded to the market's tick; the current mark when left "
        "out. It must be at least as many ticks as the leverage, so at 10x 1 dollar on BTC and 10 cents on "
        "ETH.",
        json_schema_extra={"minimum": 0.01, "maximum": 90_000_000_000_000_000},
    )

    @property
    def favourable_move(self) -> Decimal:
        """The move in percent, positive when the position earns by it."""
        return self.price_move_pct if self.side is Side.LONG else -self.price_move_pct


class Quote(WireModel):
    """What the position would pay."""

    simulation: Literal[True]
    notice: str = Field(description="What to know before using these figures.")
    symbol: str
    side: Side
    margin_usd: float
    leverage: int
    notional_usd: float = Field(description="Margin times leverage.")
    entry_price_usd: float
    exit_price_usd: float = Field(
        description="Entry plus the move in dollars; that move is cut toward zero to whole ticks first."
    )
    bust_price_usd: float = Field(description="Reaching it loses the whole margin; 0 for a long at 1x.")
    bust_distance_pct: float = Field(description="From entry to bust price, in percent of the entry.")
    liquidated: bool = Field(description="Whether the exit price is at or past the bust price.")
    raw_pnl_usd: float = Field(description="Profit or loss after the deadband, before impact and fee.")
    after_impact_usd: float = Field(
        description="rawPnlUsd after the impact haircut on a win; a loss ends at the margin."
    )
    win_fee_usd: float = Field(description="Fee on a win; 0 on a loss.")
    net_pnl_usd: float = Field(description="What is won or lost in the end; -marginUsd when liquidated.")
    kept_fraction: float | None = Field(
        description="netPnlUsd over the nominal gain (notional times move), 0 to 1; null without a gain."
    )
    return_on_margin_pct: float
    paper_mint_basis_usd: float | None = Field(
        description="The loss that mints PAPER: all of it when liquidated or while winners wait for "
        "payouts, else 98 %; 0 for a win; null when the payout queue could not be read."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trade:
    """The quoted position in the contract's units."""

    market: Instrument
    arguments: QuoteArguments
    margin: int
    entry: int
    exit: int
    bust: int

    @property
    def notional(self) -> int:
        return self.margin * self.arguments.leverage

    def settle(self, fee: WinFee) -> Settlement:
        return settle(
            self.market,
            side=self.arguments.side,
            margin=self.margin,
            leverage=self.arguments.leverage,
            entry=self.entry,
            bust=self.bust,
            exit_price=self.exit,
            win_fee_rate=fee.rate,
        )


def find(arguments: QuoteArguments, sources: Sources) -> Found:
    """Quote one position.

    Raises:
        BadArgumentsError: for a leverage above the live maximum, or prices that the contract cannot hold.
        ToolError: when the exchange does not list the market, or the mark that the entry defaults to
            cannot be read.
        UpstreamError: when the trading state cannot be read.
    """
    sources.prefetch(*_needed(arguments))
    trading = sources.trading()
    market = listed_market(trading, arguments.symbol)
    _check_leverage(arguments, market, trading)
    trade = _trade(arguments, market, sources)
    fee = win_fee(sources, trading)
    settlement = _settle(trade, fee)
    notice = " ".join([NOTICE, *_warnings(trade, trading, fee)])
    basis = _paper_basis(settlement, sources)
    quote = _quote(trade, settlement, notice=notice, basis=basis)
    return Found(quote, _summary(quote))


def _needed(arguments: QuoteArguments) -> list[Resource[Any]]:
    needed: list[Resource[Any]] = [exchange.trading(), hyperevm.paper()]
    if arguments.entry_price_usd is None:
        needed.append(hyperliquid.book(arguments.symbol))
    if arguments.favourable_move < 0:
        needed.append(exchange.queue())
    return needed


def _check_leverage(arguments: QuoteArguments, market: Instrument, trading: TradingState) -> None:
    bounds = [market.max_leverage, trading.maximum_leverage or market.max_leverage]
    if arguments.leverage > min(bounds):
        problem = f"must be at most {min(bounds)}, the live maximum of {market.symbol}"
        refuse("leverage", arguments.leverage, problem)


def _trade(arguments: QuoteArguments, market: Instrument, sources: Sources) -> _Trade:
    entry = _entry(arguments, market, sources)
    bust = bust_price(entry, leverage=arguments.leverage, side=arguments.side, bust_buffer=market.bust_buffer)
    if max(entry, bust) > MAX_RAW_PRICE:
        _refuse_for_its_height(arguments, market)
    if distance(arguments.side, mark=entry, bust=bust) <= 0:
        _refuse_for_want_of_room(arguments, market, entry)
    return _Trade(
        market=market,
        arguments=arguments,
        margin=_scaled(arguments.margin_usd, WAD),
        entry=entry,
        exit=exit_price(entry, move_percent=arguments.price_move_pct),
        bust=bust,
    )


def _refuse_for_its_height(arguments: QuoteArguments, market: Instrument) -> NoReturn:
    """Refuse the entry price, where one was given, else the leverage that takes the bust price so high."""
    most = market.price_text(MAX_RAW_PRICE)
    problem = f"takes the entry or the bust price above {most}, the largest that {market.symbol} can have"
    if arguments.entry_price_usd is None:
        refuse("leverage", arguments.leverage, f"{problem}; take a higher one")
    refuse("entryPriceUsd", _plain(arguments.entry_price_usd), f"{problem}; take a lower one")


def _refuse_for_want_of_room(arguments: QuoteArguments, market: Instrument, entry: int) -> NoReturn:
    """Refuse the entry price where the leverage divides it to less than a tick, else the leverage."""
    leverage = arguments.leverage
    where = f"at {leverage}x on {market.symbol}, whose tick is {market.price_text(1)} USD"
    if arguments.entry_price_usd is None or entry >= leverage:
        refuse("leverage", leverage, f"leaves no room for a loss {where}; take a lower one")
    refuse(
        "entryPriceUsd",
        _plain(arguments.entry_price_usd),
        f"is too small: no bust price fits on its losing side {where}; it must be at least "
        f"{market.price_text(leverage)}",
    )


def _entry(arguments: QuoteArguments, market: Instrument, sources: Sources) -> int:
    if arguments.entry_price_usd is None:
        return _mark(market, sources)
    return _scaled(arguments.entry_price_usd, market.price_scale)


def _mark(market: Instrument, sources: Sources) -> int:
    try:
        return sources.mark(market)
    except UpstreamError as error:
        raise ToolError(f"{failure_text(error).removesuffix('.')}, or pass entryPriceUsd.") from error


def _settle(trade: _Trade, fee: WinFee) -> Settlement:
    try:
        return trade.settle(fee)
    except PriceOutOfRangeError:
        most = trade.market.price_text(MAX_RAW_PRICE)
        problem = f"must keep the price below {most}, the largest that {trade.market.symbol} can have"
        refuse("priceMovePct", _plain(trade.arguments.price_move_pct), problem)


def _paper_basis(settlement: Settlement, sources: Sources) -> int | None:
    if settlement.liquidated or settlement.net >= 0:
        return paper_basis(settlement, queue_active=False)
    missing = "Without the payout queue it is not known how much of the loss mints PAPER."
    queue = sources.optional(sources.queue, missing=missing)
    return None if queue is None else paper_basis(settlement, queue_active=queue.active)


def _warnings(trade: _Trade, trading: TradingState, fee: WinFee) -> list[str]:
    """What would keep the exchange from taking this position now, and what is not known for sure."""
    market, leverage = trade.market, trade.arguments.leverage
    warnings = []
    status = market.status(trading_paused=trading.trading_paused)
    if status is not Status.ACTIVE:
        warnings.append(f"{market.symbol} takes no new positions now ({status.replace('_', ' ')}).")
    if trade.margin < trading.minimum_margin:
        least = dollars(usd(trading.minimum_margin))
        warnings.append(f"The margin is below the exchange's minimum of {least}.")
    if trade.notional < trading.minimum_open_notional:
        least = dollars(usd(trading.minimum_open_notional))
        warnings.append(f"The notional is below the exchange's minimum of {least}.")
    if 0 < market.max_position_notional < trade.notional:
        most = dollars(usd(market.max_position_notional))
        warnings.append(f"The notional is above the market's maximum of {most}.")
    if leverage < trading.minimum_leverage:
        warnings.append(f"The leverage is below the exchange's minimum of {trading.minimum_leverage}.")
    if fee.assumed:
        warnings.append(f"A win fee of {number(fee.percent)} % is assumed, as no source states it now.")
    return warnings


def _quote(trade: _Trade, settlement: Settlement, *, notice: str, basis: int | None) -> Quote:
    arguments, market = trade.arguments, trade.market
    nominal_gain = Fraction(trade.notional) * Fraction(arguments.favourable_move) / 100
    kept = Fraction(settlement.net) / nominal_gain if nominal_gain > 0 else None
    bust_distance = Fraction(abs(trade.entry - trade.bust), trade.entry)
    return Quote(
        simulation=True,
        notice=notice,
        symbol=market.symbol,
        side=arguments.side,
        margin_usd=usd(trade.margin),
        leverage=arguments.leverage,
        notional_usd=usd(trade.notional),
        entry_price_usd=market.price_usd(trade.entry),
        exit_price_usd=market.price_usd(trade.exit),
        bust_price_usd=market.price_usd(trade.bust),
        bust_distance_pct=percent(bust_distance),
        liquidated=settlement.liquidated,
        raw_pnl_usd=usd(settlement.raw),
        after_impact_usd=usd(settlement.adjusted),
        win_fee_usd=usd(settlement.win_fee),
        net_pnl_usd=usd(settlement.net),
        kept_fraction=None if kept is None else to_float(kept, digits=SHARE_DIGITS),
        return_on_margin_pct=percent(Fraction(settlement.net, trade.margin)),
        paper_mint_basis_usd=None if basis is None else usd(basis),
    )


def _summary(quote: Quote) -> str:
    position = (
        f"a {quote.leverage}x {quote.symbol} {quote.side} on {dollars(quote.margin_usd)} margin, "
        f"entered at {dollars(quote.entry_price_usd)} and closed at {dollars(quote.exit_price_usd)},"
    )
    bust = f"bust price {dollars(quote.bust_price_usd)}"
    if quote.liquidated:
        return f"Simulation: {position} is liquidated and loses {dollars(quote.margin_usd)} ({bust})."
    net = f"{money(quote.net_pnl_usd)} ({change(quote.return_on_margin_pct)} of the margin)"
    if quote.kept_fraction is None:
        return f"Simulation: {position} nets {net}, {bust}."
    kept = f"keeps {share_text(quote.kept_fraction)} of what the move would earn"
    return f"Simulation: {position} {kept} and nets {net}, {bust}."


def _scaled(value: Decimal, scale: int) -> int:
    """A decimal as an integer at a scale, rounded to nearest."""
    numerator, denominator = value.as_integer_ratio()
    return nearest_div(numerator * scale, denominator)


def _plain(value: Decimal) -> int | float:
    """The number as the caller sent it."""
    return int(value) if value.as_tuple().exponent == 0 else float(value)


TOOL: Final = reading_tool(
    find,
    server=SLUG,
    name="quote_position_outcome",
    title="Quote a position outcome (simulation)",
    description=DESCRIPTION,
    arguments=QuoteArguments,
    figures=Quote,
    preface="Simulation: ",
)
