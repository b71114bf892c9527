"""Telling a real Valkey what was counted: one round trip, nothing twice, nothing lost while it is away."""

from __future__ import annotations

from typing import Any

import pytest

from papertrade_site.market.vocabulary import MINUTE_MS
from papertrade_site.mcp.admission import Outcome
from papertrade_site.upstream.errors import SlowError
from papertrade_site.usage import store, wire
from papertrade_site.usage.counts import MessageCounts
from papertrade_site.usage.families import Family
from tests.clocks import ManualClock
from tests.limits.valkey import OwnValkey
from tests.usage.conftest import NOON_MS, STARTS_MS, Process, ProcessOf

OUTAGES = ["gone", "stopped", "read_only", "full"]


@pytest.fixture
def patience_s() -> None:
    """Wait for what hangs as long as the service does."""


def _calls(start_ms: int = STARTS_MS) -> int:
    """How many calls of a minute all processes have told of."""
    minutes = store.stored_minutes([start_ms])
    return sum(counts.answered for counts in minutes[start_ms].messages.values()) if minutes else 0


def test_a_flush_is_one_round_trip_and_every_key_expires(valkey: OwnValkey, process: Process) -> None:
    process.call()
    process.call(outcome=Outcome.LIMITED, server="liquidations")
    process.tally.read([("exchange.trading", SlowError("Slow.", source="exchange.trading"))])
    commands = valkey.commands_of(process.flush)
    assert set(commands) <= {
        "HELLO",
        "CLIENT",
        "HSET",
        "EXPIRE",
        "ZADD",
        "ZREMRANGEBYSCORE",
        "ZREMRANGEBYRANK",
    }
    kept_s = {round(int(valkey.redis.ttl(key)), -2) for key in valkey.stored_keys()}  # some seconds are over
    assert kept_s == {10_800, 300}


def test_where_nothing_is_counted_nothing_is_sent(valkey: OwnValkey, process: Process) -> None:
    assert valkey.commands_of(process.flush) == []


def test_all_that_one_process_counted_comes_together(valkey: OwnValkey, process: Process) -> None:
    process.call("get_history", times=3, ms=2)
    process.flush()
    process.call("get_history", times=2, outcome=Outcome.FAILED, ms=2)
    process.flush()
    ((row, counts),) = store.stored_minutes([STARTS_MS])[STARTS_MS].messages.items()
    assert row[1:] == ("analytics", "tools/call", "get_history")
    assert counts == MessageCounts(ok=3, failed=2, micros=10_000, durations={13: 5})


def test_processes_add_up(valkey: OwnValkey, process_of: ProcessOf) -> None:
    for times in (1, 2, 4):
        process = process_of()
        process.call(times=times)
        process.flush()
    assert _calls() == 7
    (client,) = store.stored_clients(NOON_MS, "analytics").values()
    assert (client.messages, client.family) == (7, Family.CURL)


def test_what_was_told_counts_once_however_often_it_is_told(valkey: OwnValkey, process: Process) -> None:
    process.call(times=5)
    for _ in range(4):
        process.flush()
    assert _calls() == 5


def test_a_valkey_that_forgot_all_is_told_the_last_two_minutes_again(
    valkey: OwnValkey, process: Process, clock: ManualClock
) -> None:
    process.call(times=2)
    process.flush()
    clock.advance(60)
    process.call(times=3)
    process.flush()
    valkey.redis.flushall()
    process.call()
    process.flush()
    assert (_calls(), _calls(STARTS_MS + MINUTE_MS)) == (2, 4)


@pytest.mark.parametrize("outage", OUTAGES)
def test_what_is_counted_during_an_outage_is_told_after_it(
    valkey: OwnValkey, process: Process, clock: ManualClock, outage: str
) -> None:
    process.call()
    process.flush()
    with getattr(valkey, outage)():
        for _ in range(3):
            process.call(times=2)
            process.flush()
            clock.advance(60)
    process.flush()
    assert [_calls(STARTS_MS + minute * MINUTE_MS) for minute in range(3)] == [3, 2, 2]


def test_what_a_valkey_that_hangs_does_later_after_all_counts_once(
    valkey: OwnValkey, process: Process, clock: ManualClock
) -> None:
    process.call()
    process.flush()
    with valkey.stopped():
        process.call(times=4)
        process.flush()
    clock.advance(1)
    process.flush()
    process.flush()
    assert _calls() == 5


def test_a_key_that_is_another_s_keeps_nothing_else_from_being_told(
    valkey: OwnValkey, process: Process, clock: ManualClock
) -> None:
    valkey.redis.rpush(wire.key("minute", STARTS_MS), "not a hash")
    process.call()
    process.flush()
    clock.advance(60)
    process.call()
    process.flush()
    assert _calls(STARTS_MS + MINUTE_MS) == 1


