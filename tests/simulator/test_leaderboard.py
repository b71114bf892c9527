"""The leaderboard's rows and rankings."""

from __future__ import annotations

import pytest

from papertrade_site.market.settlement import settle_position
from papertrade_site.simulator.leaderboard import Leaderboard, SortKey
from papertrade_site.simulator.windows import Window
from papertrade_site.simulator.world import World


@pytest.fixture(scope="module")
def world() -> World:
    """A small world that nobody changes."""
    return World.create(seed=11, now_ms=1_796_040_000_000, traders=60)


@pytest.mark.parametrize("window", list(Window))
@pytest.mark.parametrize("key", list(SortKey))
@pytest.mark.parametrize("descending", [True, False])
def test_every_ranking_is_sorted_and_holds_every_account_once(
    world: World, window: Window, key: SortKey, descending: bool
) -> None:
    board = Leaderboard(world)
    size = 150
    pages = board.page(window, key, descending=descending, page=0, page_size=size).total_pages
    rows = [
        account
        for page in range(pages)
        for account in board.page(window, key, descending=descending, page=page, page_size=size).accounts
    ]
    figures = [board.figures(account, window)[key] for account in rows]
    assert figures == sorted(figures, reverse=descending)
    assert {row.address for row in rows} == world.exchange.ledger.accounts.keys()
    assert len(rows) == len(world.exchange.ledger.accounts)
    assert (pages - 1) * size < len(rows) <= pages * size


def test_a_page_past_the_end_is_empty(world: World) -> None:
    board = Leaderboard(world)
    page = board.page(Window.ALL, SortKey.VOLUME, descending=True, page=10_000, page_size=25)
    assert page.accounts == []


@pytest.mark.parametrize("window", list(Window))
def test_a_row_is_what_the_account_says(world: World, window: Window) -> None:
    board = Leaderboard(world)
    account = max(world.exchange.ledger.accounts.values(), key=lambda account: len(account.positions))
    unrealized = sum(
        settle_position(
            world.exchange.books[position.instrument_id].traits.instrument,
            position,
            mark=world.prices.mids[position.instrument_id],
            win_fee_rate=2 * 10**16,
        ).net
        for position in account.positions.values()
    )
    row = board.figures(account, window)
    assert row[SortKey.UNREALIZED_PNL] == unrealized
    assert row[SortKey.TOTAL_PNL] == row[SortKey.REALIZED_PNL] + unrealized
    assert row[SortKey.BALANCE] == account.free + account.locked
    assert row[SortKey.OPEN_NOTIONAL] == sum(position.notional for position in account.positions.values())
    assert row[SortKey.OPEN_POSITIONS] == len(account.positions) > 0
    assert row[SortKey.PAPER] == account.paper


def test_all_time_figures_are_the_accounts_own(world: World) -> None:
    board = Leaderboard(world)
    for account in world.exchange.ledger.accounts.values():
        row = board.figures(account, Window.ALL)
        assert (row[SortKey.REALIZED_PNL], row[SortKey.VOLUME]) == (account.realized, account.volume)


def test_longer_windows_hold_more_volume(world: World) -> None:
    board = Leaderboard(world)
    for account in world.exchange.ledger.accounts.values():
        volumes = [board.figures(account, window)[SortKey.VOLUME] for window in Window]
        assert volumes == sorted(volumes)
