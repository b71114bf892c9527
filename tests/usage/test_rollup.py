"""Taking usage over into the database, whatever happens to Redis and however often it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.models import Model, Sum
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries
from redis.exceptions import RedisError

from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.mcp.admission import Outcome
from papertrade_site.upstream.errors import SlowError
from papertrade_site.upstream.tally import SourceCounts
from papertrade_site.usage import rollup as module
from papertrade_site.usage.counts import MessageCounts
from papertrade_site.usage.models import ClientHour, SourceHour, SourceMinute, UsageHour, UsageMinute
from papertrade_site.usage.rollup import Rollup, _columns, _source_columns
from tests.clocks import ManualClock
from tests.limits.valkey import OwnValkey
from tests.usage.conftest import NOON_MS, STARTS_MS, Process, ProcessOf

RollUp = Callable[[], None]
DAY_MS = 24 * HOUR_MS

pytestmark = pytest.mark.django_db


def _rows() -> list[dict[str, Any]]:
    """Everything in the database but the rows' numbers."""
    tables = (UsageMinute, UsageHour, SourceMinute, SourceHour, ClientHour)
    rows = [row for table in tables for row in table._default_manager.order_by("pk").values()]
    return [{name: value for name, value in row.items() if name != "id"} for row in rows]


def _calls(table: type[UsageMinute | UsageHour] = UsageHour) -> int:
    return int(table._default_manager.aggregate(calls=Sum("ok"))["calls"] or 0)


@pytest.mark.usefixtures("valkey")
def test_a_minute_is_kept_by_process_and_an_hour_added_up(process_of: ProcessOf, roll_up: RollUp) -> None:
    for times in (1, 2):
        process = process_of()
        process.call(times=times, ms=2)
        process.flush()
    roll_up()
    assert sorted(UsageMinute.objects.values_list("ok", flat=True)) == [1, 2]
    hour = UsageHour.objects.get()
    assert (hour.start_ms, hour.server, hour.method, hour.tool) == (
        NOON_MS,
        "analytics",
        "tools/call",
        "get_history",
    )
    assert hour.counts == MessageCounts(ok=3, micros=6000, durations={13: 3})


@pytest.mark.usefixtures("valkey")
def test_reads_and_clients_are_kept_too(process: Process, roll_up: RollUp) -> None:
    process.tally.read([("exchange.trading", SlowError("Slow.", source="exchange.trading"))] * 2)
    process.call(times=4, name="cursor")
    process.flush()
    roll_up()
    assert SourceMinute.objects.get().counts == SourceHour.objects.get().counts
    assert SourceHour.objects.get().failed == 2
    client = ClientHour.objects.get()
    assert (client.start_ms, client.family, client.is_named, client.messages) == (NOON_MS, "Cursor", True, 4)


@pytest.mark.usefixtures("valkey")
def test_a_round_may_be_repeated_by_anybody(process: Process, roll_up: RollUp, clock: ManualClock) -> None:
    process.call(times=3)
    process.flush()
    roll_up()
    before = _rows()
    roll_up()
    Rollup(clock).round(lambda: True)
    assert _rows() == before


@pytest.mark.usefixtures("valkey")
def test_what_came_since_the_round_before_replaces_what_was_known(process: Process, roll_up: RollUp) -> None:
    for times in (3, 4):
        process.call(times=times)
        process.flush()
        roll_up()
    assert (_calls(UsageMinute), _calls(UsageHour)) == (7, 7)
    assert ClientHour.objects.get().messages == 7


def test_a_restart_of_redis_loses_nothing_that_was_rolled_up_and_counts_nothing_twice(
    valkey: OwnValkey, process_of: ProcessOf, roll_up: RollUp, clock: ManualClock
) -> None:
    lives, ends = process_of(), process_of()
    for process in (lives, ends):
        process.call(times=5)
        process.flush()
    roll_up()
    with valkey.gone():
        lives.call(times=2)
        lives.flush()
    clock.advance(1)
    lives.call(times=1)
    lives.flush()
    roll_up()
    roll_up()
    assert (_calls(UsageMinute), _calls(UsageHour)) == (13, 13)
    assert ClientHour.objects.get().messages == 10  # what was rolled up; the process that ended tells no more


