"""How much may be opened on a side of a market now, and which limit says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from papertrade_site.market.instrument import Instrument, Side, coins_to_usd


class Limit(StrEnum):
    """The rule that bounds a new position, in the venue's own words."""

    LEVERAGE = "leverage_above_market_max"
    POSITION = "max_position_notional"
    LONG_OPEN_INTEREST = "long_open_interest_cap"
    SHORT_OPEN_INTEREST = "short_open_interest_cap"


@dataclass(frozen=True, slots=True)
class Capacity:
    """The largest margin for a new position, dollars at 10^18, and the limit that binds; None for none."""

    max_margin: int | None
    limit: Limit | None


def open_interest_headroom(
    instrument: Instrument, side: Side, *, mark: int, max_net_oi: int = 0
) -> int | None:
    """Dollars at 10^18 of notional that a side can still take at the mark, or None when it has no cap.

    ``mark`` is a raw price above 0. ``max_net_oi`` is the venue's bound on long minus short in dollars at
    10^18, 0 for none; it is turned into coins at the mark, and the tighter of it and the side's own cap
    applies.
    """
    cap = instrument.cap(side)
    if max_net_oi > 0:
        net_cap = instrument.open_interest(side.other) + max_net_oi * instrument.price_scale // mark
        cap = net_cap if cap is None else min(cap, net_cap)
    if cap is None:
        return None
    free_coins = max(cap - instrument.open_interest(side), 0)
    return coins_to_usd(free_coins, price=mark, price_scale=instrument.price_scale)


def cap_fill(instrument: Instrument, side: Side) -> Fraction | None:
    """The share of a side's cap that is taken, coins over coins, so that no price moves it; None for no cap.

    Above 1 once a cap was lowered below what is open.
    """
    cap = instrument.cap(side)
    return None if cap is None else Fraction(instrument.open_interest(side), cap)


def open_capacity(
    instrument: Instrument, side: Side, *, leverage: int, mark: int | None, max_net_oi: int = 0
) -> Capacity:
    """The largest margin for a new position.

    ``leverage`` is 1 or more, ``mark`` a raw price above 0; without a mark the side caps are left out.
    ``max_net_oi``: see ``open_interest_headroom``.
    """
    if leverage > instrument.max_leverage:
        return Capacity(0, Limit.LEVERAGE)
    best = Capacity(None, None)
    if instrument.max_position_notional > 0:
        best = Capacity(instrument.max_position_notional // leverage, Limit.POSITION)
    headroom = None
    if mark is not None:
        headroom = open_interest_headroom(instrument, side, mark=mark, max_net_oi=max_net_oi)
    if headroom is not None:
        by_side = headroom // leverage
        if best.max_margin is None or by_side < best.max_margin:
            limit = Limit.LONG_OPEN_INTEREST if side is Side.LONG else Limit.SHORT_OPEN_INTEREST
            best = Capacity(by_side, limit)
    return best
