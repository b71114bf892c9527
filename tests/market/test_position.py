"""An open position's exposure, and whether it can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from papertrade_site.market.bust import bust_price
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD


def test_notional_is_margin_times_leverage(make_position: Callable[..., Position]) -> None:
    assert make_position(margin=250 * WAD, leverage=50).notional == 12_500 * WAD


@pytest.mark.parametrize(
    ("leverage", "side", "bust", "can_be"),
    [
        (50, Side.LONG, 999, True),
        (50, Side.LONG, 1000, True),
        (50, Side.LONG, 1001, False),
        (50, Side.SHORT, 1001, True),
        (50, Side.SHORT, 1000, True),
        (50, Side.SHORT, 999, False),
        (1, Side.LONG, 0, True),
        (2, Side.LONG, 0, False),
        (1, Side.SHORT, 0, False),
        (0, Side.LONG, 999, False),
        (1000, Side.LONG, 999, True),
        (1001, Side.LONG, 999, False),
    ],
)
def test_a_position_busts_on_its_losing_side_at_a_leverage_that_there_is(
    make_position: Callable[..., Position], leverage: int, side: Side, bust: int, can_be: bool
) -> None:
    assert replace(make_position(leverage=leverage), side=side, entry=1000, bust=bust).can_be is can_be


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("entry", [2, 3, 999, 1000, 1001, 25_121, 830_655, 10**12 + 7])
def test_whatever_the_contract_rounds_off_its_own_bust_price_can_be(
    make_position: Callable[..., Position], side: Side, entry: int
) -> None:
    for leverage in (1, 2, 999, 1000):
        bust = bust_price(entry, leverage=leverage, side=side, bust_buffer=481304050180130)
        position = make_position(leverage=leverage)
        assert replace(position, side=side, entry=entry, bust=bust).can_be
