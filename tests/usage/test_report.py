"""What is told of usage: from the database, from Redis, and when either is away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import OperationalError
from django.db.backends.utils import CursorWrapper

from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.mcp.admission import Exchange, Handled, Outcome
from papertrade_site.outage import COOL_DOWN_S
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.errors import BusyError, SlowError
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Host
from papertrade_site.usage import report
from papertrade_site.usage.families import Family
from papertrade_site.usage.gathered import NO_DATABASE, NO_REDIS
from papertrade_site.usage.models import UsageHour, UsageMinute
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import LimitedClients, Requests
from tests.clocks import ManualClock
from tests.limits.valkey import OwnValkey
from tests.usage.conftest import NOON_MS, STARTS_MS, Process, ProcessOf

RollUp = Callable[[], None]
PERIODS = list(Period)

pytestmark = pytest.mark.django_db


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have every statement fail."""
    with monkeypatch.context() as patch:
        patch.setattr(CursorWrapper, "execute", _locked)
        yield


def _locked(*_: object) -> None:
    raise OperationalError("database is locked")


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("is_rolled_up", [False, True])
def test_a_server_s_messages_are_told_whether_rolled_up_or_not(
    process: Process, roll_up: RollUp, period: Period, is_rolled_up: bool
) -> None:
    process.call(times=8, ms=2)
    process.call("get_open_interest", times=2, outcome=Outcome.FAILED, ms=800)
    process.call(times=3, outcome=Outcome.LIMITED)
    process.call(times=1, outcome=Outcome.BLOCKED)
    process.call(times=4, reused=True, ms=0.05)
    process.exchange(Exchange((), Outcome.REFUSED))
    process.exchange(Exchange((Handled("ping", None, Outcome.OK, 5.0, reused=False),), Outcome.OK), times=5)
    process.call(times=100, server="liquidations")
    process.flush()
    if is_rolled_up:
        roll_up()
    told = report.usage("analytics", period)
    total = told.total
    assert (total.calls, total.errors, total.limited, total.blocked, total.refused) == (14, 2, 3, 1, 1)
    assert (total.messages, total.reused, total.missing) == (24, 4, ())
    assert total.p50_ms == pytest.approx(2, rel=0.26)
    assert total.p95_ms == pytest.approx(800, rel=0.26)
    assert [(row.tool, row.calls, row.errors, row.reused) for row in told.tools.rows] == [
        ("get_history", 12, 0, 4),
        ("get_open_interest", 2, 2, 0),
    ]
    assert told.series.slots[-1].calls == 14


@pytest.mark.usefixtures("valkey")
def test_the_total_can_be_had_alone(process: Process) -> None:
    process.call()
    process.flush()
    whole = report.usage("analytics", Period.HOUR)
    assert report.server_usage("analytics", Period.HOUR) == whole.total


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize(
    ("period", "slots", "slot_ms"), [("hour", 61, MINUTE_MS), ("day", 25, HOUR_MS), ("week", 169, HOUR_MS)]
)
def test_a_period_ends_with_the_present_slot(period: str, slots: int, slot_ms: int) -> None:
    series = report.usage("analytics", Period(period)).series
    starts_ms = [slot.start_ms for slot in series.slots]
    newest_ms = STARTS_MS - STARTS_MS % slot_ms
    assert starts_ms == [newest_ms - (slots - 1 - place) * slot_ms for place in range(slots)]
    assert {(slot.calls, slot.p95_ms) for slot in series.slots} == {(0, None)}


@pytest.mark.usefixtures("valkey")
def test_minutes_and_hours_are_told_where_they_were(
    process: Process, roll_up: RollUp, clock: ManualClock
) -> None:
    for calls in (1, 2, 3):
        process.call(times=calls)
        process.flush()
        roll_up()
        clock.advance(25 * 60)
    minutes = {
        slot.start_ms: slot.calls
        for slot in report.usage("analytics", Period.HOUR).series.slots
        if slot.calls
    }
    hours = {
        slot.start_ms: slot.calls for slot in report.usage("analytics", Period.DAY).series.slots if slot.calls
    }
    assert minutes == {STARTS_MS + 25 * MINUTE_MS: 2, STARTS_MS + 50 * MINUTE_MS: 3}
    assert hours == {NOON_MS: 3, NOON_MS + HOUR_MS: 3}


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("period", PERIODS)
def test_what_grew_since_the_last_round_counts_once(
    process_of: ProcessOf, roll_up: RollUp, period: Period
) -> None:
    first, second = process_of(), process_of()
    first.call(times=3)
    first.flush()
    roll_up()
    first.call(times=4)
    first.flush()
    second.call(times=5)
    second.flush()
    assert report.server_usage("analytics", period).calls == 12
    roll_up()
    assert report.server_usage("analytics", period).calls == 12


