"""What a tool reads from, over real clients whose transport answers sound bodies."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest
from pytest_django import Settings

from papertrade_site.clock import iso
from papertrade_site.env import Source
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.upstream import breaker, exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    MissingError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.freshness import SourceRow, State
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.upstream.fake_venue import BODY_OF_PATH, FROZEN, FakeVenue, OpenClients


@pytest.fixture(autouse=True)
def _guessed_paths(settings: Settings) -> None:
    settings.LIQUIDATION_MAP_PATH = "/state/liquidation-map?instrumentId={id}"
    settings.BEST_POSITIONS_PATH = "/state/leaderboard/positions"


@pytest.fixture
def btc(sources: Sources) -> Instrument:
    market = sources.trading().market("BTC")
    assert market is not None
    return market


def addresses(count: int) -> list[str]:
    return [f"0x{number:040x}" for number in range(1, count + 1)]


READS: dict[str, Callable[[Sources], object]] = {
    "exchange.trading": Sources.trading,
    "exchange.summary": Sources.summary,
    "exchange.history": lambda sources: sources.history(Interval.HOUR),
    "exchange.house_history": lambda sources: sources.house_history(Interval.HOUR),
    "exchange.market_stats": Sources.market_stats,
    "exchange.queue": Sources.queue,
    "exchange.recent_trades": Sources.recent_trades,
    "exchange.wallets": lambda sources: sources.wallet(addresses(1)[0]),
    "exchange.leaderboard": lambda sources: sources.leaderboard(
        Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=25
    ),
    "exchange.best_positions": lambda sources: sources.best_positions(Window.DAY),
    "hyperliquid.candles": lambda sources: sources.candles("BTC", interval=Interval.HOUR, count=3),
    "hyperevm.paper": Sources.paper,
}


class TestReads:
    @pytest.mark.parametrize("name", READS)
    def test_each_figure_can_be_read_and_is_named_in_freshness(self, sources: Sources, name: str) -> None:
        assert READS[name](sources) is not None
        assert [(row.name, row.state) for row in sources.freshness().sources] == [(name, State.FRESH)]

    @pytest.mark.parametrize("name", READS)
    def test_a_figure_whose_source_fails_raises(self, sources: Sources, venue: FakeVenue, name: str) -> None:
        subjects = [*BODY_OF_PATH.values(), "candles", addresses(1)[0]]
        venue.status = dict.fromkeys(subjects, 500)
        with pytest.raises(UnreachableError) as raised:
            READS[name](sources)
        assert raised.value.source == name

    def test_the_liquidation_map_is_read_for_its_market(
        self, sources: Sources, btc: Instrument, venue: FakeVenue
    ) -> None:
        assert sources.liquidation_map(btc).buckets
        assert venue.requests["liquidation_map"] == 1

    def test_a_figure_read_twice_in_a_call_is_the_same_copy_whatever_time_has_passed(
        self, sources: Sources, venue: FakeVenue, clock: ManualClock
    ) -> None:
        first = sources.summary()
        clock.advance(11)
        venue.bodies["summary"] = {}
        assert sources.summary() is first
        assert venue.requests["summary"] == 1

    def test_another_call_shares_the_copy(self, call: Callable[..., Sources], venue: FakeVenue) -> None:
        assert call().summary() is call().summary()
        assert venue.requests["summary"] == 1

    def test_a_failure_in_a_call_is_not_asked_for_again_by_it(
        self, sources: Sources, venue: FakeVenue, clock: ManualClock
    ) -> None:
        venue.status["queue"] = 500
        for _ in range(2):
            with pytest.raises(UnreachableError):
                sources.queue()
            clock.advance(5)
        assert venue.requests["queue"] == 1

    def test_figures_of_one_source_are_never_served_as_those_of_another(
        self, call: Callable[..., Sources], open_clients: OpenClients, venue: FakeVenue
    ) -> None:
        for clients in (open_clients(), open_clients(Source.LIVE), open_clients(url="http://127.0.0.1:8002")):
            call(clients=clients).summary()
        assert venue.requests["summary"] == 3

    @pytest.mark.requirement("limit:upstream-requests")
    def test_a_call_makes_no_more_requests_than_its_budget_has(
        self, call: Callable[..., Sources], venue: FakeVenue
    ) -> None:
        sources = call(requests=8)
        wallets = sources.wallets(addresses(44))
        assert (len(wallets.values), wallets.failed) == (8, 36)
        with pytest.raises(BudgetSpentError):
            sources.summary()
        assert venue.requests.total() == 8

    def test_the_largest_book_call_fits_its_budget(
        self, call: Callable[..., Sources], venue: FakeVenue
    ) -> None:
        sources = call(requests=BOOK_CALL_REQUESTS)
        for page in range(2):
            sources.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=page, page_size=25)
        sources.house_history(Interval.HOUR)
        sources.marks(sources.trading().instruments)
        assert sources.wallets(addresses(44)).failed == 0
        assert venue.requests.total() == BOOK_CALL_REQUESTS


class TestPrefetch:
    def test_what_was_prefetched_is_not_asked_for_again(self, sources: Sources, venue: FakeVenue) -> None:
        sources.prefetch(exchange.trading(), exchange.summary(), hyperevm.paper())
        sources.trading()
        sources.summary()
        sources.paper()
        assert venue.requests == {"trading": 1, "summary": 1, "paper": 1}

    def test_only_what_is_used_counts_in_freshness(self, sources: Sources) -> None:
        sources.prefetch(exchange.trading(), exchange.summary())
        sources.trading()
        assert [row.name for row in sources.freshness().sources] == ["exchange.trading"]

    def test_a_failure_comes_out_where_the_figure_is_asked_for(
        self, sources: Sources, venue: FakeVenue
    ) -> None:
        venue.status["summary"] = 500
        sources.prefetch(exchange.trading(), exchange.summary())
        assert not sources.freshness().degraded
        with pytest.raises(UnreachableError):
            sources.summary()


class TestOptionalParts:
    def test_a_part_that_is_there_is_returned(self, sources: Sources) -> None:
        assert sources.optional(sources.queue, missing="The queue is missing.") is sources.queue()
        assert not sources.freshness().degraded

    def test_a_missing_part_is_none_and_degrades_the_result_with_a_note(
        self, sources: Sources, venue: FakeVenue
    ) -> None:
        venue.status["queue"] = 404
        sources.summary()
        assert sources.optional(sources.queue, missing="The queue is missing.") is None
        block = sources.freshness()
        assert block.degraded
        assert block.sources[0].name == "exchange.queue"
        assert (block.sources[0].note or "").startswith("The queue is missing. ")

    def test_a_mistake_of_ours_is_no_missing_part(self, sources: Sources) -> None:
        with pytest.raises(ZeroDivisionError):
            sources.optional(lambda: 1 // 0, missing="Never said.")


class TestWallets:
    def test_they_come_in_the_order_asked_for_and_are_one_row(self, sources: Sources, now_ms: int) -> None:
        asked = list(reversed(addresses(44)))
        wallets = sources.wallets(asked)
        assert [wallet.address for wallet in wallets.values] == asked
        assert wallets.failed == 0
        assert sources.freshness().sources == (SourceRow("exchange.wallets", now_ms, State.FRESH, None),)

    def test_one_that_fails_is_left_out_counted_and_noted(self, sources: Sources, venue: FakeVenue) -> None:
        asked = addresses(44)
        venue.status = {asked[3]: 404, asked[40]: 500}
        wallets = sources.wallets(asked)
        assert [wallet.address for wallet in wallets.values] == [
            address for address in asked if address not in venue.status
        ]
        assert wallets.failed == 2
        block = sources.freshness()
        assert (block.degraded, block.sources[0].note) == (True, "2 of 44 wallets could not be read.")

    def test_no_retry_takes_the_request_that_another_wallet_needs(
        self, sources: Sources, venue: FakeVenue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(breaker, "FAILURES_TO_OPEN", 1_000)  # by chance five could fail in a row
        asked = addresses(44)
        venue.status = dict.fromkeys(asked[::4], 503)
        wallets = sources.wallets(asked)
        assert (len(wallets.values), wallets.failed) == (33, 11)
        assert venue.requests.total() == BOOK_CALL_REQUESTS

    def test_errors_that_are_kept_for_the_call_hold_on_to_nothing(
        self, sources: Sources, venue: FakeVenue
    ) -> None:
        asked = addresses(3)
        venue.status = dict.fromkeys(asked, 500)
        for _ in range(2):
            with pytest.raises(UnreachableError):
                sources.wallets(asked)
            with pytest.raises(UnreachableError):
                sources.wallet(asked[0])
        kept = [outcome for outcome in sources._outcomes.values() if isinstance(outcome, UpstreamError)]
        assert [(error.__traceback__, error.__context__) for error in kept] == [(None, None)] * 3

    def test_when_all_fail_the_first_reason_is_raised(self, sources: Sources, venue: FakeVenue) -> None:
        asked = addresses(3)
        venue.status = dict.fromkeys(asked, 404)
        with pytest.raises(MissingError):
            sources.wallets(asked)

    def test_none_asked_for_is_none_read(self, sources: Sources) -> None:
        assert sources.wallets([]).values == ()

    def test_the_same_wallet_in_another_case_is_one_copy(self, sources: Sources, venue: FakeVenue) -> None:
        sources.wallet("0x" + "aB" * 20)
        sources.wallet("0x" + "Ab" * 20)
        assert venue.requests.total() == 1


class TestMarks:
    def test_a_mark_is_the_midpoint_truncated_to_the_tick(
        self, sources: Sources, venue: FakeVenue, btc: Instrument, body: Callable[[str], Any]
    ) -> None:
        book = body("book")
        book["levels"][0][0]["px"], book["levels"][1][0]["px"] = "83065.0", "83066.1"
        venue.bodies["BTC"] = book
        assert sources.mark(btc) == 830655

    def test_marks_are_read_together_by_market(self, sources: Sources, venue: FakeVenue) -> None:
        markets = sources.trading().instruments
        marks = sources.marks(iter(markets))
        assert list(marks) == [market.id for market in markets]
        assert marks == {market.id: sources.mark(market) for market in markets}
        assert (venue.requests["BTC"], venue.requests["ETH"]) == (1, 1)

    def test_a_terminal_market_marks_at_its_frozen_mid_without_a_request(
        self, sources: Sources, venue: FakeVenue, body: Callable[[str], Any]
    ) -> None:
        trading = body("trading")
        for place, value in FROZEN.items():
            trading["instruments"][0][place] = value
        venue.bodies["trading"] = trading
        btc, eth = sources.trading().instruments
        assert sources.marks([btc])[btc.id] == 830655
        assert sources.mark(btc) == 830655
        assert (venue.requests["BTC"], venue.requests["ETH"]) == (0, 0)
        assert eth.id in sources.marks([btc, eth])
        assert (venue.requests["BTC"], venue.requests["ETH"]) == (0, 1)

    def test_a_book_below_the_markets_tick_has_no_mark(
        self, sources: Sources, venue: FakeVenue, btc: Instrument, body: Callable[[str], Any]
    ) -> None:
        book = body("book")
        book["levels"][0][0]["px"], book["levels"][1][0]["px"] = "0.001", "0.002"
        venue.bodies["BTC"] = book
        with pytest.raises(UnexpectedError):
            sources.mark(btc)

    @pytest.mark.parametrize(("late_s", "requests"), [(0.0, 1), (0.1, 2)])
    def test_a_book_that_came_due_before_it_was_used_is_read_anew(
        self,
        sources: Sources,
        venue: FakeVenue,
        btc: Instrument,
        clock: ManualClock,
        late_s: float,
        requests: int,
    ) -> None:
        sources.prefetch(hyperliquid.book("BTC"))
        clock.advance(DEFAULT_LIFETIMES["hyperliquid.book"].fresh_s + late_s)
        sources.mark(btc)
        assert venue.requests["BTC"] == requests
        (row,) = [row for row in sources.freshness().sources if row.name == "hyperliquid.book"]
        assert row.state is State.FRESH

    def test_a_book_that_cannot_be_read_anew_still_marks_and_is_called_stale(
        self, sources: Sources, venue: FakeVenue, btc: Instrument, clock: ManualClock
    ) -> None:
        sources.prefetch(hyperliquid.book("BTC"))
        clock.advance(DEFAULT_LIFETIMES["hyperliquid.book"].fresh_s + 1)
        venue.status["BTC"] = 503
        assert sources.mark(btc)
        (row,) = [row for row in sources.freshness().sources if row.name == "hyperliquid.book"]
        assert (row.state, sources.freshness().degraded) == (State.STALE, True)

    def test_a_mark_that_was_used_stays_the_same_in_a_call_and_is_called_stale_once_it_is(
        self, sources: Sources, venue: FakeVenue, btc: Instrument, clock: ManualClock
    ) -> None:
        first = sources.mark(btc)
        clock.advance(DEFAULT_LIFETIMES["hyperliquid.book"].fresh_s + 1)
        assert sources.mark(btc) == first
        assert venue.requests["BTC"] == 1
        (row,) = [row for row in sources.freshness().sources if row.name == "hyperliquid.book"]
        assert row.state is State.STALE


class TestFreshness:
    def test_it_is_as_old_as_the_snapshot_says(self, sources: Sources, body: Callable[[str], Any]) -> None:
        sources.summary()
        assert sources.freshness().json()["asOf"] == iso(body("summary")["source"]["at"])

    def test_an_old_copy_after_a_failed_refresh_degrades_the_result(
        self, call: Callable[..., Sources], venue: FakeVenue, now_ms: int, clock: ManualClock
    ) -> None:
        call().trading()
        clock.advance(300)
        venue.status["trading"] = 503
        sources = call()
        sources.trading()
        (row,) = sources.freshness().sources
        assert sources.freshness().degraded
        assert (row.fetched_at_ms, row.state) == (now_ms, State.STALE)
        assert (row.note or "").startswith("Not refreshed: ")


class TestUnchanged:
    """``Sources.unchanged`` tells for how long a result may be sent again."""

    def test_what_was_read_is_unchanged_until_the_first_copy_is_due(
        self, call: Callable[..., Sources], clock: ManualClock
    ) -> None:
        call().summary()
        clock.advance(DEFAULT_LIFETIMES["exchange.summary"].fresh_s - 1)
        sources = call()
        sources.summary()
        sources.market_stats()
        is_unchanged = sources.unchanged()
        assert is_unchanged()
        clock.advance(0.9)
        assert is_unchanged()
        clock.advance(0.2)
        assert not is_unchanged()

    def test_a_copy_that_is_due_already_may_change_at_once(
        self, call: Callable[..., Sources], venue: FakeVenue, clock: ManualClock
    ) -> None:
        call().summary()
        clock.advance(DEFAULT_LIFETIMES["exchange.summary"].fresh_s + 1)
        venue.status["summary"] = 500
        sources = call()
        sources.summary()
        assert not sources.unchanged()()

    def test_a_source_that_failed_may_answer_the_next_time(self, sources: Sources, venue: FakeVenue) -> None:
        venue.status["queue"] = 500
        sources.summary()
        assert sources.optional(sources.queue, missing="No queue.") is None
        assert not sources.unchanged()()

    def test_the_question_keeps_nothing_of_what_was_read(self, call: Callable[..., Sources]) -> None:
        sources = call()
        sources.summary()
        is_unchanged, read = sources.unchanged(), ref(sources)
        del sources
        gc.collect()
        assert is_unchanged()
        assert read() is None

    def test_what_read_nothing_may_change_at_once(self, sources: Sources) -> None:
        assert not sources.unchanged()()

    @pytest.mark.parametrize("seconds", [-60, 60])
    def test_a_wall_clock_that_is_set_ends_it(
        self, sources: Sources, clock: ManualClock, seconds: int
    ) -> None:
        sources.summary()
        is_unchanged = sources.unchanged()
        clock.ms += seconds * 1000
        assert not is_unchanged()
