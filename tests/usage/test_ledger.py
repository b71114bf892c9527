"""What a process remembers of what it has counted, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from unittest.mock import patch

import pytest

from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.usage import ledger as module
from papertrade_site.usage.buffer import Batch, ClientKey
from papertrade_site.usage.counts import ClientCounts, MessageCounts, Subject
from papertrade_site.usage.families import Family
from papertrade_site.usage.ledger import Ledger, MessageField
from tests.usage.conftest import NOON_MS, STARTS_MS

ROW = MessageField("analytics", "tools/call", "get_history")


def _batch(
    minute_ms: int = STARTS_MS, ok: int = 1, clients: Mapping[ClientKey, ClientCounts] | None = None
) -> Batch:
    messages = {Subject(minute_ms, *ROW): MessageCounts(ok=ok)} if ok else {}
    return Batch(messages, clients or {}, sources={}, redis_failures=0, lost=0)


def _client(name: str, messages: int = 1, hour_ms: int = NOON_MS, family: Family | None = None) -> Batch:
    counts = ClientCounts(family or Family.NODE, family is not None, messages)
    return _batch(ok=0, clients={ClientKey(hour_ms, "analytics", name): counts})


def _told(ledger: Ledger, now_ms: int) -> dict[int, int]:
    return {start_ms: minute.messages[ROW].ok for start_ms, minute in ledger.minutes(now_ms).items()}


def test_totals_are_told_and_not_additions() -> None:
    ledger = Ledger()
    ledger.add(_batch(ok=2))
    ledger.told()
    ledger.add(_batch(ok=3))
    assert _told(ledger, STARTS_MS) == {STARTS_MS: 5}


def test_the_present_and_the_previous_minute_are_told_again_and_again() -> None:
    ledger = Ledger()
    ledger.add(_batch())
    ledger.told()
    assert _told(ledger, STARTS_MS + 2 * MINUTE_MS - 1) == {STARTS_MS: 1}
    assert _told(ledger, STARTS_MS + 2 * MINUTE_MS) == {}


def test_what_comes_late_is_added_to_its_minute() -> None:
    ledger, now_ms = Ledger(), STARTS_MS + 4 * MINUTE_MS
    ledger.add(_batch())
    ledger.told()
    ledger.forget(now_ms)
    ledger.add(_batch())
    assert _told(ledger, now_ms) == {STARTS_MS: 2}


def test_what_everybody_knows_is_forgotten_in_time() -> None:
    ledger = Ledger()
    ledger.add(_batch())
    ledger.told()
    ledger.forget(STARTS_MS + 6 * MINUTE_MS)
    assert _told(ledger, STARTS_MS) == {}


def test_of_minutes_that_nobody_could_be_told_of_the_oldest_are_given_up_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ledger, minutes = Ledger(), range(STARTS_MS, STARTS_MS + 32 * MINUTE_MS, MINUTE_MS)
    for minute_ms in minutes:
        ledger.add(_batch(minute_ms, ok=7))
        ledger.forget(minute_ms)
    assert list(_told(ledger, minutes[-1])) == list(minutes[-30:])
    ledger.told()
    ledger.told()
    assert [record.getMessage() for record in caplog.records] == [
        "Redis was away for too long: 14 messages stay uncounted."
    ]


def test_a_name_that_a_client_once_gave_tells_its_family_in_later_hours() -> None:
    ledger, later_ms = Ledger(), NOON_MS + HOUR_MS
    ledger.add(_client("a", family=Family.CLAUDE))
    ledger.add(_client("a", hour_ms=later_ms))
    ((_, counts),) = ledger.clients()[later_ms, "analytics"]
    assert counts.family is Family.CLAUDE


def test_the_busiest_clients_stay_when_there_are_too_many() -> None:
    ledger = Ledger()
    with patch.object(module, "MOST_CLIENTS", 100), patch.object(module, "TOLD_CLIENTS", 3):
        for number in range(1000):
            ledger.add(_client(f"busy{number % 3}", messages=5))
            ledger.add(_client(f"quiet{number}"))
        told = ledger.clients()[NOON_MS, "analytics"]
    assert sorted(name for name, _ in told) == ["busy0", "busy1", "busy2"]
    assert sum(counts.messages for _, counts in told) == 5000
    assert len(ledger._hours[NOON_MS, "analytics"]) <= 100


def test_an_hour_s_clients_are_forgotten_when_two_more_have_passed() -> None:
    ledger = Ledger()
    ledger.add(_client("a"))
    ledger.forget(NOON_MS + 2 * HOUR_MS)
    assert list(ledger.clients()) == [(NOON_MS, "analytics")]
    ledger.forget(NOON_MS + 2 * HOUR_MS + 1)
    assert ledger.clients() == {}
