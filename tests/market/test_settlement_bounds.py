"""What a close mints, and prices, moves and impacts at the edges of what the contract can hold."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import WAD
from papertrade_site.market.settlement import (
    PriceOutOfRangeError,
    Settlement,
    effective_move,
    exit_price,
    keep_share,
    paper_basis,
)
from tests.market.closes import MAX_RAW_PRICE, MILLION, close


@pytest.mark.parametrize(
    ("exit_at", "queue_active", "basis"),
    [
        (995_000, False, 49 * WAD),
        (995_000, True, 50 * WAD),
        (980_000, False, 100 * WAD),
        (980_000, True, 100 * WAD),
        (1_010_000, False, 0),
        (1_010_000, True, 0),
        (1_000_000, False, 0),
    ],
)
def test_paper_is_minted_on_losses_alone(
    btc: Instrument, exit_at: int, queue_active: bool, basis: int
) -> None:
    assert paper_basis(close(btc, exit_at), queue_active=queue_active) == basis


@pytest.mark.parametrize(
    ("entry", "percent", "exit_at"),
    [
        (1_000_000, "0", 1_000_000),
        (1_000_000, "-100", 0),
        (251_215, "-0.5", 249_959),
        (999_999, "0.00009", 999_999),
        (999_999, "-0.00009", 999_999),
    ],
)
def test_an_exit_price_is_truncated_toward_the_entry(entry: int, percent: str, exit_at: int) -> None:
    assert exit_price(entry, move_percent=Decimal(percent)) == exit_at


@pytest.mark.parametrize(
    ("entry", "exit_at"),
    [(0, 1), (-1, 1), (MAX_RAW_PRICE + 1, 1), (1, -1), (1, MAX_RAW_PRICE + 1), (100_000, MAX_RAW_PRICE - 1)],
)
def test_a_price_outside_the_contracts_range_is_refused(entry: int, exit_at: int) -> None:
    with pytest.raises(PriceOutOfRangeError, match="outside the contract's price range"):
        effective_move(Side.LONG, entry=entry, exit_price=exit_at)


@pytest.mark.parametrize(
    ("entry", "exit_at", "move"),
    [
        (1, 0, -1),
        (MAX_RAW_PRICE, 1, 1 - MAX_RAW_PRICE),
        (100_000, MAX_RAW_PRICE - 2, MAX_RAW_PRICE - 100_004),
    ],
)
def test_the_edges_of_the_contracts_range_are_allowed(entry: int, exit_at: int, move: int) -> None:
    assert effective_move(Side.LONG, entry=entry, exit_price=exit_at) == move


@pytest.mark.parametrize(
    ("rate_multiplier", "position_multiplier", "reference_notional", "move"),
    [
        (WAD, WAD, WAD, 0),
        (0, WAD, WAD, 1000),
        (WAD, 0, WAD, 1000),
        (1, WAD, WAD, MILLION // 2),
        (1, WAD, WAD, MILLION),
        (WAD, 1, 10**42, MILLION),
        (WAD, 1, 10**44, MILLION),
    ],
)
def test_nothing_of_a_win_is_kept_when_its_impact_is_beyond_bounds(
    btc: Instrument, rate_multiplier: int, position_multiplier: int, reference_notional: int, move: int
) -> None:
    instrument = replace(
        btc,
        rate_multiplier=rate_multiplier,
        position_multiplier=position_multiplier,
        reference_notional=reference_notional,
    )
    assert keep_share(move, entry=MILLION, instrument=instrument) == 0


def test_the_impact_truncates_even_a_win_of_one_unit(btc: Instrument) -> None:
    assert close(btc, 1_010_020, margin=100, leverage=1) == Settlement(1, 0, 0, 0, liquidated=False)
