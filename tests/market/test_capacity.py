"""How much may still be opened, and which limit says so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.capacity import Capacity, Limit, cap_fill, open_capacity, open_interest_headroom
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import WAD

MARK = 830655


def nearly_full(btc: Instrument, side: Side) -> Instrument:
    """Leave one coin of room on a side."""
    if side is Side.LONG:
        return replace(btc, long_cap=btc.long_oi + WAD)
    return replace(btc, short_cap=btc.short_oi + WAD)


def test_a_roomy_market_is_bound_by_the_largest_position(btc: Instrument) -> None:
    capacity = open_capacity(btc, Side.LONG, leverage=100, mark=MARK)
    assert capacity == Capacity(100_000 * WAD, Limit.POSITION)


def test_leverage_above_the_markets_leaves_no_room(btc: Instrument) -> None:
    assert open_capacity(btc, Side.LONG, leverage=2000, mark=MARK) == Capacity(0, Limit.LEVERAGE)
    assert open_capacity(btc, Side.LONG, leverage=1000, mark=MARK) == Capacity(10_000 * WAD, Limit.POSITION)


@pytest.mark.parametrize(
    ("side", "limit"),
    [(Side.LONG, Limit.LONG_OPEN_INTEREST), (Side.SHORT, Limit.SHORT_OPEN_INTEREST)],
)
def test_one_coin_of_room_on_a_side_bounds_the_margin(btc: Instrument, side: Side, limit: Limit) -> None:
    market = nearly_full(btc, side)
    assert open_interest_headroom(market, side, mark=MARK) == 83_065_500 * WAD // 1000
    assert open_capacity(market, side, leverage=10, mark=MARK) == Capacity(8_306_550 * WAD // 1000, limit)
    assert open_capacity(market, side.other, leverage=10, mark=MARK).limit is Limit.POSITION


def test_a_side_over_its_cap_takes_nothing(btc: Instrument) -> None:
    market = replace(btc, long_cap=btc.long_oi - 1)
    assert open_capacity(market, Side.LONG, leverage=10, mark=MARK) == Capacity(0, Limit.LONG_OPEN_INTEREST)


def test_side_caps_are_left_out_without_a_mark(btc: Instrument) -> None:
    market = nearly_full(btc, Side.LONG)
    assert open_capacity(market, Side.LONG, leverage=10, mark=None) == Capacity(
        1_000_000 * WAD, Limit.POSITION
    )


def test_a_market_without_limits_has_none_to_name(btc: Instrument) -> None:
    market = replace(btc, max_position_notional=0, long_cap=2**128 - 1)
    assert open_capacity(market, Side.LONG, leverage=10, mark=MARK) == Capacity(None, None)
    assert open_capacity(market, Side.LONG, leverage=10, mark=None) == Capacity(None, None)


def test_the_side_cap_binds_alone_when_positions_are_unbounded(btc: Instrument) -> None:
    market = replace(nearly_full(btc, Side.LONG), max_position_notional=0)
    capacity = open_capacity(market, Side.LONG, leverage=1, mark=MARK)
    assert capacity == Capacity(83_065_500 * WAD // 1000, Limit.LONG_OPEN_INTEREST)


def test_the_largest_position_is_named_when_both_limits_bind_alike(btc: Instrument) -> None:
    one_coin = 83_065_500 * WAD // 1000
    market = replace(nearly_full(btc, Side.LONG), max_position_notional=one_coin)
    assert open_capacity(market, Side.LONG, leverage=1, mark=MARK) == Capacity(one_coin, Limit.POSITION)


def test_even_the_smallest_limit_counts(btc: Instrument) -> None:
    market = replace(btc, max_position_notional=1, long_cap=0)
    assert open_capacity(market, Side.LONG, leverage=1, mark=MARK) == Capacity(1, Limit.POSITION)
    assert open_interest_headroom(market, Side.LONG, mark=MARK, max_net_oi=1) == 0


def test_a_bound_on_net_open_interest_counts_from_the_other_side(btc: Instrument) -> None:
    market = replace(btc, long_oi=5 * WAD, short_oi=3 * WAD, long_cap=2**128 - 1, short_cap=10 * WAD)
    max_net_oi = 4 * 83_065_500 * WAD // 1000
    assert open_interest_headroom(market, Side.LONG, mark=MARK, max_net_oi=max_net_oi) == (
        2 * 83_065_500 * WAD // 1000
    )
    assert open_interest_headroom(market, Side.SHORT, mark=MARK, max_net_oi=max_net_oi) == (
        6 * 83_065_500 * WAD // 1000
    )


def test_the_tighter_of_net_bound_and_side_cap_applies(btc: Instrument) -> None:
    market = replace(btc, long_oi=5 * WAD, short_oi=3 * WAD, long_cap=6 * WAD)
    roomy, tight = (coins * 83_065_500 * WAD // 1000 for coins in (40, 3))
    assert open_interest_headroom(market, Side.LONG, mark=MARK, max_net_oi=roomy) == 83_065_500 * WAD // 1000
    assert (
        open_capacity(market, Side.LONG, leverage=10, mark=MARK, max_net_oi=tight).max_margin
        == 83_065_500 * WAD // 10_000
    )


def test_an_uncapped_side_has_no_headroom_to_state(btc: Instrument) -> None:
    assert open_interest_headroom(replace(btc, long_cap=0), Side.LONG, mark=MARK) is None


@given(
    leverages=st.tuples(st.integers(1, 1100), st.integers(1, 1100)),
    room=st.integers(0, 10**24),
    side=st.sampled_from(Side),
)
def test_more_leverage_never_allows_more_margin(
    btc: Instrument, leverages: tuple[int, int], room: int, side: Side
) -> None:
    market = replace(btc, long_cap=btc.long_oi + room, short_cap=btc.short_oi + room)
    lower, higher = (
        open_capacity(market, side, leverage=leverage, mark=MARK).max_margin for leverage in sorted(leverages)
    )
    assert lower is not None
    assert higher is not None
    assert lower >= higher


@given(rooms=st.tuples(st.integers(0, 10**24), st.integers(0, 10**24)), leverage=st.integers(1, 1000))
def test_more_room_on_a_side_never_allows_less_margin(
    btc: Instrument, rooms: tuple[int, int], leverage: int
) -> None:
    less, more = (
        open_capacity(replace(btc, long_cap=btc.long_oi + room), Side.LONG, leverage=leverage, mark=MARK)
        for room in sorted(rooms)
    )
    assert less.max_margin is not None
    assert more.max_margin is not None
    assert less.max_margin <= more.max_margin


@given(leverage=st.integers(1, 1000), room=st.integers(1, 10**24))
def test_a_position_of_the_largest_margin_fits_every_limit(btc: Instrument, leverage: int, room: int) -> None:
    market = replace(btc, long_cap=btc.long_oi + room)
    margin = open_capacity(market, Side.LONG, leverage=leverage, mark=MARK).max_margin
    assert margin is not None
    assert margin * leverage <= market.max_position_notional
    assert margin * leverage * market.price_scale <= room * MARK


def test_a_caps_fill_is_coins_over_coins_on_its_own_side(btc: Instrument) -> None:
    market = replace(btc, long_oi=3 * WAD, long_cap=4 * WAD, short_oi=WAD, short_cap=8 * WAD)
    assert (cap_fill(market, Side.LONG), cap_fill(market, Side.SHORT)) == (Fraction(3, 4), Fraction(1, 8))


def test_a_cap_below_what_is_open_is_more_than_full(btc: Instrument) -> None:
    assert cap_fill(replace(btc, long_oi=3 * WAD, long_cap=2 * WAD), Side.LONG) == Fraction(3, 2)


@pytest.mark.parametrize("cap", [0, 2**128 - 1])
def test_a_side_without_a_cap_has_no_fill(btc: Instrument, cap: int) -> None:
    assert cap_fill(replace(btc, short_cap=cap), Side.SHORT) is None
