"""The two markets of the embedded exchange: contract parameters as recorded, and how each one behaves."""

from __future__ import annotations

from dataclasses import dataclass

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.scale import WAD

WIN_FEE_RATE = 2 * 10**16
LIQUIDATION_FEE_RATE = 2 * 10**16
MINIMUM_MARGIN = 10 * WAD
MINIMUM_NOTIONAL = 1_000 * WAD
TRADING_STARTS_AFTER_MS = 314_280_000
"""Trading opened this long after the exchange's first block (deposits came before it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketTraits:
    """A market's contract parameters (open interest left at 0) and the habits of its price and traders.

    ``anchor_usd`` is where the price is drawn back to over weeks; ``daily_volatility`` a share of the
    price; ``jump_factor`` scales the jumps that both markets share; ``open_share`` is the share of all
    orders, ``long_share`` the longs among them; ``size_factor`` scales the orders, ``hold_factor`` how long
    positions stay.
    """

    instrument: Instrument
    anchor_usd: float
    start_spread: float
    daily_volatility: float
    jump_factor: float
    open_share: float
    long_share: float
    size_factor: float
    hold_factor: float
    book_size_coins: float
    candle_coins_per_minute: float


def _instrument(
    *,
    id_: int,
    symbol: str,
    price_scale: int,
    position_multiplier: int,
    bust_buffer: int,
    cap: int,
) -> Instrument:
    return Instrument(
        id=id_,
        symbol=symbol,
        asset_index=id_,
        price_scale=price_scale,
        active=True,
        paused=False,
        terminal=False,
        retired=False,
        close_only=False,
        frozen_bid=None,
        frozen_ask=None,
        paused_at_ms=None,
        rate_multiplier=15_000 * WAD,
        position_multiplier=position_multiplier,
        max_leverage=1_000,
        max_position_notional=10_000_000 * WAD,
        bust_buffer=bust_buffer,
        base_rate=WAD // 10,
        reference_notional=100_000 * WAD,
        long_oi=0,
        short_oi=0,
        long_cap=cap,
        short_cap=cap,
    )


BTC = MarketTraits(
    instrument=_instrument(
        id_=0,
        symbol="BTC",
        price_scale=10,
        position_multiplier=814_598 * 10**15,
        bust_buffer=476_041_580_087_574,
        cap=1_207_459_685_939_735_687_074_747,
    ),
    anchor_usd=85_000.0,
    start_spread=0.02,
    daily_volatility=0.02,
    jump_factor=1.0,
    open_share=0.78,
    long_share=0.55,
    size_factor=1.0,
    hold_factor=0.8,
    book_size_coins=1.6,
    candle_coins_per_minute=24.0,
)
ETH = MarketTraits(
    instrument=_instrument(
        id_=1,
        symbol="ETH",
        price_scale=100,
        position_multiplier=483_979 * 10**15,
        bust_buffer=481_304_050_180_130,
        cap=40_032_826_918_072_819_712_163_974,
    ),
    anchor_usd=2_500.0,
    start_spread=0.02,
    daily_volatility=0.03,
    jump_factor=1.5,
    open_share=0.22,
    long_share=0.53,
    size_factor=1.5,
    hold_factor=2.6,
    book_size_coins=40.0,
    candle_coins_per_minute=700.0,
)
MARKETS = (BTC, ETH)
"""All markets, each at the index that is its instrument id."""
