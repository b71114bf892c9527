"""What several tools need of the venue in the same way: a market by name, the fee on wins, wallets' pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from papertrade_site.figures.text import number
from papertrade_site.figures.wire import Symbol
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.scale import WAD, percent
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.sources import Sources

ASSUMED_WIN_FEE_RATE: Final = 2 * 10**16
"""The fee of the venue's first weeks, at 10^18; used when nobody states the present one."""


@dataclass(frozen=True, slots=True)
class WinFee:
    """The share of a win that is taken as a fee, at 10^18, and whether it is only assumed."""

    rate: int
    assumed: bool = False

    @property
    def percent(self) -> float:
        """The rate in percent."""
        return percent(Fraction(self.rate, WAD))


def listed_market(trading: TradingState, symbol: Symbol) -> Instrument:
    """The market of a symbol.

    Raises:
        ToolError: naming the markets that there are, when the venue does not list it.
    """
    (market,) = listed_markets(trading, [symbol])
    return market


def listed_markets(trading: TradingState, symbols: Sequence[Symbol]) -> tuple[Instrument, ...]:
    """Those markets of some symbols that the venue lists.

    Raises:
        ToolError: naming the markets that there are, when it lists none of these.
    """
    listed = tuple(market for symbol in symbols if (market := trading.market(symbol)) is not None)
    if not listed:
        raise ToolError(_absence(trading, symbols))
    return listed


def explorer_url(wallet: str) -> str:
    """The public page of a wallet in the chain's explorer."""
    return f"https://hyperevmscan.io/address/{wallet}"


def win_fee(sources: Sources, trading: TradingState) -> WinFee:
    """The fee on wins: the contract's own, else what the trading state says, else an assumed one.

    The last degrades the result, with a note.
    """

    def on_chain() -> int:
        rate = sources.paper().win_fee_rate
        if rate is None:
            raise unexpected("hyperevm.paper", "holds no win fee")
        return rate

    if trading.win_fee_rate is None:
        assumed = WinFee(ASSUMED_WIN_FEE_RATE, assumed=True)
        missing = f"A win fee of {number(assumed.percent)} % is assumed."
        rate = sources.optional(on_chain, missing=missing)
        return assumed if rate is None else WinFee(rate)
    try:
        return WinFee(on_chain())
    except UpstreamError:
        return WinFee(trading.win_fee_rate)


def _absence(trading: TradingState, symbols: Sequence[Symbol]) -> str:
    listed = " and ".join(market.symbol for market in trading.instruments) or "no market at all"
    return f"The exchange does not list {' or '.join(symbols)} now; it lists {listed}. Try again later."