def test_a_valkey_that_is_away_is_tried_once_a_second_and_said_so_once_a_minute(
    no_valkey: None, process: Process, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    failures = [process.flush().redis_failures]
    for _ in range(40):
        process.call()
        failures.append(process.flush().redis_failures)
        clock.advance(0.5)
    assert sum(failures) == pytest.approx(20, abs=1)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_batch_is_what_came_together_since_the_last(no_valkey: None, process: Process) -> None:
    process.call(times=2)
    assert [counts.ok for counts in process.flush().messages.values()] == [2]
    assert process.flush().messages == {}


@pytest.mark.usefixtures("valkey")
def test_limited_clients_are_told_with_the_time_until_it_is_long_ago(
    process: Process, clock: ManualClock
) -> None:
    process.call(outcome=Outcome.LIMITED, client="203.0.113.7")
    process.flush()
    clock.advance(240)
    process.call(outcome=Outcome.LIMITED, client="203.0.113.8", name="cursor", agent="")
    process.flush()
    limited = store.stored_limited("analytics", since_ms=0)
    assert list(limited.values()) == [(Family.CURSOR, clock.ms), (Family.CURL, STARTS_MS)]
    clock.advance(61)
    process.call(outcome=Outcome.LIMITED, client="203.0.113.8", name="cursor", agent="")
    process.flush()
    assert [at_ms for _, at_ms in store.stored_limited("analytics", since_ms=0).values()] == [clock.ms]


STRANGE_HOSTS = [
    '["ajar",null,null,null]',
    '[["open"],null,null,null]',
    '["open","yesterday",null,null]',
    '["open",-1,null,null]',
    '["open",null,{"a":1},null]',
    '["open",null,null,1.5]',
    '["open",null,null]',
    '"open"',
]
STRANGE_CLIENTS = [
    '"open"',
    "5",
    "{}",
    "[5]",
    "[[]]",
    '[["abc","Claude",1,1]]',
    '[[["abc"],"Claude",1,1,0]]',
    '[["abc",["Claude"],1,1,0]]',
    '[["abc","Claude",2,1,0]]',
    '[["abc","Claude",1,"1",0]]',
    '[["abc","Claude",1,1,-1]]',
    '[["abcdefabcdef0","Claude",1,1,0]]',
]


@pytest.mark.usefixtures("valkey")
def test_clients_and_minutes_of_another_kind_are_left_out(valkey: OwnValkey, process: Process) -> None:
    process.call()
    process.flush()
    hour_ms = STARTS_MS - STARTS_MS % 3_600_000
    known = store.stored_clients(hour_ms, "analytics")
    strange: dict[Any, Any] = {f"w{number}": told for number, told in enumerate(STRANGE_CLIENTS)}
    valkey.redis.hset(wire.key("clients", hour_ms, "analytics"), mapping=strange)
    valkey.redis.zadd(wire.key("touched"), {"yesterday": STARTS_MS, "-5": STARTS_MS, "9" * 20: STARTS_MS})
    assert store.stored_clients(hour_ms, "analytics") == known
    assert len(known) == 1
    assert store.touched_since(0) == [STARTS_MS]


@pytest.mark.usefixtures("valkey")
def test_fields_of_another_kind_are_left_out(valkey: OwnValkey, process: Process) -> None:
    process.call()
    process.flush()
    key = wire.key("minute", STARTS_MS)
    strange: dict[Any, Any] = {
        "x": "1",
        "m|w|s|m|t": "[1]",
        "m|w|s|m": "[]",
        "s|w|n": "{",
        "h|w|mars": "[1,2,3,4]",
        "h|w": "[]",
        f"m|{'w' * 33}|s|m|t": "[1,0,0,0,0,0,0]",
        f"s|w|{'n' * 65}": "[0,0,0,0,0,0,0]",
        "m|w|s|m|\0": "[1,0,0,0,0,0,0]",
        "m|w|s|m|u": f"[{2**53},0,0,0,0,0,0]",
        **{f"h|w{number}|exchange": told for number, told in enumerate(STRANGE_HOSTS)},
    }
    valkey.redis.hset(key, mapping=strange)
    minute = store.stored_minutes([STARTS_MS])[STARTS_MS]
    assert (len(minute.messages), minute.sources, minute.hosts) == (1, {}, {})


def test_a_forked_process_begins_anew_under_another_name(
    valkey: OwnValkey, process: Process, clock: ManualClock
) -> None:
    process.call(times=3)
    process.flush()
    process.store.forget()
    process.call(times=2)
    process.flush()
    assert _calls() == 5
    assert len(store.stored_minutes([STARTS_MS])[STARTS_MS].messages) == 2
