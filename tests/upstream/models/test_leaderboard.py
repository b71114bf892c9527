"""What is read of a page of the leaderboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.models.leaderboard import MAX_NAME

Body = Callable[[str], Any]

RESOURCE = exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=25)


def test_figures_come_out_at_scale(body: Body, now_ms: int) -> None:
    board = RESOURCE.parse(body("leaderboard"), now_ms)
    first, second = board.accounts
    assert (board.summary.unique_accounts, board.page_info.total_pages) == (9000, 360)
    assert board.summary.tracked_balance == 15_000_000 * WAD
    assert first.total_windowed_pnl == 125_000 * WAD
    assert first.realized_pnl == 120_000 * WAD
    assert first.current_unrealized_pnl == 5_000 * WAD
    assert first.current_balance == 300_000 * WAD
    assert first.current_open_notional == 20_000_000 * WAD
    assert first.total_volume == 900_000_000 * WAD
    assert first.paper_total == 4_000_000 * WAD
    assert first.current_open_position_count == 12
    assert second.realized_pnl == -5 * WAD


@pytest.mark.parametrize(
    ("sent", "amount"),
    [("-5000000000000000000", -5 * WAD), (-5.0, -5 * WAD), (-5, -5 * WAD), ("-5.0", -5 * WAD)],
)
def test_amounts_are_read_in_either_form(body: Body, now_ms: int, sent: Json, amount: int) -> None:
    sound = body("leaderboard")
    sound["accounts"][0]["realizedPnl"] = sent
    assert RESOURCE.parse(sound, now_ms).accounts[0].realized_pnl == amount


def test_a_figure_that_the_venue_leaves_out_is_none(body: Body, now_ms: int) -> None:
    sound = body("leaderboard")
    del sound["accounts"][0]["paperTotal"]
    assert RESOURCE.parse(sound, now_ms).accounts[0].paper_total is None


@pytest.mark.parametrize(
    ("sent", "name"),
    [(None, None), (7, None), ("Ada", "Ada"), ("\u202ex", "\u202ex"), ("a" * 10_000, "a" * MAX_NAME)],
)
def test_a_name_is_passed_on_but_not_at_any_length(
    body: Body, now_ms: int, sent: Json, name: str | None
) -> None:
    sound = body("leaderboard")
    sound["accounts"][0]["leaderboardName"] = sent
    assert RESOURCE.parse(sound, now_ms).accounts[0].name == name


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("address", "0x1"),
        ("currentBalance", "NaN"),
        ("currentBalance", True),
        ("totalVolume", "1e30"),
        ("currentOpenPositionCount", 1.5),
        ("currentOpenPositionCount", -1),
    ],
)
def test_an_implausible_account_is_refused(body: Body, now_ms: int, field: str, value: Json) -> None:
    sound = body("leaderboard")
    sound["accounts"][0][field] = value
    with pytest.raises(UnexpectedError, check=lambda error: f"accounts.0.{field}" in error.detail):
        RESOURCE.parse(sound, now_ms)
