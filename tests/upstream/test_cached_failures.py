"""What cached reads remember of failures, and for how long; clock and source obey the test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from papertrade_site.figures.tool import failure_text
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from tests.clocks import ManualClock
from tests.upstream.prices import PriceSource, unreachable


class TestRememberedFailures:
    @pytest.mark.parametrize("back_ms", [1_000, 290_000])
    def test_a_wall_clock_that_is_set_back_prolongs_no_failure(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, back_ms: int
    ) -> None:
        price.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader.read(price.want(), CallBudget(clock))
        clock.ms -= back_ms
        clock.advance(2)
        with pytest.raises(UnreachableError) as raised:
            reader.read(price.want(), CallBudget(clock))
        assert (raised.value.retry_after_s, price.asked) == (1, 1)
        clock.advance(1)
        price.answer = {"price": 2}
        assert reader.read(price.want(), CallBudget(clock)).value == 2

    def test_what_is_kept_of_an_error_holds_on_to_nothing(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = BusyError("It is busy.", source="exchange.trading", retry_after_s=7)
        price.answer.__context__ = ValueError("holds the answer")
        for _ in range(2):
            (kept,) = reader.read_many([price.want()], CallBudget(clock))
            assert isinstance(kept, BusyError)
            assert (str(kept), kept.source, kept.retry_after_s) == ("It is busy.", "exchange.trading", 7)
            assert (kept.__traceback__, kept.__context__) == (None, None)

    def test_a_dead_source_is_not_asked_again_by_the_next_callers(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = unreachable()
        here, elsewhere = reader_of(), reader_of()
        for reader, words in ((here, "It is down"), (here, "It is down"), (elsewhere, "The exchange")):
            with pytest.raises(UnreachableError, match=f"^{words}"):
                reader.read(price.want(), CallBudget(clock))
        assert price.asked == 1

    def test_a_failure_is_forgotten_after_three_seconds(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        price.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader.read(price.want(), CallBudget(clock))
        clock.advance(3)
        price.answer = {"price": 1}
        assert reader.read(price.want(), CallBudget(clock)).value == 1

    @pytest.mark.parametrize(("asked_for_s", "held_s"), [(0, 3), (1, 1), (20, 20), (900, 300)])
    def test_a_failure_is_remembered_as_long_as_the_source_asks_within_bounds(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, asked_for_s: int, held_s: int
    ) -> None:
        price.answer = BusyError("It is busy.", source="exchange.trading", retry_after_s=asked_for_s)
        with pytest.raises(BusyError):
            reader.read(price.want(), CallBudget(clock))
        clock.advance(held_s - 0.5)
        with pytest.raises(BusyError) as raised:
            reader.read(price.want(), CallBudget(clock))
        assert (raised.value.retry_after_s, price.asked) == (1, 1)
        clock.advance(0.5)
        with pytest.raises(BusyError):
            reader.read(price.want(), CallBudget(clock))
        assert price.asked == 2

    @pytest.mark.parametrize("kind", [UnreachableError, SlowError, BusyError, MissingError, UnexpectedError])
    def test_every_kind_of_failure_reaches_other_processes_as_itself(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        kind: type[UpstreamError],
    ) -> None:
        price.answer = kind("Our words.", source="exchange.trading")
        for reader, words in ((reader_of(), r"^Our words\.$"), (reader_of(), "exchange's list of")):
            with pytest.raises(kind, match=words) as raised:
                reader.read(price.want(), CallBudget(clock))
            assert raised.value.source == "exchange.trading"
        assert price.asked == 1

    def test_a_previous_copy_is_served_degraded_while_a_failure_is_remembered(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(price.want(), CallBudget(clock))
        clock.advance(40)
        price.answer = unreachable()
        readings = [reader.read(price.want(), CallBudget(clock)) for reader in (here, here, elsewhere)]
        assert [(reading.value, reading.degraded) for reading in readings] == [(1, True)] * 3
        assert price.asked == 2

    @pytest.mark.parametrize(
        ("error", "seconds"),
        [
            (BudgetSpentError("Too many requests.", source="exchange.trading"), 12.0),
            (SlowError("Too slow.", source="exchange.trading"), 2.9),
        ],
    )
    def test_a_failure_of_the_callers_own_budget_is_not_held_against_the_source(
        self,
        reader: CachedReader,
        price: PriceSource,
        clock: ManualClock,
        error: UpstreamError,
        seconds: float,
    ) -> None:
        price.answer = error
        with pytest.raises(type(error)):
            reader.read(price.want(), CallBudget(clock, seconds=seconds))
        price.answer = {"price": 1}
        assert reader.read(price.want(), CallBudget(clock)).value == 1

    @pytest.mark.parametrize("kind", [MissingError, UnexpectedError])
    def test_how_long_to_wait_is_told_alike_while_a_useless_answer_is_remembered(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        kind: type[UpstreamError],
    ) -> None:
        price.answer = kind("It is of no use.", source="exchange.trading")
        here, elsewhere = reader_of(), reader_of()
        for reader in (here, here, elsewhere):
            with pytest.raises(kind) as raised:
                reader.read(price.want(), CallBudget(clock))
            assert failure_text(raised.value).endswith(" Try again in 60 s.")
        assert price.asked == 1
