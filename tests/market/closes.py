"""Closing positions by the venue's rules."""

from __future__ import annotations

from papertrade_site.market.bust import bust_price
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import WAD
from papertrade_site.market.settlement import Settlement, settle

WIN_FEE_RATE = 2 * 10**16
ENTRIES = {"BTC": 830655, "ETH": 251215}
MILLION = 1_000_000
MAX_RAW_PRICE = 2**64 - 1


def close(
    instrument: Instrument,
    exit_price: int,
    *,
    side: Side = Side.LONG,
    entry: int = MILLION,
    margin: int = 100 * WAD,
    leverage: int = 100,
) -> Settlement:
    """Close a position that was opened by the venue's rules."""
    return settle(
        instrument,
        side=side,
        margin=margin,
        leverage=leverage,
        entry=entry,
        bust=bust_price(entry, leverage=leverage, side=side, bust_buffer=instrument.bust_buffer),
        exit_price=exit_price,
        win_fee_rate=WIN_FEE_RATE,
    )
