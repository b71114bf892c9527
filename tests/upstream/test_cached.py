"""Cached reads in one process; clock and source obey the test."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier

import pytest

from papertrade_site.clock import iso
from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import SPARED_S, CachedReader
from papertrade_site.upstream.errors import (
    MissingError,
    SlowError,
    UnexpectedError,
    UnreachableError,
)
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.wire import misfit
from papertrade_site.upstream.worker_pool import WORKERS_PER_CALLER
from tests.clocks import ManualClock, Slowly
from tests.upstream.counting_cache import CountingCache
from tests.upstream.prices import STALE_S, PriceSource, price_want, unreachable

NOW_MS = ManualClock().now_ms()
LIVE = "live https://exchange.example"


class TestOneProcess:
    def test_a_fresh_copy_is_served_without_asking_again(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(30)
        reading = reader.read(price.want(), CallBudget(clock))
        assert price.asked == 1
        assert reading == Reading(
            name="exchange.trading",
            value=1,
            fetched_at_ms=NOW_MS,
            observed_at_ms=None,
            state=State.FRESH,
        )

    def test_a_copy_past_its_fresh_time_is_refreshed_by_its_first_reader(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(30.001)
        price.answer = {"price": 2}
        reading = reader.read(price.want(), CallBudget(clock))
        assert (reading.value, reading.state, reading.fetched_at_ms) == (2, State.FRESH, clock.ms)

    def test_a_failed_refresh_leaves_the_previous_copy_degraded_with_a_note(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(600)
        price.answer = unreachable()
        assert reader.read(price.want(), CallBudget(clock)) == Reading(
            name="exchange.trading",
            value=1,
            fetched_at_ms=NOW_MS,
            observed_at_ms=None,
            state=State.STALE,
            degraded=True,
            note="Not refreshed: It is down.",
        )

    def test_a_copy_past_its_stale_limit_is_gone_and_the_error_comes_out(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(600.001)
        price.answer = unreachable()
        with pytest.raises(UnreachableError, match=r"^It is down\.$"):
            reader.read(price.want(), CallBudget(clock))

    def test_an_answer_that_does_not_parse_is_a_failure_and_is_never_stored(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = {"price": "nonsense"}
        with pytest.raises(UnexpectedError):
            reader_of().read(price.want(), CallBudget(clock))
        clock.advance(4)
        price.answer = {"price": 2}
        assert reader_of().read(price.want(), CallBudget(clock)).value == 2

    def test_a_call_without_time_left_gets_the_previous_copy_as_nothing_has_failed(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(31)
        reading = reader.read(price.want(), CallBudget(clock, seconds=0))
        assert (reading.state, reading.degraded, price.asked) == (State.STALE, False, 1)

    def test_a_call_without_time_left_and_without_a_copy_fails_as_slow(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        with pytest.raises(SlowError):
            reader.read(price.want(), CallBudget(clock, seconds=0))
        assert price.asked == 0

    def test_an_age_is_never_negative_when_the_clock_goes_back_a_little(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.ms -= 900
        reading = reader.read(price.want(), CallBudget(clock))
        assert (reading.fetched_at_ms, price.asked) == (clock.ms, 1)

    def test_a_copy_from_the_future_counts_as_absent_when_the_clock_goes_back_far(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.ms -= 3_600_000
        price.answer = {"price": 2}
        assert reader.read(price.want(), CallBudget(clock)).value == 2

    def test_a_wall_clock_that_is_set_back_makes_no_copy_younger(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        price.answer = unreachable()
        for _ in range(6):
            clock.advance(100)
            clock.ms -= 99_000
            reading = reader.read(price.want(), CallBudget(clock))
            assert (reading.state, reading.degraded) == (State.STALE, True)
        assert clock.ms - reading.fetched_at_ms == 600_000
        clock.advance(1)
        with pytest.raises(UnreachableError):
            reader.read(price.want(), CallBudget(clock))

    def test_a_wall_clock_that_is_set_forward_makes_a_copy_older(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.ms += 31_000
        assert reader.read(price.want(), CallBudget(clock)).value == 2


class TestSourcesThatStandStill:
    @pytest.mark.parametrize(("late_ms", "stands_still"), [(0, False), (1, True)])
    def test_an_answer_that_tells_of_a_time_beyond_its_stale_limit_is_stale_from_the_start(
        self, reader_of: Callable[..., CachedReader], clock: ManualClock, late_ms: int, stands_still: bool
    ) -> None:
        observed_at_ms = NOW_MS - STALE_S * 1000 - late_ms
        want = price_want(lambda *_: {"price": 1}, observed_at_ms=observed_at_ms)
        for reader in (reader_of(), reader_of()):
            reading = reader.read(want, CallBudget(clock))
            assert (reading.state is State.STALE, reading.degraded) == (stands_still, stands_still)
            note = f"The source itself tells of {iso(observed_at_ms)}." if stands_still else None
            assert reading.note == note


class TestPatience:
    @pytest.mark.parametrize(
        ("age_s", "call_s", "given_s"),
        [(None, 12, 12), (31, 12, 3), (31, 2, 2), (597, 12, 2.5), (599, 12, 12), (601, 12, 12)],
    )
    def test_a_source_gets_a_few_seconds_while_a_copy_stands_behind_it(
        self, reader: CachedReader, clock: ManualClock, age_s: float | None, call_s: float, given_s: float
    ) -> None:
        given: list[float] = []

        def fetch(_client: HttpClient, budget: CallBudget) -> Json:
            given.append(budget.seconds_left)
            return {"price": 1}

        if age_s is not None:
            reader.read(price_want(fetch), CallBudget(clock))
            clock.advance(age_s)
        reader.read(price_want(fetch), CallBudget(clock, seconds=call_s))
        assert given[-1] == given_s

    @pytest.mark.parametrize(("age_s", "remembered"), [(31, True), (597, False)])
    def test_a_source_that_hangs_leaves_the_copy_degraded_and_is_remembered_when_it_had_a_fair_chance(
        self, reader: CachedReader, clock: ManualClock, age_s: float, remembered: bool
    ) -> None:
        asked: list[Json] = [{"price": 1}]

        def fetch(_client: HttpClient, budget: CallBudget) -> Json:
            asked.append(None)
            if len(asked) == 2:
                return asked[0]
            clock.advance(budget.seconds_left)
            raise SlowError("It hangs.", source="exchange.trading")

        reader.read(price_want(fetch), CallBudget(clock))
        clock.advance(age_s)
        reading = reader.read(price_want(fetch), CallBudget(clock))
        assert (reading.value, reading.degraded, reading.note) == (1, True, "Not refreshed: It hangs.")
        if remembered:
            assert reader.read(price_want(fetch), CallBudget(clock)).degraded
        else:
            with pytest.raises(SlowError):
                reader.read(price_want(fetch), CallBudget(clock))
        assert len(asked) == (3 if remembered else 4)

    def test_the_place_of_an_odd_figure_is_told_to_the_log_only(
        self, reader: CachedReader, clock: ManualClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fetch(_client: HttpClient, _budget: CallBudget) -> Json:
            raise misfit("hyperliquid.book", where="levels.0.0.px")

        said = "The answer of Hyperliquid's order book has an unexpected form or figure, so it is not used."
        with pytest.raises(UnexpectedError) as raised:
            reader.read(price_want(fetch), CallBudget(clock))
        assert str(raised.value) == said
        assert caplog.messages == [f"hyperliquid.book: UnexpectedError: {said} (at levels.0.0.px)"]


class TestManyResources:
    def test_with_copies_of_all_in_hand_nobody_waits_for_more_than_a_few(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        wants = [price.want(f"wallet {number}") for number in range(44)]
        reader.read_many(wants, CallBudget(clock))
        clock.advance(31)
        price.meanwhile = Slowly(clock, seconds=1.5, side_by_side=WORKERS_PER_CALLER)
        began_s, asked_before = clock.seconds, price.asked
        outcomes = reader.read_many(wants, CallBudget(clock))
        readings = [outcome for outcome in outcomes if isinstance(outcome, Reading)]
        assert len(readings) == 44
        assert clock.seconds - began_s <= SPARED_S + 1.5
        asked = price.asked - asked_before
        assert asked <= 3 * WORKERS_PER_CALLER < 44
        assert [reading.state for reading in readings].count(State.STALE) == 44 - asked
        assert not any(reading.degraded for reading in readings)

    def test_several_resources_come_in_one_round_trip(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        counting_cache: CountingCache,
    ) -> None:
        wants = [price.want(f"wallet {number}") for number in range(44)]
        reader_of().read_many(wants, CallBudget(clock))
        before = counting_cache.reads
        outcomes = reader_of().read_many(wants, CallBudget(clock))
        assert counting_cache.reads - before == 1
        assert all(isinstance(outcome, Reading) for outcome in outcomes)
        assert price.asked == 44

    def test_one_that_fails_does_not_fail_the_others_and_the_order_is_kept(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        dead = PriceSource()
        dead.answer = MissingError("No such wallet.", source="exchange.wallets")
        sources = [dead if number % 11 == 3 else price for number in range(44)]
        wants = [each.want(f"wallet {number}") for number, each in enumerate(sources)]
        outcomes = reader.read_many(wants, CallBudget(clock))
        assert [isinstance(outcome, MissingError) for outcome in outcomes] == [
            each is dead for each in sources
        ]

    def test_one_that_is_asked_for_twice_is_fetched_once(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        outcomes = reader.read_many([price.want(), price.want()], CallBudget(clock))
        assert [outcome.value for outcome in outcomes if isinstance(outcome, Reading)] == [1, 1]
        assert price.asked == 1

    def test_a_call_takes_one_place_in_the_waiting_room_however_much_it_reads(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        wants = [price.want(f"wallet {number}") for number in range(44)]
        outcomes = reader_of(waiters=1).read_many(wants, CallBudget(clock))
        assert all(isinstance(outcome, Reading) for outcome in outcomes)

    def test_refreshes_run_side_by_side(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        together = Barrier(6)
        wants = [price.want(f"wallet {number}") for number in range(6)]
        price.meanwhile = lambda: together.wait(10)
        assert all(isinstance(each, Reading) for each in reader.read_many(wants, CallBudget(clock)))

    def test_nothing_asked_for_is_nothing_read(
        self, reader: CachedReader, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        assert reader.read_many([], CallBudget(clock)) == []
        assert counting_cache.reads == 0
