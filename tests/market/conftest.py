"""The two markets as recorded on 2026-10-10, a position factory, and random books of positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import settings, strategies as st
from hypothesis.strategies import SearchStrategy

from papertrade_site.market.bust import bust_price
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

BTC = Instrument(
    id=0,
    symbol="BTC",
    asset_index=0,
    price_scale=10,
    active=True,
    paused=False,
    terminal=False,
    retired=False,
    close_only=False,
    frozen_bid=None,
    frozen_ask=None,
    paused_at_ms=None,
    rate_multiplier=15_000 * WAD,
    position_multiplier=814_598 * 10**15,
    max_leverage=1000,
    max_position_notional=10_000_000 * WAD,
    bust_buffer=476041580087574,
    base_rate=WAD // 10,
    reference_notional=100_000 * WAD,
    long_oi=23590192866625362236353,
    short_oi=18109832138345653207981,
    long_cap=1207459685939735687074747,
    short_cap=1207459685939735687074747,
)
ETH = replace(
    BTC,
    id=1,
    symbol="ETH",
    asset_index=1,
    price_scale=100,
    position_multiplier=483_979 * 10**15,
    bust_buffer=481304050180130,
    long_oi=801888041618533102629272,
    short_oi=687966580469056106171688,
    long_cap=40032826918072819712163974,
    short_cap=40032826918072819712163974,
)

BTC_MARK = 830655


@pytest.fixture(scope="session")
def btc() -> Instrument:
    return BTC


@pytest.fixture(scope="session")
def markets() -> Mapping[str, Instrument]:
    return {"BTC": BTC, "ETH": ETH}


def _position(
    *, side: Side = Side.LONG, bust: int = 822740, margin: int = 100 * WAD, leverage: int = 100
) -> Position:
    return Position(
        id="1",
        wallet="0x" + "0" * 40,
        instrument_id=0,
        side=side,
        margin=margin,
        leverage=leverage,
        entry=BTC_MARK,
        bust=bust,
        opened_at_ms=0,
    )


@pytest.fixture(scope="session")
def make_position() -> Callable[..., Position]:
    """Make a BTC position, 100x long on $100 unless told."""
    return _position


@st.composite
def _opened_positions(draw: st.DrawFn) -> Position:
    side = draw(st.sampled_from(Side))
    entry = draw(st.integers(BTC_MARK * 9 // 10, BTC_MARK * 11 // 10))
    leverage = draw(st.integers(1, 1000))
    return replace(
        _position(side=side, margin=draw(st.integers(10 * WAD, 10_000 * WAD)), leverage=leverage),
        entry=entry,
        bust=bust_price(entry, leverage=leverage, side=side, bust_buffer=BTC.bust_buffer),
    )


@pytest.fixture(scope="session")
def books() -> SearchStrategy[list[Position]]:
    """Draw BTC books around the mark of 83,065.5; the mark has already crossed some of the positions."""
    return st.lists(_opened_positions(), max_size=30)