@pytest.mark.parametrize("period", PERIODS)
def test_without_redis_what_was_rolled_up_is_told_and_that_something_is_missing(
    valkey: OwnValkey, process: Process, roll_up: RollUp, period: Period, clock: ManualClock
) -> None:
    process.call(times=3)
    process.flush()
    roll_up()
    with valkey.gone():
        total = report.server_usage("analytics", period)
        assert (total.calls, total.missing) == (3, (NO_REDIS,))
        assert report.top_clients("analytics", period, 5).missing == (NO_REDIS,)
        assert [row.messages for row in report.top_clients("analytics", period, 5).rows] == [3]
        assert report.limited_now("analytics") == LimitedClients((), (NO_REDIS,))
        assert report.cache_use(period).missing == (NO_REDIS,)
        assert report.upstreams().missing == (NO_REDIS,)
    clock.advance(COOL_DOWN_S)
    assert report.server_usage("analytics", period).missing == ()


@pytest.mark.parametrize("period", PERIODS)
def test_without_a_database_what_redis_has_is_told_and_that_something_is_missing(
    valkey: OwnValkey, process: Process, no_database: None, period: Period
) -> None:
    process.call(times=3)
    process.flush()
    total = report.server_usage("analytics", period)
    assert (total.calls, total.missing) == (3, (NO_DATABASE,))
    clients = report.top_clients("analytics", period, 5)
    assert ([row.messages for row in clients.rows], clients.missing) == ([3], (NO_DATABASE,))
    assert report.upstreams().missing == (NO_DATABASE,)


@pytest.mark.usefixtures("no_valkey", "no_database")
@pytest.mark.parametrize("period", PERIODS)
def test_without_both_nothing_is_told_but_that(period: Period) -> None:
    told = report.usage("analytics", period)
    assert (told.total.calls, told.total.p50_ms) == (0, None)
    assert set(told.total.missing) == {NO_REDIS, NO_DATABASE}
    assert len(told.series.slots) == period.slots


@pytest.mark.usefixtures("valkey")
def test_the_busiest_clients_are_told_by_the_hour(
    process_of: ProcessOf, roll_up: RollUp, clock: ManualClock
) -> None:
    process, other = process_of(), process_of()
    process.call(times=3, client="203.0.113.1", name="cursor")
    other.call(times=2, client="203.0.113.1", outcome=Outcome.LIMITED)
    process.call(times=1, client="203.0.113.2")
    for each in (process, other):
        each.flush()
    roll_up()
    clock.advance(3600)
    process.call(times=4, client="203.0.113.2")
    process.flush()
    for period, since_ms in ((Period.HOUR, NOON_MS), (Period.DAY, NOON_MS - 23 * HOUR_MS)):
        clients = report.top_clients("analytics", period, 10)
        assert clients.since_ms == since_ms
        rows = [(row.family, row.messages, row.limited) for row in clients.rows]
        assert sorted(rows) == [(Family.CURSOR, 5, 2), (Family.CURL, 5, 0)]
    assert len(report.top_clients("analytics", Period.DAY, 1).rows) == 1
    clock.advance(3600)
    assert [row.messages for row in report.top_clients("analytics", Period.HOUR, 10).rows] == [4]


@pytest.mark.usefixtures("valkey")
def test_a_client_is_the_same_kind_of_program_among_the_busiest_and_the_limited(
    process_of: ProcessOf,
) -> None:
    named, nameless = process_of(), process_of()
    named.call(client="203.0.113.1", name="cursor")
    nameless.call(client="203.0.113.1", outcome=Outcome.LIMITED)
    for each in (named, nameless):
        each.flush()
    for period in PERIODS:
        busiest, limited = report.top_clients("analytics", period, 9), report.limited_now("analytics", period)
        assert [row.family for row in busiest.rows] == [Family.CURSOR]
        assert [row.family for row in limited.rows] == [Family.CURSOR]


@pytest.mark.usefixtures("valkey")
def test_who_is_limited_now_is_told_newest_first(process: Process, clock: ManualClock) -> None:
    process.call(outcome=Outcome.LIMITED, client="203.0.113.1", name="claude-ai")
    process.flush()
    clock.advance(200)
    process.call(outcome=Outcome.LIMITED, client="203.0.113.2")
    process.flush()
    rows = report.limited_now("analytics").rows
    assert [(row.family, row.last_ms) for row in rows] == [
        (Family.CURL, clock.ms),
        (Family.CLAUDE, STARTS_MS),
    ]
    assert report.limited_now("liquidations").rows == ()
    clock.advance(101)
    assert len(report.limited_now("analytics").rows) == 1


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("period", PERIODS)
def test_the_use_of_copies_counts_answers_that_were_reused(
    process: Process, roll_up: RollUp, period: Period
) -> None:
    failure = SlowError("Slow.", source="exchange.queue")
    process.tally.read([("exchange.queue", failure)] * 2)
    process.call(times=6, reused=True)
    process.flush()
    roll_up()
    use = report.cache_use(period)
    assert (use.failed, use.reused, use.reads, use.hit_share, use.stale_share) == (2, 6, 8, 0.75, 0.0)
    assert [(row.source, row.reads) for row in use.rows] == [("exchange.queue", 2)]