def test_redis_may_lose_what_was_rolled_up_while_nobody_counts(
    valkey: OwnValkey, process: Process, roll_up: RollUp
) -> None:
    process.call(times=5)
    process.flush()
    roll_up()
    before = _rows()
    valkey.redis.flushall()
    roll_up()
    assert _rows() == before


@pytest.mark.usefixtures("valkey")
def test_what_a_process_told_late_is_taken_over(
    process: Process, roll_up: RollUp, clock: ManualClock
) -> None:
    process.call(times=2)
    clock.advance(25 * 60)
    roll_up()
    process.flush()
    roll_up()
    assert UsageMinute.objects.get().start_ms == STARTS_MS
    assert _calls() == 2


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("jump_ms", [-2 * HOUR_MS, 2 * HOUR_MS])
def test_what_is_counted_after_the_clock_was_set_is_taken_over(
    process_of: ProcessOf, roll_up: RollUp, clock: ManualClock, jump_ms: int
) -> None:
    before, after = process_of(), process_of()
    before.call(times=3)
    before.flush()
    roll_up()
    clock.ms += jump_ms
    after.call(times=4)
    after.flush()
    roll_up()
    assert sorted(UsageMinute.objects.values_list("ok", flat=True)) == [3, 4]


@pytest.mark.usefixtures("valkey")
def test_a_new_process_takes_over_all_that_redis_has(process: Process, clock: ManualClock) -> None:
    for _ in range(100):
        process.call()
        process.flush()
        clock.advance(60)
    Rollup(clock).round(lambda: True)
    assert (_calls(UsageMinute), _calls(UsageHour), UsageHour.objects.count()) == (100, 100, 3)


