"""The leaderboard's rows and rankings."""

from __future__ import annotations

import pytest

from papertrade_site.market.settlement import settle_position
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.leaderboard import Leaderboard
from papertrade_site.simulator.world import World


@pytest.fixture(scope="module")
def world() -> World:
    """A small world that nobody changes."""
    return World.create(seed=11, now_ms=1_796_040_000_000, traders=60)


@pytest.mark.parametrize("window", list(Window))
@pytest.mark.parametrize("key", list(SortKey))
def test_every_ranking_is_sorted_and_holds_every_account_once(
    world: World, window: Window, key: SortKey
) -> None:
    leaderboard = Leaderboard(world)
    rows = leaderboard.ranking(window, key)
    figures = [leaderboard.figures(account, window)[key] for account in rows]
    assert figures == sorted(figures, reverse=True)
    assert {row.address for row in rows} == world.exchange.ledger.accounts.keys()
    assert len(rows) == len(world.exchange.ledger.accounts)


@pytest.mark.parametrize("window", list(Window))
def test_a_row_is_what_the_account_says(world: World, window: Window) -> None:
    leaderboard = Leaderboard(world)
    account = max(world.exchange.ledger.accounts.values(), key=lambda account: len(account.positions))
    unrealized = sum(
        settle_position(
            world.exchange.open_positions[position.instrument_id].traits.instrument,
            position,
            mark=world.prices.mids[position.instrument_id],
            win_fee_rate=2 * 10**16,
        ).net
        for position in account.positions.values()
    )
    row = leaderboard.figures(account, window)
    assert row[SortKey.UNREALIZED_PNL] == unrealized
    assert row[SortKey.TOTAL_PNL] == row[SortKey.REALIZED_PNL] + unrealized
    assert row[SortKey.BALANCE] == account.free + account.locked
    assert row[SortKey.OPEN_NOTIONAL] == sum(position.notional for position in account.positions.values())
    assert row[SortKey.OPEN_POSITIONS] == len(account.positions) > 0
    assert row[SortKey.PAPER] == account.paper


def test_all_time_figures_are_the_accounts_own(world: World) -> None:
    leaderboard = Leaderboard(world)
    for account in world.exchange.ledger.accounts.values():
        row = leaderboard.figures(account, Window.ALL)
        assert (row[SortKey.REALIZED_PNL], row[SortKey.VOLUME]) == (account.realized, account.volume)


@pytest.mark.parametrize("window", list(Window))
def test_a_wallet_that_did_nothing_has_nothing_in_its_row(world: World, window: Window) -> None:
    assert set(Leaderboard(world).figures(Account("0x" + "0" * 40), window).values()) == {0}


def test_longer_windows_hold_more_volume(world: World) -> None:
    leaderboard = Leaderboard(world)
    for account in world.exchange.ledger.accounts.values():
        volumes = [leaderboard.figures(account, window)[SortKey.VOLUME] for window in Window]
        assert volumes == sorted(volumes)
