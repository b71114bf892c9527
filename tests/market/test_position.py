"""An open position's exposure."""

from __future__ import annotations

from collections.abc import Callable

from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD


def test_notional_is_margin_times_leverage(make_position: Callable[..., Position]) -> None:
    assert make_position(margin=250 * WAD, leverage=50).notional == 12_500 * WAD