@pytest.mark.usefixtures("valkey")
def test_a_round_that_fails_halfway_changes_nothing_and_the_next_makes_up_for_it(
    process: Process, roll_up: RollUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.call(times=2)
    process.flush()
    with monkeypatch.context() as patch:
        patch.setattr(module, "_take_over_clients", _fail)
        with pytest.raises(DatabaseError):
            roll_up()
    assert _rows() == []
    roll_up()
    assert _calls() == 2


@pytest.mark.usefixtures("valkey")
def test_minutes_are_read_before_the_transaction_that_keeps_others_from_writing(
    process: Process, roll_up: RollUp
) -> None:
    process.call()
    process.flush()
    with CaptureQueriesContext(connection) as captured:
        roll_up()
    statements = [query["sql"] for query in captured]
    begins = next(number for number, sql in enumerate(statements) if sql.startswith("SAVEPOINT"))
    reads = [sql.startswith("SELECT") and "_usageminute" in sql for sql in statements]
    assert (any(reads[:begins]), any(reads[begins:])) == (True, False)


def _fail(_: object) -> None:
    raise DatabaseError("locked")


@pytest.mark.usefixtures("valkey")
def test_a_round_that_may_not_go_on_changes_nothing(process: Process, clock: ManualClock) -> None:
    process.call()
    process.flush()
    Rollup(clock).round(lambda: False)
    assert _rows() == []


@pytest.mark.usefixtures("no_valkey")
def test_without_redis_a_round_fails(roll_up: RollUp) -> None:
    with pytest.raises(RedisError):
        roll_up()


@pytest.mark.usefixtures("valkey")
def test_only_the_busiest_clients_are_kept(
    process: Process, roll_up: RollUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CLIENTS", 2)
    for number in range(1, 5):
        process.call(times=number, client=f"203.0.113.{number}")
    process.flush()
    roll_up()
    process.call(times=9, client="203.0.113.1")
    process.flush()
    roll_up()
    assert sorted(ClientHour.objects.values_list("messages", flat=True)) == [4, 10]


def _minute(start_ms: int) -> UsageMinute:
    return UsageMinute(start_ms=start_ms, server="analytics", **_columns(MessageCounts(ok=1)))


def _source_minute(start_ms: int) -> SourceMinute:
    return SourceMinute(start_ms=start_ms, name="exchange.queue", **_source_columns(SourceCounts()))


def _hour(start_ms: int) -> UsageHour:
    return UsageHour(start_ms=start_ms, server="analytics", **_columns(MessageCounts(ok=1)))


def _source_hour(start_ms: int) -> SourceHour:
    return SourceHour(start_ms=start_ms, name="exchange.queue", **_source_columns(SourceCounts()))


def _client(start_ms: int) -> ClientHour:
    return ClientHour(start_ms=start_ms, is_named=False, messages=1, limited=0)


@pytest.mark.parametrize(
    ("row_at", "kept_ms"),
    [
        (_minute, 4 * HOUR_MS),
        (_source_minute, 4 * HOUR_MS),
        (_hour, 90 * DAY_MS),
        (_source_hour, 90 * DAY_MS),
        (_client, 8 * DAY_MS),
    ],
)
def test_what_is_old_is_removed(row_at: Callable[[int], Model], kept_ms: int) -> None:
    for start_ms in (NOON_MS - kept_ms - MINUTE_MS, NOON_MS - kept_ms):
        row_at(start_ms).save()
    module.prune(STARTS_MS)
    kept = type(row_at(0))._default_manager.values_list("start_ms", flat=True)
    assert list(kept) == [NOON_MS - kept_ms]


@pytest.mark.usefixtures("valkey")
def test_an_hour_is_whole_while_it_may_change(process: Process, roll_up: RollUp, clock: ManualClock) -> None:
    clock.advance(-30 * 60)
    process.call(times=3)
    process.flush()
    roll_up()
    clock.advance(3 * 3600 + 59 * 60)
    process.call(times=1)
    process.flush()
    roll_up()
    assert list(UsageHour.objects.order_by("start_ms").values_list("ok", flat=True)) == [3, 1]
    assert UsageMinute.objects.count() == 2


@pytest.mark.usefixtures("valkey")
def test_nothing_that_a_client_calls_itself_is_kept(
    valkey: OwnValkey, process: Process, roll_up: RollUp, caplog: pytest.LogCaptureFixture
) -> None:
    hostile = "EVIL<script>alert(1)</script>\x1b[31m'; DROP TABLE usage; --|EVIL\u202e${jndi:ldap://x}"
    process.call(name=hostile, agent=hostile, outcome=Outcome.LIMITED)
    process.call(name="claude " + hostile, agent=hostile, client="203.0.113.9")
    process.call(name="\ud800EVIL" * 1000, agent="EVIL" * 1000, client="203.0.113.10")
    process.flush()
    roll_up()
    told = str(_rows()) + caplog.text + _everything(valkey)
    assert "EVIL" not in told
    assert "203.0.113" not in told
    assert sorted(ClientHour.objects.values_list("family", flat=True)) == ["Claude", "other", "other"]


def _everything(valkey: OwnValkey) -> str:
    """All that Redis holds."""
    held: list[object] = []
    for key in valkey.stored_keys():
        is_hash = valkey.redis.type(key) == "hash"
        held += [key, valkey.redis.hgetall(key) if is_hash else valkey.redis.zrange(key, 0, -1)]
    assert "other" in str(held)
    return str(held)


@pytest.mark.usefixtures("valkey")
def test_where_nothing_is_new_the_database_is_left_alone(
    process: Process,
    roll_up: RollUp,
    clock: ManualClock,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    process.call()
    process.flush()
    roll_up()
    clock.advance(61)
    roll_up()
    with django_assert_num_queries(0):
        roll_up()
