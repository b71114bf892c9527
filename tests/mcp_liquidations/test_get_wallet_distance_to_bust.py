"""``get_wallet_distance_to_bust``: rows, order, sums, and every state of a wallet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_liquidations.tools.get_wallet_distance_to_bust import TOOL
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange, hyperliquid
from tests.filled_venue import FilledVenue
from tests.simulated_calls import simulated_calls
from tests.venue_bodies import FROZEN, body, book, position_row

OWNER = "0x44623c92310d1b9b430b3228487a1b88fcc1c517"


@pytest.fixture
def venue() -> FilledVenue:
    return _venue(body("wallet")["openPositions"])


def _venue(positions: list[Any], **changed: Any) -> FilledVenue:  # noqa: ANN401
    venue = FilledVenue()
    document = {**body("wallet"), "openPositions": positions, **changed}
    venue.put(exchange.wallet(OWNER), document)
    return venue


def _call(venue: FilledVenue) -> dict[str, Any]:
    return venue.call(TOOL, {"wallet": OWNER})


class TestRows:
    @pytest.mark.requirement("wallet:positions", "wallet:row")
    def test_a_wallet_in_full(self, venue: FilledVenue) -> None:
        result, summary = venue.answer(TOOL, {"wallet": OWNER})
        assert result["wallet"] == OWNER
        assert result["explorerUrl"] == f"https://hyperevmscan.io/address/{OWNER}"
        assert result["positions"][0] == {
            "positionId": "53572",
            "wallet": OWNER,
            "market": "BTC",
            "side": "short",
            "marginUsd": 20,
            "leverage": 1000,
            "notionalUsd": 20_000,
            "entryPriceUsd": 83046.5,
            "markPriceUsd": 83065.5,
            "bustPriceUsd": 83090,
            "distancePercent": 0.029495,
            "distanceUsd": 24.5,
            "danger": "critical",
            "riskPercent": 43.67,
            "unrealizedPnlUsd": -4.57575,
            "openedAt": "2026-10-10T20:03:35Z",
        }
        assert result["totals"] == {
            "positions": 3,
            "marginUsd": 280,
            "notionalUsd": 32_510,
            "unrealizedPnlUsd": -4.57575,
        }
        assert result["closest"] == {
            "positionId": "53572",
            "distancePercent": 0.029495,
            "danger": "critical",
        }
        assert result["balances"] == {
            "balanceUsd": 1500,
            "availableUsd": 1250,
            "lockedMarginUsd": 250,
            "queuedPayoutUsd": 2,
        }
        assert summary == (
            f"Wallet {OWNER} has 3 open positions with a notional of $32,510 and an unrealized result of "
            "-$4.58; the nearest to its bust price is a 1000x BTC short, bust price $83,090, mark $83,065.5, "
            "distance 0.0295 % ($24.5), danger critical; its balance is $1,500. Simulated data."
        )

    def test_the_nearest_to_its_bust_price_comes_first(self, venue: FilledVenue) -> None:
        assert [row["positionId"] for row in _call(venue)["positions"]] == ["53572", "53573", "53574"]

    def test_of_two_equally_near_the_larger_comes_first(self) -> None:
        venue = _venue([position_row(1), position_row(2, margin=str(101 * WAD))])
        assert [row["positionId"] for row in _call(venue)["positions"]] == ["2", "1"]

    def test_the_stored_bust_price_is_shown_even_when_another_would_be_computed(self) -> None:
        (row,) = _call(_venue([position_row(1, bust="800000")]))["positions"]
        assert row["bustPriceUsd"] == 80_000

    @pytest.mark.requirement("wallet:row")
    @pytest.mark.parametrize(
        ("bust", "danger"),
        [
            (100_000_0, "busted"),
            (100_000_0 - 1, "critical"),
            (100_000_0 - 499, "critical"),
            (100_000_0 - 500, "high"),
            (100_000_0 - 2499, "high"),
            (100_000_0 - 2500, "medium"),
            (100_000_0 - 9999, "medium"),
            (100_000_0 - 10_000, "low"),
        ],
    )
    def test_labels_change_exactly_at_their_thresholds(self, bust: int, danger: str) -> None:
        venue = _venue([position_row(1, entry="1000000", bust=str(bust))])
        venue.put(hyperliquid.book("BTC"), book("BTC", "100000", "100000"))
        (row,) = _call(venue)["positions"]
        assert row["danger"] == danger

    def test_a_crossed_position_is_busted_and_has_lost_its_margin(self) -> None:
        venue = _venue([position_row(1, is_long=False, entry="825000", bust="830000")])
        (row,) = _call(venue)["positions"]
        assert row["danger"] == "busted"
        assert row["distanceUsd"] == -65.5
        assert row["distancePercent"] < 0
        assert row["riskPercent"] == 100
        assert row["unrealizedPnlUsd"] == -100

    def test_a_win_is_shown_after_impact_and_the_chains_fee(self) -> None:
        venue = _venue([position_row(1)])
        venue.put(hyperliquid.book("BTC"), book("BTC", "83896.1", "83896.1"))
        assert _call(venue)["positions"][0]["unrealizedPnlUsd"] == 86.384648
        venue.put_trading(winFeeRateRaw="0")
        venue.fail("hyperevm.paper")
        assert _call(venue)["positions"][0]["unrealizedPnlUsd"] == 88.147600

    def test_a_terminal_market_marks_at_its_frozen_price(self) -> None:
        venue = _venue([position_row(1)])
        venue.put_market(0, **FROZEN)
        venue.fail("hyperliquid.book")
        result = _call(venue)
        assert result["positions"][0]["markPriceUsd"] == 82500.1
        assert result["freshness"]["degraded"] is False


class TestWallets:
    def test_a_wallet_without_positions_is_a_normal_answer(self) -> None:
        venue = _venue([], balance="0", queued="0", locked="0")
        result, summary = venue.answer(TOOL, {"wallet": OWNER})
        assert result["positions"] == []
        assert result["closest"] is None
        assert result["totals"] == {
            "positions": 0,
            "marginUsd": 0,
            "notionalUsd": 0,
            "unrealizedPnlUsd": 0,
        }
        assert summary == f"Wallet {OWNER} has no open positions; its balance is $0. Simulated data."

    def test_for_a_wallet_without_positions_neither_markets_nor_marks_are_needed(self) -> None:
        venue = _venue([])
        venue.fail("exchange.trading", "hyperliquid.book", "hyperevm.paper")
        result = _call(venue)
        assert [row["name"] for row in result["freshness"]["sources"]] == ["exchange.wallets"]
        assert result["freshness"]["degraded"] is False

    def test_the_address_may_be_in_any_case(self, venue: FilledVenue) -> None:
        assert venue.call(TOOL, {"wallet": "0x" + OWNER[2:].upper()})["wallet"] == OWNER

    @pytest.mark.parametrize("source", ["exchange.wallets", "exchange.trading", "hyperliquid.book"])
    def test_a_source_it_cannot_do_without_is_a_clear_error(self, venue: FilledVenue, source: str) -> None:
        venue.fail(source)
        with pytest.raises(ToolError) as caught:
            _call(venue)
        assert str(caught.value) == f"{source} cannot be reached now. Try again in 7 s."

    def test_a_position_in_a_market_that_is_not_listed_is_left_out_and_said(self) -> None:
        result = _call(_venue([position_row(1), position_row(2, market=9)]))
        assert [row["positionId"] for row in result["positions"]] == ["1"]
        assert result["totals"]["positions"] == 1
        assert result["freshness"]["degraded"] is True
        (note,) = [row["note"] for row in result["freshness"]["sources"] if "note" in row]
        assert note.startswith("A position, or more than one, is left out:")

    def test_the_book_of_a_market_it_is_not_in_does_not_matter(self) -> None:
        venue = _venue([position_row(1)])
        venue.put(hyperliquid.book("ETH"), {"not": "a book"})
        assert _call(venue)["freshness"]["degraded"] is False


@st.composite
def _rows(draw: st.DrawFn) -> list[Any]:
    is_long = draw(st.booleans())
    entry = draw(st.integers(700_000, 900_000))
    away = draw(st.integers(1, 200_000))
    return position_row(
        draw(st.integers(1, 10**9)),
        is_long=is_long,
        entry=str(entry),
        bust=str(entry - away if is_long else entry + away),
        margin=str(draw(st.integers(WAD, 10**6 * WAD))),
        leverage=draw(st.integers(1, 1000)),
    )


@settings(deadline=None, max_examples=100)
@given(rows=st.lists(_rows(), max_size=12, unique_by=lambda row: row[0]))
def test_whatever_a_wallet_holds_the_rows_are_in_order_and_the_sums_agree(rows: list[Any]) -> None:
    result = _call(_venue(rows))
    positions, totals = result["positions"], result["totals"]
    distances = [row["distancePercent"] for row in positions]
    assert distances == sorted(distances)
    assert totals["positions"] == len(rows)
    for name in ("marginUsd", "notionalUsd", "unrealizedPnlUsd"):
        assert totals[name] == pytest.approx(sum(row[name] for row in positions), rel=1e-12, abs=1e-5)
    for row in positions:
        assert row["unrealizedPnlUsd"] >= -row["marginUsd"]
        assert (row["danger"] == "busted") == (row["distanceUsd"] <= 0)
        assert 0 <= row["riskPercent"] <= 100
    if positions:
        assert result["closest"]["positionId"] == positions[0]["positionId"]


@pytest.mark.requirement("wallet:positions")
def test_over_the_embedded_exchange_a_wallet_shows_what_the_world_holds() -> None:
    with simulated_calls() as calls:
        accounts = calls.world.exchange.ledger.accounts.values()
        owner = max(accounts, key=lambda account: len(account.positions))
        result = calls.call(TOOL, {"wallet": owner.address})
        assert calls.requests <= 8
        assert {row["positionId"] for row in result["positions"]} == set(owner.positions)
        assert result["totals"]["positions"] == len(owner.positions) > 0
        assert all(row["danger"] != "busted" for row in result["positions"])
        assert result["freshness"]["degraded"] is False


def test_over_the_embedded_exchange_a_stranger_has_no_positions() -> None:
    with simulated_calls() as calls:
        result = calls.call(TOOL, {"wallet": "0x" + "9" * 40})
        assert result["positions"] == []
        assert result["balances"]["balanceUsd"] == 0
