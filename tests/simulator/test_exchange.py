"""The venue's rules: what opening, closing and busting a position does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from papertrade_site.market.emission import paper_minted
from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import TradeKind, Window
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.exchange import Exchange, OrderRefusedError
from papertrade_site.simulator.markets import BTC
from papertrade_site.simulator.open_positions import OpenPositions

NOW_MS = 1_796_040_000_000


@pytest.fixture
def trader(exchange: Exchange) -> Account:
    """An account with a million dollars."""
    account = Account("0x" + "1" * 40)
    exchange.ledger.enrol(account)
    exchange.ledger.deposit(account, 1_000_000 * WAD)
    return account


def opened(
    exchange: Exchange,
    trader: Account,
    *,
    side: Side = Side.LONG,
    leverage: int = 100,
    margin: int = 100 * WAD,
) -> Position:
    """Open a BTC position at $100,000."""
    return exchange.open(
        trader,
        market=0,
        side=side,
        leverage=leverage,
        margin=margin,
        mid=1_000_000,
        now_ms=NOW_MS,
    )


def test_an_open_locks_the_margin_and_stores_the_bust_price(exchange: Exchange, trader: Account) -> None:
    position = opened(exchange, trader)
    assert (position.id, position.entry, position.bust) == ("1", 1_000_000, 990_471)
    assert (trader.free, trader.locked) == (999_900 * WAD, 100 * WAD)
    assert (exchange.volume, exchange.counters.legs, trader.volume) == (10_000 * WAD, 1, 10_000 * WAD)
    assert exchange.open_positions[0].by_id == trader.positions == {"1": position}
    assert exchange.tape.trades[-1].kind is TradeKind.OPEN


@pytest.mark.parametrize(
    ("margin", "leverage", "rule"),
    [
        (100 * WAD, 0, "leverage below 1"),
        (100 * WAD, 1_001, "leverage_above_market_max"),
        (10 * WAD - 1, 1_000, "margin below the minimum"),
        (10 * WAD, 99, "notional below the minimum"),
        (100_000 * WAD + 1, 100, "max_position_notional"),
        (1_000_001 * WAD, 1, "not enough free cash"),
    ],
)
def test_an_order_that_breaks_a_rule_is_refused_by_name(
    exchange: Exchange, trader: Account, margin: int, leverage: int, rule: str
) -> None:
    with pytest.raises(OrderRefusedError, match=rule):
        opened(exchange, trader, margin=margin, leverage=leverage)
    assert (exchange.counters.legs, trader.locked) == (0, 0)


def test_a_full_side_takes_no_more(exchange: Exchange, trader: Account) -> None:
    full = replace(BTC, instrument=replace(BTC.instrument, long_cap=WAD // 10))
    exchange.open_positions[0] = OpenPositions(full)
    opened(exchange, trader)
    with pytest.raises(OrderRefusedError, match="long_open_interest_cap"):
        opened(exchange, trader)
    opened(exchange, trader, side=Side.SHORT)


def test_the_smallest_and_the_largest_order_are_taken(exchange: Exchange, trader: Account) -> None:
    assert opened(exchange, trader, margin=10 * WAD, leverage=100).notional == 1_000 * WAD
    assert opened(exchange, trader, margin=100_000 * WAD, leverage=100).notional == 10_000_000 * WAD


def test_a_winning_close_pays_the_published_vector(exchange: Exchange, trader: Account) -> None:
    exchange.house.take_loss(1_000 * WAD, liquidated=True)
    position = opened(exchange, trader)
    settlement = exchange.end(position, mid=1_010_000, now_ms=NOW_MS + 1)
    assert settlement.net == 86_383_978_384_210_530_180
    assert trader.free == 1_000_000 * WAD + settlement.net
    assert (trader.realized, trader.fees_paid) == (settlement.net, settlement.win_fee)
    assert (trader.locked, trader.positions, exchange.owners) == (0, {}, {})
    assert exchange.paper.supply == 0
    assert exchange.house.lp == 980 * WAD - settlement.adjusted


def test_a_losing_close_mints_paper_on_98_percent_of_the_loss(exchange: Exchange, trader: Account) -> None:
    position = opened(exchange, trader, margin=400 * WAD, leverage=25)
    settlement = exchange.end(position, mid=990_000, now_ms=NOW_MS + 1)
    assert settlement.net == -100 * WAD
    assert trader.paper_held == 9_800 * WAD
    assert trader.free == 999_900 * WAD
    assert exchange.house.lp == 98 * WAD
    assert exchange.tape.trades[-1].kind is TradeKind.CLOSE


def test_a_losing_close_mints_on_the_whole_loss_while_winners_wait(
    exchange: Exchange, trader: Account
) -> None:
    exchange.house.pay_win(trader, 500 * WAD, fee=0)
    position = opened(exchange, trader, margin=400 * WAD, leverage=25)
    exchange.end(position, mid=990_000, now_ms=NOW_MS + 1)
    assert trader.paper_held == paper_minted(100 * WAD, rate=100 * WAD)
    assert trader.queued == 400 * WAD


def test_a_bust_takes_the_whole_margin_and_mints_on_it(exchange: Exchange, trader: Account) -> None:
    position = opened(exchange, trader)
    settlement = exchange.end(position, mid=990_471, now_ms=NOW_MS + 1)
    assert (settlement.net, settlement.liquidated) == (-100 * WAD, True)
    assert trader.paper_held == 10_000 * WAD
    assert (exchange.counters.liquidated, exchange.volume) == (10_000 * WAD, 20_000 * WAD)
    assert exchange.tape.trades[-1].kind is TradeKind.LIQUIDATION


def test_a_close_inside_the_deadband_moves_no_money(exchange: Exchange, trader: Account) -> None:
    position = opened(exchange, trader)
    settlement = exchange.end(position, mid=1_000_020, now_ms=NOW_MS + 1)
    assert settlement.net == 0
    assert (trader.free, exchange.house.lp, exchange.house.fees) == (1_000_000 * WAD, 0, 0)


def test_all_cash_is_accounted_for_at_every_step(exchange: Exchange, trader: Account) -> None:
    longs = [opened(exchange, trader) for _ in range(5)]
    shorts = [opened(exchange, trader, side=Side.SHORT, leverage=500) for _ in range(5)]
    assert exchange.tvl == 1_000_000 * WAD
    for long, short, mid in zip(longs, shorts, range(985_000, 1_010_000, 5_000), strict=True):
        exchange.end(long, mid=mid, now_ms=NOW_MS)
        exchange.end(short, mid=mid, now_ms=NOW_MS)
        assert exchange.tvl == 1_000_000 * WAD
        assert trader.realized == exchange.house.traders_result
        assert trader.deposited + trader.realized == trader.free + trader.locked + trader.queued


def test_every_leg_counts_in_the_windows(exchange: Exchange, trader: Account) -> None:
    position = opened(exchange, trader)
    exchange.end(position, mid=995_000, now_ms=NOW_MS + 1)
    for window in (Window.DAY, Window.WEEK, Window.MONTH):
        flow = exchange.flows.of(window)[trader.address]
        assert (flow.realized, flow.volume) == (-50 * WAD, 20_000 * WAD)
