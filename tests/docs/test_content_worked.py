"""The worked examples of the concepts equal arithmetic that is done here by hand, in exact fractions."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from papertrade_site.docs.worked import busts, ladders, mints, wins
from papertrade_site.figures.venue import WinFee
from papertrade_site.market.emission import Curve
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.scale import WAD
from papertrade_site.mcp.server import Server
from papertrade_site.upstream.models.trading import TradingState
from tests.docs.reading import FORMS, SERVERS, words_of
from tests.filled_venue import FilledVenue
from tests.venue_bodies import body

SOURCES = (
    "exchange.trading",
    "exchange.summary",
    "exchange.house_history",
    "exchange.leaderboard",
    "exchange.wallets",
    "hyperliquid.book",
    "hyperevm.paper",
)
FEE = WinFee(2 * 10**16)
LAUNCH = Curve(
    tracked_lp=0,
    tail_progress=0,
    cliff=2_000_000 * WAD,
    cap=5_000_000 * WAD,
    max_rate=100 * WAD,
    decay=120_000_000 * WAD,
)


@pytest.fixture
def btc() -> Instrument:
    """The BTC market of the recorded trading state."""
    market = TradingState.model_validate(body("trading")).market("BTC")
    assert market is not None
    return market


def test_the_bust_price_is_worked_out_as_the_venue_documents_it(btc: Instrument) -> None:
    steps = busts.bust_steps(btc)
    assert (steps.entry, steps.step, steps.zero_equity) == ("$100,000", "$1,000", "$99,000")
    assert steps.bust == "$99,047.1"
    assert (steps.distance_percent, steps.buffer_bps) == ("0.9529", "4.76")


def test_a_higher_leverage_busts_nearer_to_the_entry_on_both_sides(btc: Instrument) -> None:
    rows = busts.bust_rows(btc)
    assert [row.leverage for row in rows] == list(busts.LEVERAGES)
    for shares in ([row.long_percent for row in rows], [row.short_percent for row in rows]):
        assert sorted(map(Decimal, shares), reverse=True) == list(map(Decimal, shares))
    assert (rows[0].long, rows[-1].long) == ("$0", "$99,947.5")


def test_no_leverage_that_the_market_refuses_is_listed(btc: Instrument) -> None:
    assert [row.leverage for row in busts.bust_rows(replace(btc, max_leverage=50))] == [1, 10, 25, 50]


def test_a_win_of_one_percent_pays_what_the_venue_documents(btc: Instrument) -> None:
    win = wins.win_row(btc, FEE)
    assert (win.exit, win.counted, win.gross, win.raw) == ("$101,000", "$998", "$100", "$99.8")
    assert (win.after_impact, win.net) == ("$88.146917", "$86.383978")
    assert win.kept_percent == "86.38"


def test_every_win_agrees_with_the_formula_that_the_page_shows(btc: Instrument) -> None:
    base, rate, position = (
        Fraction(amount, WAD) for amount in (btc.base_rate, btc.rate_multiplier, btc.position_multiplier)
    )
    reference = Fraction(btc.reference_notional, WAD)
    for row in wins.win_rows(btc, FEE):
        move = Fraction(row.move_percent) / 100 - Fraction(1, 50_000)
        kept = (1 - base) / (1 + 1 / (rate * move) + reference / (1_000_000 * position * move))
        raw = 10_000 * move
        assert float(row.kept_by_impact_percent) == pytest.approx(float(kept * 100), abs=5.1e-3)
        assert _dollars(row.net) == pytest.approx(float(raw * kept * Fraction(98, 100)), abs=1e-4)
        assert _dollars(row.after_impact) - _dollars(row.fee) == pytest.approx(_dollars(row.net), abs=2e-6)


def test_the_cascade_of_the_page_adds_up_the_longs_that_it_marks() -> None:
    fall = ladders.cascade_steps()
    marked = [_dollars(notional) for _, notional, counted in fall.longs if counted]
    assert _dollars(fall.notional) == sum(marked)
    assert fall.positions == len(marked)
    target = ladders.MARK_USD * Fraction(9975, 10_000)
    assert _dollars(fall.target) == float(target)
    exact = sum(notional for bust, notional in ladders.BUSTS_USD if bust >= target)
    assert _dollars(fall.exact_notional) == exact
    assert _dollars(fall.notional) > exact  # the point of the example


def test_the_clusters_of_the_page_are_those_that_one_sees_in_its_table() -> None:
    first, second = ladders.cluster_rows()
    assert (first.low, first.high, first.positions, first.notional) == ("$99,400", "$100,000", 4, "$110,000")
    assert (second.low, second.high, second.positions, second.notional) == (
        "$98,900",
        "$99,000",
        1,
        "$40,000",
    )
    assert Decimal(first.share_percent) + Decimal(second.share_percent) == 100


def test_the_mint_rates_of_the_page_follow_the_curve() -> None:
    for row in mints.rate_rows(LAUNCH):
        span = 1 + Fraction(row.times)
        assert float(row.rate.replace(",", "")) == pytest.approx(float(100 / span**2), abs=0.005)
    assert [row.rate for row in mints.rate_rows(LAUNCH) if row.times == "1"] == ["25"]


def test_what_a_loss_mints_depends_on_how_it_came_about() -> None:
    assert [(row.basis, row.minted) for row in mints.mint_rows(LAUNCH)] == [
        ("$1,000", "100,000"),
        ("$980", "98,000"),
        ("$1,000", "100,000"),
    ]


def test_the_labels_of_the_page_leave_no_distance_without_one() -> None:
    rows = busts.danger_rows()
    assert rows[0].least is None
    assert rows[-1].below is None
    assert [row.below for row in rows[:-1]] == [row.least for row in rows[1:]]
    assert [row.below for row in rows[:-1]] == ["0", "0.05", "0.25", "1"]


@pytest.mark.usefixtures("venue")
@pytest.mark.parametrize("form", FORMS)
def test_the_pages_show_the_worked_examples_with_the_terms_of_now(form: str) -> None:
    liquidations, analytics = (words_of(server, "docs/concepts", form) for server in SERVERS)
    assert "bust price = $99,000 + " in liquidations
    assert ladders.cascade_steps().notional in liquidations
    assert "closed by the trader while nobody waits in the payout queue $980 " in analytics
    assert "cannot be read at this moment" not in liquidations + analytics


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.slug)
def test_a_page_of_concepts_stands_while_no_source_answers(server: Server) -> None:
    venue = FilledVenue()
    venue.fail(*SOURCES)
    with venue.read_by_tools():
        words = words_of(server, "docs/concepts", "md")
    assert "cannot be read at this moment" in words


def _dollars(text: str) -> float:
    return float(text.removeprefix("$").replace(",", ""))
