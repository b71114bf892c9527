"""Cached reads in one process and in several over one cache; clock and source obey the test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event, Lock
from typing import Any, cast
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache

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
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Lifetime, Resource
from papertrade_site.upstream.strict_json import Json
from papertrade_site.upstream.want import Want

NO_CLIENT = cast(HttpClient, None)
SIMULATED = "simulated http://127.0.0.1:8001"
LIVE = "live https://exchange.example"
START_MS = 1_796_000_000_000


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.ms = START_MS
        self.elapsed_s = 0.0

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.elapsed_s

    def move(self, seconds: float) -> None:
        self.ms += round(seconds * 1000)
        self.elapsed_s += seconds


class FakeSource:
    """Answers what it is told to, counts what it is asked, and can be held up."""

    def __init__(self) -> None:
        self.answer: Json | Exception = {"price": 1}
        self.asked = 0
        self.parsed = 0
        self.entered = Event()
        self.gate = Event()
        self.gate.set()
        self.meanwhile: Callable[[], object] = lambda: None
        self._lock = Lock()

    def want(
        self,
        key: str = "trading",
        *,
        name: str = "exchange.trading",
        origin: str = SIMULATED,
    ) -> Want[int]:
        resource = Resource(
            name=name,
            key=key,
            lifetime=Lifetime(fresh_s=30, stale_s=600),
            fetch=self._fetch,
            parse=self._parse,
            observed_at_ms=lambda _: None,
        )
        return Want(resource, NO_CLIENT, origin)

    def hold_up(self) -> None:
        self.gate.clear()
        self.entered.clear()

    def _fetch(self, _client: HttpClient, _budget: CallBudget) -> Json:
        with self._lock:
            self.asked += 1
        answer = self.answer
        self.entered.set()
        assert self.gate.wait(10)
        self.meanwhile()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _parse(self, payload: Json, _now_ms: int) -> int:
        with self._lock:
            self.parsed += 1
        if not isinstance(payload, dict) or type(payload.get("price")) is not int:
            raise UnexpectedError("The price is missing.", source="exchange.trading")
        return int(payload["price"])


class CountingCache(LocMemCache):
    """Counts the round trips that read."""

    reads = 0

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        self.reads += 1
        return super().get_many(keys, version)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def cache() -> CountingCache:
    return CountingCache(uuid4().hex, {})


@pytest.fixture
def reader_of(cache: CountingCache, clock: FakeClock) -> Iterator[Callable[..., CachedReader]]:
    """Makes readers over one cache; each stands for a process."""
    readers: list[CachedReader] = []

    def make(*, waiters: int = 64, sleep: Callable[[float], None] = clock.move) -> CachedReader:
        readers.append(CachedReader(cache, clock, waiters=waiters, sleep=sleep))
        return readers[-1]

    yield make
    for reader in readers:
        reader.close()


@pytest.fixture
def reader(reader_of: Callable[..., CachedReader]) -> CachedReader:
    return reader_of()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(64) as threads:
        yield threads


def unreachable(retry_after_s: int | None = None) -> UnreachableError:
    return UnreachableError("It is down.", source="exchange.trading", retry_after_s=retry_after_s)


class TestOneProcess:
    def test_a_fresh_copy_is_served_without_asking_again(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.move(30)
        reading = reader.read(source.want(), CallBudget(clock))
        assert source.asked == 1
        assert reading == Reading(
            name="exchange.trading",
            value=1,
            fetched_at_ms=START_MS,
            observed_at_ms=None,
            state=State.FRESH,
        )

    def test_a_copy_past_its_fresh_time_is_refreshed_by_its_first_reader(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.move(30.001)
        source.answer = {"price": 2}
        reading = reader.read(source.want(), CallBudget(clock))
        assert (reading.value, reading.state, reading.fetched_at_ms) == (2, State.FRESH, clock.ms)

    def test_a_failed_refresh_leaves_the_previous_copy_degraded_with_a_note(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.move(600)
        source.answer = unreachable()
        assert reader.read(source.want(), CallBudget(clock)) == Reading(
            name="exchange.trading",
            value=1,
            fetched_at_ms=START_MS,
            observed_at_ms=None,
            state=State.STALE,
            degraded=True,
            note="Not refreshed: It is down.",
        )

    def test_a_copy_past_its_stale_limit_is_gone_and_the_error_comes_out(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.move(600.001)
        source.answer = unreachable()
        with pytest.raises(UnreachableError, match=r"^It is down\.$"):
            reader.read(source.want(), CallBudget(clock))

    def test_an_answer_that_does_not_parse_is_a_failure_and_is_never_stored(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        source.answer = {"price": "nonsense"}
        with pytest.raises(UnexpectedError):
            reader_of().read(source.want(), CallBudget(clock))
        clock.move(4)
        source.answer = {"price": 2}
        assert reader_of().read(source.want(), CallBudget(clock)).value == 2

    def test_a_call_without_time_left_gets_the_previous_copy_degraded(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.move(31)
        reading = reader.read(source.want(), CallBudget(clock, seconds=0))
        assert (reading.state, reading.degraded, source.asked) == (State.STALE, True, 1)

    def test_a_call_without_time_left_and_without_a_copy_fails_as_slow(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        with pytest.raises(SlowError):
            reader.read(source.want(), CallBudget(clock, seconds=0))
        assert source.asked == 0

    def test_an_age_is_never_negative_when_the_clock_goes_back_a_little(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.ms -= 900
        reading = reader.read(source.want(), CallBudget(clock))
        assert (reading.fetched_at_ms, source.asked) == (clock.ms, 1)

    def test_a_copy_from_the_future_counts_as_absent_when_the_clock_goes_back_far(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.ms -= 3_600_000
        source.answer = {"price": 2}
        assert reader.read(source.want(), CallBudget(clock)).value == 2


class TestRememberedFailures:
    def test_a_dead_source_is_not_asked_again_by_the_next_callers(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        source.answer = unreachable()
        here, elsewhere = reader_of(), reader_of()
        for reader in (here, here, elsewhere):
            with pytest.raises(UnreachableError, match=r"^It is down\.$"):
                reader.read(source.want(), CallBudget(clock))
        assert source.asked == 1

    def test_a_failure_is_forgotten_after_three_seconds(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        source.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader.read(source.want(), CallBudget(clock))
        clock.move(3)
        source.answer = {"price": 1}
        assert reader.read(source.want(), CallBudget(clock)).value == 1

    @pytest.mark.parametrize(("asked_for_s", "held_s"), [(0, 3), (1, 1), (20, 20), (900, 300)])
    def test_a_failure_is_remembered_as_long_as_the_source_asks_within_bounds(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, asked_for_s: int, held_s: int
    ) -> None:
        source.answer = BusyError("It is busy.", source="exchange.trading", retry_after_s=asked_for_s)
        with pytest.raises(BusyError):
            reader.read(source.want(), CallBudget(clock))
        clock.move(held_s - 0.5)
        with pytest.raises(BusyError) as raised:
            reader.read(source.want(), CallBudget(clock))
        assert (raised.value.retry_after_s, source.asked) == (1, 1)
        clock.move(0.5)
        with pytest.raises(BusyError):
            reader.read(source.want(), CallBudget(clock))
        assert source.asked == 2

    @pytest.mark.parametrize("kind", [UnreachableError, SlowError, BusyError, MissingError, UnexpectedError])
    def test_every_kind_of_failure_reaches_other_processes_as_itself(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        kind: type[UpstreamError],
    ) -> None:
        source.answer = kind("Our words.", source="exchange.trading")
        for reader in (reader_of(), reader_of()):
            with pytest.raises(kind, match=r"^Our words\.$") as raised:
                reader.read(source.want(), CallBudget(clock))
            assert raised.value.source == "exchange.trading"
        assert source.asked == 1

    def test_a_previous_copy_is_served_degraded_while_a_failure_is_remembered(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(source.want(), CallBudget(clock))
        clock.move(40)
        source.answer = unreachable()
        readings = [reader.read(source.want(), CallBudget(clock)) for reader in (here, here, elsewhere)]
        assert [(reading.value, reading.degraded) for reading in readings] == [(1, True)] * 3
        assert source.asked == 2

    @pytest.mark.parametrize(
        ("error", "seconds"),
        [
            (BudgetSpentError("Too many requests.", source="exchange.trading"), 12.0),
            (SlowError("Too slow.", source="exchange.trading"), 3.9),
        ],
    )
    def test_a_failure_of_the_callers_own_budget_is_not_held_against_the_source(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, error: UpstreamError, seconds: float
    ) -> None:
        source.answer = error
        with pytest.raises(type(error)):
            reader.read(source.want(), CallBudget(clock, seconds=seconds))
        source.answer = {"price": 1}
        assert reader.read(source.want(), CallBudget(clock)).value == 1


class TestManyThreads:
    def test_64_readers_of_a_cold_resource_make_one_fetch(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, pool: ThreadPoolExecutor
    ) -> None:
        source.hold_up()
        together = Barrier(64)

        def read() -> Reading[int]:
            together.wait(10)
            return reader.read(source.want(), CallBudget(clock))

        readings = [pool.submit(read) for _ in range(64)]
        assert source.entered.wait(10)
        source.gate.set()
        assert [reading.result(10).value for reading in readings] == [1] * 64
        assert source.asked == 1

    def test_64_readers_of_a_dead_resource_make_one_fetch_and_all_learn_why(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, pool: ThreadPoolExecutor
    ) -> None:
        source.answer = unreachable()
        source.hold_up()
        readings = [pool.submit(reader.read, source.want(), CallBudget(clock)) for _ in range(64)]
        assert source.entered.wait(10)
        source.gate.set()
        assert [str(reading.exception(10)) for reading in readings] == ["It is down."] * 64
        assert source.asked == 1

    def test_while_one_thread_refreshes_the_others_get_the_previous_copy_with_its_age(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, pool: ThreadPoolExecutor
    ) -> None:
        reader.read(source.want(), CallBudget(clock))
        clock.move(100)
        source.hold_up()
        refresh = pool.submit(reader.read, source.want(), CallBudget(clock))
        assert source.entered.wait(10)
        reading = reader.read(source.want(), CallBudget(clock))
        assert (reading.state, reading.degraded, reading.note) == (State.STALE, False, None)
        assert reading.fetched_at_ms == START_MS
        source.gate.set()
        assert refresh.result(10).state is State.FRESH

    def test_a_refresh_that_another_call_has_begun_meanwhile_is_not_waited_for(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, pool: ThreadPoolExecutor
    ) -> None:
        slow = FakeSource()
        wants = [*(source.want(f"wallet {number}") for number in range(6)), slow.want("wallet 6")]
        reader.read_many(wants, CallBudget(clock))
        clock.move(100)
        slow.hold_up()

        def let_another_call_refresh_the_last() -> None:
            pool.submit(reader.read, wants[-1], CallBudget(clock))
            assert slow.entered.wait(10)

        source.meanwhile = let_another_call_refresh_the_last
        *_, last = reader.read_many(wants, CallBudget(clock))
        assert isinstance(last, Reading)
        assert (last.state, last.degraded) == (State.STALE, False)
        slow.gate.set()

    def test_a_leader_that_breaks_strands_nobody(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, pool: ThreadPoolExecutor
    ) -> None:
        source.answer = ZeroDivisionError()
        source.hold_up()
        leader = pool.submit(reader.read, source.want(), CallBudget(clock))
        assert source.entered.wait(10)
        source.answer = {"price": 2}
        followers = [pool.submit(reader.read, source.want(), CallBudget(clock)) for _ in range(8)]
        source.gate.set()
        assert isinstance(leader.exception(10), ZeroDivisionError)
        assert [follower.result(10).value for follower in followers] == [2] * 8
        assert source.asked == 2

    def test_a_follower_takes_over_from_a_leader_whose_budget_is_spent(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, pool: ThreadPoolExecutor
    ) -> None:
        source.answer = BudgetSpentError("Too many requests.", source="exchange.trading")
        source.hold_up()
        leader = pool.submit(reader.read, source.want(), CallBudget(clock))
        assert source.entered.wait(10)
        source.answer = {"price": 2}
        follower = pool.submit(reader.read, source.want(), CallBudget(clock))
        source.gate.set()
        assert isinstance(leader.exception(10), BudgetSpentError)
        assert follower.result(10).value == 2


class TestWaitingRoom:
    @pytest.fixture
    def crowded(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        pool: ThreadPoolExecutor,
    ) -> Iterator[tuple[CachedReader, Future[Reading[int]]]]:
        """A process whose two places are both taken by callers that wait."""
        reader = reader_of(waiters=2)
        reader.read(source.want("held"), CallBudget(clock))
        clock.move(31)
        source.hold_up()
        leader = pool.submit(reader.read, source.want("cold"), CallBudget(clock))
        assert source.entered.wait(10)
        source.entered.clear()
        second = pool.submit(reader.read, source.want("second"), CallBudget(clock))
        assert source.entered.wait(10)
        yield reader, leader
        source.gate.set()
        second.result(10)

    def test_one_caller_too_many_is_told_to_come_back(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        source: FakeSource,
        clock: FakeClock,
    ) -> None:
        with pytest.raises(BusyError, match="Try again in 2 s") as raised:
            crowded[0].read(source.want("third"), CallBudget(clock))
        assert (raised.value.retry_after_s, raised.value.source) == (2, "exchange.trading")

    def test_one_caller_too_many_gets_the_previous_copy_which_is_not_degraded(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        source: FakeSource,
        clock: FakeClock,
    ) -> None:
        reading = crowded[0].read(source.want("held"), CallBudget(clock))
        assert (reading.value, reading.state, reading.degraded) == (1, State.STALE, False)
        assert reading.note == "Not refreshed: too many readers are waiting already."

    def test_who_gets_the_previous_copy_during_a_refresh_needs_no_place(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        pool: ThreadPoolExecutor,
    ) -> None:
        reader = reader_of(waiters=1)
        reader.read(source.want(), CallBudget(clock))
        clock.move(31)
        source.hold_up()
        pool.submit(reader.read, source.want(), CallBudget(clock))
        assert source.entered.wait(10)
        assert reader.read(source.want(), CallBudget(clock)).note is None
        source.gate.set()

    def test_a_place_is_free_again_once_its_caller_is_done(
        self,
        crowded: tuple[CachedReader, Future[Reading[int]]],
        source: FakeSource,
        clock: FakeClock,
    ) -> None:
        reader, leader = crowded
        source.gate.set()
        leader.result(10)
        assert reader.read(source.want("third"), CallBudget(clock)).value == 1


class TestSeveralProcesses:
    def test_a_copy_that_one_process_read_serves_another_and_is_parsed_once_in_each(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        for reader in (here, elsewhere, here, elsewhere):
            assert reader.read(source.want(), CallBudget(clock)).value == 1
        assert (source.asked, source.parsed) == (1, 2)

    def test_a_newer_copy_of_another_process_replaces_an_old_one(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(source.want(), CallBudget(clock))
        clock.move(31)
        source.answer = {"price": 2}
        elsewhere.read(source.want(), CallBudget(clock))
        clock.move(29)
        assert here.read(source.want(), CallBudget(clock)).value == 2
        assert source.asked == 2

    def test_a_process_without_a_copy_waits_for_the_fetch_of_another(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        pool: ThreadPoolExecutor,
    ) -> None:
        source.hold_up()
        leader = pool.submit(reader_of().read, source.want(), CallBudget(clock))
        assert source.entered.wait(10)

        def wait_for_leader(seconds: float) -> None:
            assert 0.02 <= seconds <= 0.05
            source.gate.set()
            leader.result(10)

        waiting = reader_of(sleep=wait_for_leader)
        assert waiting.read(source.want(), CallBudget(clock)).value == 1
        assert source.asked == 1

    def test_while_another_process_refreshes_the_previous_copy_is_served_and_looked_after_sparingly(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        pool: ThreadPoolExecutor,
        cache: CountingCache,
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(source.want(), CallBudget(clock))
        clock.move(31)
        source.hold_up()
        refresh = pool.submit(elsewhere.read, source.want(), CallBudget(clock))
        assert source.entered.wait(10)
        before = cache.reads
        readings = [here.read(source.want(), CallBudget(clock)) for _ in range(20)]
        assert {(reading.state, reading.degraded) for reading in readings} == {(State.STALE, False)}
        assert cache.reads - before == 2
        assert source.parsed == 2
        source.gate.set()
        refresh.result(10)
        clock.move(0.2)
        assert here.read(source.want(), CallBudget(clock)).state is State.FRESH
        assert source.asked == 2

    def test_a_process_waits_no_longer_than_its_budget_for_one_that_died(
        self,
        reader: CachedReader,
        source: FakeSource,
        clock: FakeClock,
        cache: CountingCache,
    ) -> None:
        cache.add(source.want().place.lock_key, "the dead", timeout=15)
        with pytest.raises(SlowError):
            reader.read(source.want(), CallBudget(clock, seconds=3))
        assert clock.elapsed_s == pytest.approx(3, abs=0.05)
        cache.delete(source.want().place.lock_key)
        assert reader.read(source.want(), CallBudget(clock)).value == 1

    def test_a_lock_is_given_back_after_a_refresh_also_when_it_fails(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, cache: CountingCache
    ) -> None:
        source.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader.read(source.want(), CallBudget(clock))
        assert cache.get(source.want().place.lock_key) is None

    def test_a_lock_that_is_anothers_by_now_is_left_alone(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, cache: CountingCache
    ) -> None:
        lock_key = source.want().place.lock_key
        source.meanwhile = lambda: cache.set(lock_key, "another's", timeout=15)
        reader.read(source.want(), CallBudget(clock))
        assert cache.get(lock_key) == "another's"

    def test_a_lock_near_its_expiry_is_left_to_expire(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, cache: CountingCache
    ) -> None:
        source.meanwhile = lambda: clock.move(14)
        reader.read(source.want(), CallBudget(clock))
        assert cache.get(source.want().place.lock_key) is not None


class TestStoredRows:
    @pytest.mark.parametrize("other", [LIVE, "simulated http://127.0.0.1:8002", "live http://127.0.0.1:8001"])
    def test_a_copy_of_one_origin_is_never_served_as_another(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, other: str
    ) -> None:
        reader.read(source.want(origin=SIMULATED), CallBudget(clock))
        source.answer = {"price": 2}
        assert reader.read(source.want(origin=other), CallBudget(clock)).value == 2
        assert reader.read(source.want(origin=SIMULATED), CallBudget(clock)).value == 1

    def test_an_older_stored_row_never_replaces_a_newer_copy(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, cache: CountingCache
    ) -> None:
        key = source.want().place.copy_key
        reader.read(source.want(), CallBudget(clock))
        older = cache.get(key)
        clock.move(31)
        source.answer = {"price": 2}
        reader.read(source.want(), CallBudget(clock))
        cache.set(key, older)
        clock.move(31)
        source.answer = unreachable()
        assert reader.read(source.want(), CallBudget(clock)).value == 2

    def test_a_stored_row_replaces_a_copy_from_the_future(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        here, elsewhere = reader_of(), reader_of()
        here.read(source.want(), CallBudget(clock))
        clock.ms -= 3_600_000
        source.answer = {"price": 2}
        elsewhere.read(source.want(), CallBudget(clock))
        assert here.read(source.want(), CallBudget(clock)).value == 2
        assert source.asked == 2

    def test_resources_do_not_share_copies(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        reader.read(source.want("history 1h"), CallBudget(clock))
        source.answer = {"price": 2}
        assert reader.read(source.want("history 1d"), CallBudget(clock)).value == 2

    @pytest.mark.parametrize(
        "change",
        [
            {"origin": LIVE},
            {"key": "summary"},
            {"fetchedAtMs": None},
            {"fetchedAtMs": True},
            {"fetchedAtMs": str(START_MS)},
            {"fetchedAtMs": START_MS + 1_001},
            {"fetchedAtMs": START_MS - 600_001},
            {"payload": {"price": "1"}},
            {"payload": None},
        ],
    )
    def test_a_stored_row_that_does_not_match_or_does_not_parse_counts_as_absent(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        cache: CountingCache,
        change: dict[str, Any],
    ) -> None:
        reader_of().read(source.want(), CallBudget(clock))
        key = source.want().place.copy_key
        cache.set(key, {**cache.get(key), **change})
        source.answer = {"price": 2}
        assert reader_of().read(source.want(), CallBudget(clock)).value == 2

    @pytest.mark.parametrize("row", [None, 7, "text", [], {}, {"payload": {"price": 3}}])
    def test_a_stored_value_that_is_no_row_counts_as_absent(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock, cache: CountingCache, row: Json
    ) -> None:
        place = source.want().place
        cache.set(place.copy_key, row)
        cache.set(place.failure_key, row)
        assert reader.read(source.want(), CallBudget(clock)).value == 1

    @pytest.mark.parametrize(
        "change",
        [
            {"origin": LIVE},
            {"kind": "UpstreamError"},
            {"kind": ["SlowError"]},
            {"message": 7},
            {"source": None},
            {"untilMs": True},
            {"untilMs": START_MS},
            {"untilMs": START_MS + 300_001},
        ],
    )
    def test_a_stored_failure_that_does_not_match_counts_as_absent(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        cache: CountingCache,
        change: dict[str, Any],
    ) -> None:
        source.answer = unreachable()
        with pytest.raises(UnreachableError):
            reader_of().read(source.want(), CallBudget(clock))
        key = source.want().place.failure_key
        cache.set(key, {**cache.get(key), **change})
        source.answer = {"price": 2}
        assert reader_of().read(source.want(), CallBudget(clock)).value == 2

    def test_keys_are_safe_for_any_cache_whatever_the_resource_is_called(self, source: FakeSource) -> None:
        place = source.want("wallet \n\x00 é " * 100).place
        for key in (place.copy_key, place.failure_key, place.lock_key):
            assert key.isascii()
            assert key.isprintable()
            assert " " not in key
            assert len(key) < 100


class TestManyResources:
    def test_several_resources_come_in_one_round_trip(
        self,
        reader_of: Callable[..., CachedReader],
        source: FakeSource,
        clock: FakeClock,
        cache: CountingCache,
    ) -> None:
        wants = [source.want(f"wallet {number}") for number in range(44)]
        reader_of().read_many(wants, CallBudget(clock))
        before = cache.reads
        outcomes = reader_of().read_many(wants, CallBudget(clock))
        assert cache.reads - before == 1
        assert all(isinstance(outcome, Reading) for outcome in outcomes)
        assert source.asked == 44

    def test_one_that_fails_does_not_fail_the_others_and_the_order_is_kept(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        dead = FakeSource()
        dead.answer = MissingError("No such wallet.", source="exchange.wallets")
        sources = [dead if number % 11 == 3 else source for number in range(44)]
        wants = [each.want(f"wallet {number}") for number, each in enumerate(sources)]
        outcomes = reader.read_many(wants, CallBudget(clock))
        assert [isinstance(outcome, MissingError) for outcome in outcomes] == [
            each is dead for each in sources
        ]

    def test_one_that_is_asked_for_twice_is_fetched_once(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        outcomes = reader.read_many([source.want(), source.want()], CallBudget(clock))
        assert [outcome.value for outcome in outcomes if isinstance(outcome, Reading)] == [1, 1]
        assert source.asked == 1

    def test_a_call_takes_one_place_in_the_waiting_room_however_much_it_reads(
        self, reader_of: Callable[..., CachedReader], source: FakeSource, clock: FakeClock
    ) -> None:
        wants = [source.want(f"wallet {number}") for number in range(44)]
        outcomes = reader_of(waiters=1).read_many(wants, CallBudget(clock))
        assert all(isinstance(outcome, Reading) for outcome in outcomes)

    def test_refreshes_run_side_by_side(
        self, reader: CachedReader, source: FakeSource, clock: FakeClock
    ) -> None:
        together = Barrier(6)
        wants = [source.want(f"wallet {number}") for number in range(6)]
        source.meanwhile = lambda: together.wait(10)
        assert all(isinstance(each, Reading) for each in reader.read_many(wants, CallBudget(clock)))

    def test_nothing_asked_for_is_nothing_read(
        self, reader: CachedReader, clock: FakeClock, cache: CountingCache
    ) -> None:
        assert reader.read_many([], CallBudget(clock)) == []
        assert cache.reads == 0
