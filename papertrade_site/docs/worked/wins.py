"""What a win pays: deadband, impact and fee, taken off one long."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from papertrade_site.docs.worked.figures import ENTRY_USD, LEVERAGE, MARGIN_USD, percent, price
from papertrade_site.figures.text import dollars, number
from papertrade_site.figures.venue import WinFee
from papertrade_site.market.bust import bust_price
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import WAD, to_float, usd
from papertrade_site.market.settlement import (
    Settlement,
    effective_move,
    exit_price,
    keep_share,
    settle,
)

MOVE_PERCENT: Final = Decimal(1)
MOVES_PERCENT: Final = tuple(map(Decimal, ("0.01", "0.05", "0.1", "0.5", "1", "2", "5")))


@dataclass(frozen=True, slots=True)
class WinRow:
    """What a long keeps of one move, in dollars; shares in percent of notional times move."""

    move_percent: str
    exit: str
    counted: str
    gross: str
    raw: str
    kept_by_impact_percent: str
    after_impact: str
    fee: str
    net: str
    kept_percent: str


def win_row(market: Instrument, fee: WinFee, move: Decimal = MOVE_PERCENT) -> WinRow:
    """What a long of ``MARGIN_USD`` at ``LEVERAGE`` from ``ENTRY_USD`` keeps of a rise."""
    entry = ENTRY_USD * market.price_scale
    at = exit_price(entry, move_percent=move)
    settled = _settled(market, fee, entry=entry, exit_at=at)
    counted = effective_move(Side.LONG, entry=entry, exit_price=at)
    keep = keep_share(counted, entry=entry, instrument=market)
    gross = MARGIN_USD * LEVERAGE * Fraction(move) / 100
    return WinRow(
        move_percent=number(float(move)),
        exit=price(market, at),
        counted=price(market, counted),
        gross=dollars(to_float(gross, digits=2)),
        raw=dollars(usd(settled.raw)),
        kept_by_impact_percent=percent(Fraction(keep, WAD), digits=2),
        after_impact=dollars(usd(settled.adjusted)),
        fee=dollars(usd(settled.win_fee)),
        net=dollars(usd(settled.net)),
        kept_percent=percent(Fraction(settled.net, WAD) / gross, digits=2),
    )


def win_rows(market: Instrument, fee: WinFee) -> tuple[WinRow, ...]:
    """The same for each of ``MOVES_PERCENT``."""
    return tuple(win_row(market, fee, move) for move in MOVES_PERCENT)


def _settled(market: Instrument, fee: WinFee, *, entry: int, exit_at: int) -> Settlement:
    return settle(
        market,
        side=Side.LONG,
        margin=MARGIN_USD * WAD,
        leverage=LEVERAGE,
        entry=entry,
        bust=bust_price(entry, leverage=LEVERAGE, side=Side.LONG, bust_buffer=market.bust_buffer),
        exit_price=exit_at,
        win_fee_rate=fee.rate,
    )
