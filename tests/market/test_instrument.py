"""A market's status, caps and prices."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.instrument import (
    UNCAPPED_FROM,
    Instrument,
    Side,
    Status,
    coins_to_usd,
    mid_price,
    usd_to_coins,
)
from papertrade_site.market.scale import WAD, usd


@pytest.mark.parametrize(
    ("bid", "ask", "mid"),
    [(830650, 830661, 830655), (830650, 830660, 830655), (0, 1, 0), (2**64 - 1, 2**64 - 1, 2**64 - 1)],
)
def test_the_mid_is_truncated_to_the_tick(bid: int, ask: int, mid: int) -> None:
    assert mid_price(bid, ask) == mid


def test_each_side_is_the_others_opposite() -> None:
    assert [side.other for side in Side] == [Side.SHORT, Side.LONG]


@pytest.mark.parametrize(
    ("flags", "trading_paused", "status"),
    [
        ({"retired", "terminal", "paused", "close_only"}, True, Status.RETIRED),
        ({"terminal", "paused", "close_only"}, True, Status.TERMINAL),
        ({"paused", "close_only"}, False, Status.PAUSED),
        ({"active", "close_only"}, True, Status.PAUSED),
        ({"active", "close_only"}, False, Status.CLOSE_ONLY),
        ({"active"}, False, Status.ACTIVE),
        (set(), False, Status.INACTIVE),
    ],
)
def test_the_strongest_restriction_names_the_status(
    btc: Instrument, flags: set[str], trading_paused: bool, status: Status
) -> None:
    market = replace(
        btc,
        active="active" in flags,
        paused="paused" in flags,
        terminal="terminal" in flags,
        retired="retired" in flags,
        close_only="close_only" in flags,
    )
    assert market.status(trading_paused=trading_paused) is status
    assert market.openable(trading_paused=trading_paused) is (status is Status.ACTIVE)


@pytest.mark.parametrize(
    ("terminal", "bid", "ask", "mid"),
    [
        (True, 830650, 830661, 830655),
        (False, 830650, 830661, None),
        (True, None, 830661, None),
        (True, 830650, None, None),
    ],
)
def test_only_a_terminal_market_with_both_prices_marks_at_a_frozen_mid(
    btc: Instrument, terminal: bool, bid: int | None, ask: int | None, mid: int | None
) -> None:
    assert replace(btc, terminal=terminal, frozen_bid=bid, frozen_ask=ask).frozen_mid == mid


@pytest.mark.parametrize(
    ("raw", "cap"),
    [(2**128 - 1, None), (UNCAPPED_FROM, None), (UNCAPPED_FROM - 1, UNCAPPED_FROM - 1), (1, 1), (0, None)],
)
def test_a_cap_of_nothing_or_past_the_sentinel_means_no_cap(
    btc: Instrument, raw: int, cap: int | None
) -> None:
    assert replace(btc, long_cap=raw).cap(Side.LONG) == cap
    assert replace(btc, short_cap=raw).cap(Side.SHORT) == cap


def test_each_side_has_its_own_open_interest(btc: Instrument) -> None:
    assert btc.open_interest(Side.LONG) == 23590192866625362236353
    assert btc.open_interest(Side.SHORT) == 18109832138345653207981


def test_recorded_open_interest_is_worth_what_was_published(btc: Instrument) -> None:
    long = coins_to_usd(btc.long_oi, price=830655, price_scale=btc.price_scale)
    short = coins_to_usd(btc.short_oi, price=830655, price_scale=btc.price_scale)
    assert usd(long) == pytest.approx(1.960e9, rel=0.001)
    assert usd(short) == pytest.approx(1.504e9, rel=0.001)


def test_a_price_is_read_and_shown_at_the_markets_tick(btc: Instrument) -> None:
    eth = replace(btc, price_scale=100)
    assert (btc.parse_price("83065.5"), eth.parse_price("2512.15")) == (830655, 251215)
    assert (btc.price_usd(830655), eth.price_usd(251215)) == (83065.5, 2512.15)


@pytest.mark.parametrize(
    ("scale", "raw", "text"),
    [
        (10, 830655, "83065.5"),
        (100, 251205, "2512.05"),
        (100, 7, "0.07"),
        (1, 83065, "83065"),
        (10, 2**64 - 1, "1844674407370955161.5"),
    ],
)
def test_a_price_is_written_with_every_digit_of_its_tick(
    btc: Instrument, scale: int, raw: int, text: str
) -> None:
    market = replace(btc, price_scale=scale)
    assert market.price_text(raw) == text
    assert market.parse_price(text) == raw


@given(coins=st.integers(0, 10**26), price=st.integers(WAD, 10**21))
def test_coins_survive_the_way_to_dollars_and_back_when_the_price_is_fine_enough(
    coins: int, price: int
) -> None:
    dollars = coins_to_usd(coins, price=price, price_scale=10)
    assert abs(usd_to_coins(dollars, price=price, price_scale=10) - coins) <= 1


def test_dollars_become_the_nearest_amount_of_coins() -> None:
    assert usd_to_coins(2, price=3, price_scale=1) == 1
    assert usd_to_coins(1, price=3, price_scale=1) == 0
    assert usd_to_coins(830655 * WAD // 10, price=830655, price_scale=10) == WAD
