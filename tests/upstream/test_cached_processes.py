"""Cached reads of several processes over one cache, and what is stored there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import (
    SlowError,
    UnreachableError,
)
from papertrade_site.upstream.freshness import State
from tests.clocks import ManualClock
from tests.upstream.counting_cache import CountingCache
from tests.upstream.prices import SIMULATED, PriceSource, unreachable

NOW_MS = ManualClock().now_ms()
LIVE = "live https://exchange.example"


class TestSeveralProcesses:
    def test_a_copy_that_one_process_read_serves_another_and_is_parsed_once_in_each(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        for reader in (here, elsewhere, here, elsewhere):
            assert reader.read(price.want(), CallBudget(clock)).value == 1
        assert (price.asked, price.parsed) == (1, 2)

    def test_a_newer_copy_of_another_process_replaces_an_old_one(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(price.want(), CallBudget(clock))
        clock.advance(31)
        price.answer = {"price": 2}
        elsewhere.read(price.want(), CallBudget(clock))
        clock.advance(29)
        assert here.read(price.want(), CallBudget(clock)).value == 2
        assert price.asked == 2

    def test_a_process_without_a_copy_waits_for_the_fetch_of_another(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        pool: ThreadPoolExecutor,
    ) -> None:
        price.hold_up()
        leader = pool.submit(reader_of().read, price.want(), CallBudget(clock))
        assert price.entered.wait(10)

        def wait_for_leader(seconds: float) -> None:
            assert 0.02 <= seconds <= 0.05
            price.gate.set()
            leader.result(10)

        waiting = reader_of(sleep=wait_for_leader)
        assert waiting.read(price.want(), CallBudget(clock)).value == 1
        assert price.asked == 1

    def test_while_another_process_refreshes_the_previous_copy_is_served_and_looked_after_sparingly(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        pool: ThreadPoolExecutor,
        counting_cache: CountingCache,
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(price.want(), CallBudget(clock))
        clock.advance(31)
        price.hold_up()
        refresh = pool.submit(elsewhere.read, price.want(), CallBudget(clock))
        assert price.entered.wait(10)
        before = counting_cache.reads
        readings = [here.read(price.want(), CallBudget(clock)) for _ in range(20)]
        assert {(reading.state, reading.degraded) for reading in readings} == {(State.STALE, False)}
        assert counting_cache.reads - before == 2
        assert price.parsed == 2
        price.gate.set()
        refresh.result(10)
        clock.advance(0.2)
        assert here.read(price.want(), CallBudget(clock)).state is State.FRESH
        assert price.asked == 2

    def test_a_process_waits_no_longer_than_its_budget_for_one_that_died(
        self,
        reader: CachedReader,
        price: PriceSource,
        clock: ManualClock,
        counting_cache: CountingCache,
    ) -> None:
        counting_cache.add(price.want().keys.lock_key, "the dead", timeout=15)
        began = clock.seconds
        with pytest.raises(SlowError):
            reader.read(price.want(), CallBudget(clock, seconds=3))
        assert clock.seconds - began == pytest.approx(3, abs=0.05)
        counting_cache.delete(price.want().keys.lock_key)
        assert reader.read(price.want(), CallBudget(clock)).value == 1

    def test_a_reader_without_a_copy_takes_the_place_of_one_that_died_in_time_for_its_own_fetch(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        lock_key = price.want().keys.lock_key
        counting_cache.add(lock_key, "the dead", timeout=None)
        began = clock.seconds
        assert reader.read(price.want(), CallBudget(clock)).value == 1
        assert clock.seconds - began == pytest.approx(4, abs=0.05)
        assert counting_cache.get(lock_key) is None

    def test_a_lock_that_never_expires_does_not_keep_a_copy_from_being_refreshed(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        counting_cache.add(price.want().keys.lock_key, ["not", "ours"], timeout=None)
        clock.advance(31)
        assert reader.read(price.want(), CallBudget(clock)).state is State.STALE
        clock.advance(4)
        assert reader.read(price.want(), CallBudget(clock)).value == 2

    def test_a_lock_that_changes_hands_is_not_taken_from_anyone(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        reader.read(price.want(), CallBudget(clock))
        clock.advance(31)
        for holder in range(6):
            counting_cache.set(price.want().keys.lock_key, f"the living {holder}", timeout=15)
            assert reader.read(price.want(), CallBudget(clock)).state is State.STALE
            clock.advance(3.9)
        assert price.asked == 1

    def test_a_lock_is_given_back_after_a_refresh_also_when_it_fails(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        price.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader.read(price.want(), CallBudget(clock))
        assert counting_cache.get(price.want().keys.lock_key) is None

    def test_a_lock_that_is_anothers_by_now_is_left_alone(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        lock_key = price.want().keys.lock_key
        price.meanwhile = lambda: counting_cache.set(lock_key, "another's", timeout=15)
        reader.read(price.want(), CallBudget(clock))
        assert counting_cache.get(lock_key) == "another's"

    def test_a_lock_near_its_expiry_is_left_to_expire(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        price.meanwhile = lambda: clock.advance(14)
        reader.read(price.want(), CallBudget(clock))
        assert counting_cache.get(price.want().keys.lock_key) is not None


class TestStoredRows:
    @pytest.mark.parametrize("other", [LIVE, "simulated http://127.0.0.1:8002", "live http://127.0.0.1:8001"])
    def test_a_copy_of_one_origin_is_never_served_as_another(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, other: str
    ) -> None:
        reader.read(price.want(origin=SIMULATED), CallBudget(clock))
        price.answer = {"price": 2}
        assert reader.read(price.want(origin=other), CallBudget(clock)).value == 2
        assert reader.read(price.want(origin=SIMULATED), CallBudget(clock)).value == 1

    def test_an_older_stored_row_never_replaces_a_newer_copy(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock, counting_cache: CountingCache
    ) -> None:
        key = price.want().keys.copy_key
        reader.read(price.want(), CallBudget(clock))
        older = counting_cache.get(key)
        clock.advance(31)
        price.answer = {"price": 2}
        reader.read(price.want(), CallBudget(clock))
        counting_cache.set(key, older)
        clock.advance(31)
        price.answer = unreachable()
        assert reader.read(price.want(), CallBudget(clock)).value == 2

    def test_a_stored_row_replaces_a_copy_from_the_future(
        self, reader_of: Callable[..., CachedReader], price: PriceSource, clock: ManualClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(price.want(), CallBudget(clock))
        clock.ms -= 3_600_000
        price.answer = {"price": 2}
        elsewhere.read(price.want(), CallBudget(clock))
        assert here.read(price.want(), CallBudget(clock)).value == 2
        assert price.asked == 2

    def test_resources_do_not_share_copies(
        self, reader: CachedReader, price: PriceSource, clock: ManualClock
    ) -> None:
        reader.read(price.want("history 1h"), CallBudget(clock))
        price.answer = {"price": 2}
        assert reader.read(price.want("history 1d"), CallBudget(clock)).value == 2

    @pytest.mark.parametrize(
        "change",
        [
            {"origin": LIVE},
            {"key": "summary"},
            {"fetchedAtMs": None},
            {"fetchedAtMs": True},
            {"fetchedAtMs": str(NOW_MS)},
            {"fetchedAtMs": NOW_MS + 1_001},
            {"fetchedAtMs": NOW_MS - 600_001},
            {"payload": {"price": "1"}},
            {"payload": None},
        ],
    )
    def test_a_stored_row_that_does_not_match_or_does_not_parse_counts_as_absent(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        counting_cache: CountingCache,
        change: dict[str, Any],
    ) -> None:
        reader_of().read(price.want(), CallBudget(clock))
        key = price.want().keys.copy_key
        counting_cache.set(key, {**counting_cache.get(key), **change})
        price.answer = {"price": 2}
        assert reader_of().read(price.want(), CallBudget(clock)).value == 2

    @pytest.mark.parametrize("row", [None, 7, "text", [], {}, {"payload": {"price": 3}}])
    def test_a_stored_value_that_is_no_row_counts_as_absent(
        self,
        reader: CachedReader,
        price: PriceSource,
        clock: ManualClock,
        counting_cache: CountingCache,
        row: Json,
    ) -> None:
        keys = price.want().keys
        counting_cache.set(keys.copy_key, row)
        counting_cache.set(keys.failure_key, row)
        assert reader.read(price.want(), CallBudget(clock)).value == 1

    @pytest.mark.parametrize(
        "change",
        [
            {"origin": LIVE},
            {"kind": "UpstreamError"},
            {"kind": ["SlowError"]},
            {"kind": "BudgetSpentError"},
            {"holdS": None},
            {"holdS": True},
            {"holdS": 0},
            {"holdS": 301, "untilMs": NOW_MS + 300_000},
            {"untilMs": True},
            {"untilMs": None},
            {"untilMs": NOW_MS + 4_001},
            {"untilMs": NOW_MS},
            {"untilMs": NOW_MS + 300_001},
        ],
    )
    def test_a_stored_failure_that_does_not_match_counts_as_absent(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        counting_cache: CountingCache,
        change: dict[str, Any],
    ) -> None:
        price.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader_of().read(price.want(), CallBudget(clock))
        key = price.want().keys.failure_key
        counting_cache.set(key, {**counting_cache.get(key), **change})
        price.answer = {"price": 2}
        assert reader_of().read(price.want(), CallBudget(clock)).value == 2

    def test_no_text_of_a_stored_failure_reaches_a_reader(
        self,
        reader_of: Callable[..., CachedReader],
        price: PriceSource,
        clock: ManualClock,
        counting_cache: CountingCache,
    ) -> None:
        price.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader_of().read(price.want(), CallBudget(clock))
        key = price.want().keys.failure_key
        assert not {"message", "source"} & set(counting_cache.get(key))
        poison = {"message": "<script>", "source": "<script>"}
        counting_cache.set(key, {**counting_cache.get(key), **poison})
        with pytest.raises(UnreachableError) as raised:
            reader_of().read(price.want(), CallBudget(clock))
        assert str(raised.value) == "The exchange's list of markets could not be reached a moment ago."
        assert (raised.value.source, price.asked) == ("exchange.trading", 1)

    def test_keys_are_safe_for_any_cache_whatever_the_resource_is_called(self, price: PriceSource) -> None:
        keys = price.want("wallet \n\x00 é " * 100).keys
        for key in (keys.copy_key, keys.failure_key, keys.lock_key):
            assert key.isascii()
            assert key.isprintable()
            assert " " not in key
            assert len(key) < 100
