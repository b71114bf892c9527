"""What closing a position pays: deadband, impact haircut, win fee, and the floor at the margin.

Formulas: the contract's, as read in a working integration. Every division truncates toward zero.
Margins and results are dollars at 10^18, prices raw integers at the market's scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from papertrade_site.market.bust import is_crossed
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD, truncating_div

DEADBAND_DIVISOR = 50_000
"""A win counts only past ``entry div 50000``, which is 0.2 basis points."""

IMPACT_POSITION_SCALE = 1_000_000
MAX_RAW_PRICE = 2**64 - 1

LOSS_FEE_RATE = 2 * 10**16
"""2 % of a voluntary loss, taken from the LP's gain while the payout queue is empty."""


class PriceOutOfRangeError(ValueError):
    """A price, or a price moved by the deadband, does not fit the contract's 64 bits or is not above 0."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """A position's result at one price, in dollars at 10^18, before the win fee.

    ``raw`` is the profit or loss after the deadband; ``adjusted`` is ``raw`` after the impact
    haircut for a win, and floored at the margin for a loss.
    """

    raw: int
    adjusted: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a close pays, in dollars at 10^18; ``net`` is ``-margin`` when the bust price is crossed."""

    raw: int
    adjusted: int
    win_fee: int
    net: int
    liquidated: bool


def exit_price(entry: int, *, move_percent: Decimal) -> int:
    """The raw price after a signed percent move from ``entry``, truncated toward zero at the tick."""
    numerator, denominator = move_percent.as_integer_ratio()
    return entry + truncating_div(entry * numerator, 100 * denominator)


def effective_move(side: Side, *, entry: int, exit_price: int) -> int:
    """Raw price units earned (positive) or lost (negative) once the deadband is taken off a win.

    Raises:
        PriceOutOfRangeError: when a price is outside 1 to 2^64 - 1, or the exit (0 is allowed there)
            plus the deadband passes it.
    """
    deadband = entry // DEADBAND_DIVISOR
    if not 0 < entry <= MAX_RAW_PRICE or not 0 <= exit_price <= MAX_RAW_PRICE - deadband:
        raise PriceOutOfRangeError(
            f"entry {entry} or exit {exit_price} is outside the contract's price range"
        )
    gain = exit_price - entry if side is Side.LONG else entry - exit_price
    if gain <= 0:
        return gain
    return max(gain - deadband, 0)


def keep_share(move: int, *, entry: int, instrument: Instrument) -> int:
    """The part of a win that the impact haircut leaves, at 10^18; never above 0.9 of it.

    ``keep = (1 - base) / (1 + a + b)`` where ``a`` falls with the move times ``rate_multiplier`` and
    ``b`` with the move times ``position_multiplier``. It depends on the move alone, not on the size.
    The contract keeps nothing once ``a`` or ``b`` passes 10^36; the last division gives 0 by then.
    """
    move_wad = abs(move) * WAD // entry
    rate_term = move_wad * instrument.rate_multiplier // WAD
    position_term = IMPACT_POSITION_SCALE * move_wad * instrument.position_multiplier // WAD
    if rate_term == 0 or position_term == 0:
        return 0
    a = WAD * WAD // rate_term
    b = instrument.reference_notional * WAD // position_term
    return (WAD - instrument.base_rate) * WAD // (WAD + a + b)


def value(
    instrument: Instrument, *, side: Side, margin: int, leverage: int, entry: int, exit_price: int
) -> Valuation:
    """Value a position at ``exit_price``, without looking at its bust price and before the win fee.

    Raises:
        PriceOutOfRangeError: see ``effective_move``.
    """
    move = effective_move(side, entry=entry, exit_price=exit_price)
    raw = truncating_div(margin * leverage * move, entry)
    if raw <= 0:
        return Valuation(raw=raw, adjusted=max(raw, -margin))
    return Valuation(raw=raw, adjusted=raw * keep_share(move, entry=entry, instrument=instrument) // WAD)


def win_fee(adjusted: int, *, rate: int) -> int:
    """The fee on a win in dollars at 10^18, 0 on a loss; ``rate`` is a fraction at 10^18."""
    return adjusted * rate // WAD if adjusted > 0 else 0


def settle(
    instrument: Instrument,
    *,
    side: Side,
    margin: int,
    leverage: int,
    entry: int,
    bust: int,
    exit_price: int,
    win_fee_rate: int,
) -> Settlement:
    """What closing at ``exit_price`` pays, or the loss of the whole margin when that price is past the bust.

    Raises:
        PriceOutOfRangeError: see ``effective_move``.
    """
    valuation = value(
        instrument, side=side, margin=margin, leverage=leverage, entry=entry, exit_price=exit_price
    )
    if is_crossed(side, mark=exit_price, bust=bust):
        return Settlement(valuation.raw, valuation.adjusted, win_fee=0, net=-margin, liquidated=True)
    fee = win_fee(valuation.adjusted, rate=win_fee_rate)
    return Settlement(
        valuation.raw, valuation.adjusted, win_fee=fee, net=valuation.adjusted - fee, liquidated=False
    )


def settle_position(
    instrument: Instrument, position: Position, *, mark: int, win_fee_rate: int
) -> Settlement:
    """What closing an open position at the mark would pay; its ``net`` is the unrealised result."""
    return settle(
        instrument,
        side=position.side,
        margin=position.margin,
        leverage=position.leverage,
        entry=position.entry,
        bust=position.bust,
        exit_price=mark,
        win_fee_rate=win_fee_rate,
    )


def paper_basis(settlement: Settlement, *, queue_active: bool) -> int:
    """The loss in dollars at 10^18 that mints PAPER for the trader.

    The full margin when liquidated; a voluntary loss less the loss fee while the payout queue is
    empty, all of it while the queue is active; 0 for a win.
    """
    loss = max(-settlement.net, 0)
    if settlement.liquidated or queue_active:
        return loss
    return loss - loss * LOSS_FEE_RATE // WAD