@pytest.mark.usefixtures("valkey")
def test_nothing_read_has_no_share() -> None:
    use = report.cache_use(Period.HOUR)
    assert (use.hit_share, use.stale_share, use.rows) == (None, None, ())


@pytest.mark.usefixtures("valkey")
def test_hosts_are_told_with_their_requests_and_news(
    process_of: ProcessOf, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = process_of(), process_of()
    first.tally.asked(Host.HYPERLIQUID, "hyperliquid.book", None)
    _flush(first, BreakerState.CLOSED, monkeypatch)
    clock.advance(1)
    second.tally.asked(
        Host.HYPERLIQUID,
        "hyperliquid.book",
        BusyError("It is being asked too often.", source="hyperliquid.book"),
    )
    second.tally.asked(
        Host.HYPERLIQUID, "hyperliquid.candles", SlowError("Slow.", source="hyperliquid.candles")
    )
    _flush(second, BreakerState.OPEN, monkeypatch)
    _flush(first, BreakerState.CLOSED, monkeypatch)
    clock.advance(59)
    rows = {row.host: row for row in report.upstreams().rows}
    assert set(rows) == set(Host)
    told = rows[Host.HYPERLIQUID]
    assert (told.breaker, told.last_success_ms) == (BreakerState.OPEN, STARTS_MS)
    assert (told.last_error, told.last_error_ms) == ("Slow.", STARTS_MS + 1000)
    assert (
        told.minute
        == told.hour
        == (
            Requests("hyperliquid.book", answered=1, limited=1, unusable=0),
            Requests("hyperliquid.candles", answered=0, limited=0, unusable=1),
        )
    )
    assert (rows[Host.EXCHANGE].breaker, rows[Host.EXCHANGE].hour) == (None, ())


def _flush(process: Process, breaker: BreakerState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_sources, "breakers", lambda: dict.fromkeys(Host, breaker))
    process.flush()


@pytest.mark.usefixtures("valkey")
def test_what_was_last_known_of_a_host_outlives_the_processes_that_asked_it(
    process_of: ProcessOf, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        asking = process_of()
        asking.tally.asked(
            Host.HYPEREVM, "hyperevm.paper", SlowError(f"Slow {number}.", source="hyperevm.paper")
        )
        clock.advance(1)
        asking.tally.asked(Host.HYPEREVM, "hyperevm.paper", None)
        clock.advance(1)
        _flush(asking, BreakerState.CLOSED, monkeypatch)
    asked_ms = clock.now_ms()
    clock.advance(6 * 3600)
    process_of().flush()
    told = next(row for row in report.upstreams().rows if row.host is Host.HYPEREVM)
    assert (told.breaker, told.hour) == (None, ())
    assert told.last_success_ms == asked_ms - 1000
    assert (told.last_error, told.last_error_ms) == ("Slow 1.", asked_ms - 2000)


@pytest.mark.usefixtures("valkey")
def test_the_newest_word_of_a_host_counts_whichever_process_tells_later(
    process_of: ProcessOf, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    early, late = process_of(), process_of()
    early.tally.asked(Host.EXCHANGE, "exchange.trading", None)
    clock.advance(5)
    late.tally.asked(Host.EXCHANGE, "exchange.trading", None)
    for process in (late, early):
        _flush(process, BreakerState.CLOSED, monkeypatch)
    asked_ms = clock.now_ms()
    clock.advance(6 * 3600)
    told = next(row for row in report.upstreams().rows if row.host is Host.EXCHANGE)
    assert told.last_success_ms == asked_ms


@pytest.mark.usefixtures("valkey")
def test_a_row_from_a_machine_whose_clock_is_ahead_breaks_nothing(
    process: Process, clock: ManualClock
) -> None:
    clock.advance(120)
    process.call()
    process.flush()
    clock.advance(-120)
    assert report.server_usage("analytics", Period.HOUR).calls == 0


@pytest.mark.usefixtures("valkey")
def test_a_week_is_read_from_hours(process: Process, roll_up: RollUp, clock: ManualClock) -> None:
    for _ in range(5):
        process.call(times=10)
        process.flush()
        roll_up()
        clock.advance(26 * 3600)
    assert (UsageMinute.objects.count(), UsageHour.objects.count()) == (1, 5)
    assert report.server_usage("analytics", Period.WEEK).calls == 50
    assert report.server_usage("analytics", Period.DAY).calls == 0
