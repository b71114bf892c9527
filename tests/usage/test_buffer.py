"""What a process counts of each request, and the bounds of that."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest

from papertrade_site.mcp.admission import Exchange, Handled, Outcome
from papertrade_site.usage import buffer as module
from papertrade_site.usage.buffer import ClientKey
from papertrade_site.usage.counts import MessageCounts, Subject
from papertrade_site.usage.families import Family
from tests.clocks import ManualClock
from tests.usage.conftest import NOON_MS, STARTS_MS, Process


def test_each_message_of_a_batch_counts_for_what_it_is(process: Process) -> None:
    handled = (
        Handled("tools/call", "get_history", Outcome.OK, 0.001, reused=True),
        Handled("tools/call", "get_history", Outcome.FAILED, 0.001, reused=False),
        Handled("ping", None, Outcome.OK, 0.0, reused=False),
    )
    process.exchange(Exchange(handled, Outcome.FAILED))
    counted = process.buffer.drain()
    assert counted.messages == {
        Subject(STARTS_MS, "analytics", "tools/call", "get_history"): MessageCounts(
            ok=1, failed=1, reused=1, micros=2000, durations={10: 2}
        ),
        Subject(STARTS_MS, "analytics", "ping", ""): MessageCounts(ok=1, durations={0: 1}),
    }
    (client,) = counted.clients.values()
    assert (client.messages, client.limited) == (3, 0)


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.LIMITED, Outcome.BLOCKED])
def test_a_body_that_could_not_be_read_counts_as_one_message(process: Process, outcome: Outcome) -> None:
    process.exchange(Exchange((), outcome))
    counted = process.buffer.drain()
    ((subject, counts),) = counted.messages.items()
    assert subject == Subject(STARTS_MS, "analytics", "", "")
    assert (getattr(counts, outcome.value), counts.messages, counts.durations) == (1, 1, {})


def test_a_limited_client_is_noted_with_the_time(process: Process, clock: ManualClock) -> None:
    process.call(outcome=Outcome.LIMITED)
    clock.advance(7)
    process.call(outcome=Outcome.LIMITED)
    ((key, client),) = process.buffer.drain().clients.items()
    assert key == ClientKey(NOON_MS, "analytics", key.client)
    assert (client.messages, client.limited, client.last_limited_ms) == (2, 2, STARTS_MS + 7000)


def test_the_family_that_a_client_names_stays(process: Process) -> None:
    process.call(agent="node")
    process.call(name="cursor", agent="node")
    process.call(agent="node")
    (client,) = process.buffer.drain().clients.values()
    assert (client.family, client.is_named, client.messages) == (Family.CURSOR, True, 3)


def test_what_was_given_is_not_given_again(process: Process) -> None:
    process.call()
    process.buffer.drain()
    assert process.buffer.drain().messages == {}


def test_no_message_of_any_thread_is_lost(process: Process) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(8):
            pool.submit(process.call, times=500)
        drained = [process.buffer.drain() for _ in range(50)]
    drained.append(process.buffer.drain())
    counts = [counts.ok for counted in drained for counts in counted.messages.values()]
    clients = [client.messages for counted in drained for client in counted.clients.values()]
    assert sum(counts) == sum(clients) == 4000


def test_a_buffer_that_nobody_empties_stays_small_and_says_what_it_lost(
    process: Process, clock: ManualClock
) -> None:
    with patch.object(module, "MOST_SUBJECTS", 3), patch.object(module, "MOST_CLIENTS", 3):
        for number in range(5):
            process.call(client=f"203.0.113.{number}")
            clock.advance(60)
    counted = process.buffer.drain()
    assert (len(counted.messages), len(counted.clients), counted.lost) == (3, 3, 2)
    assert process.buffer.drain().lost == 0


def test_a_forked_process_does_not_count_what_its_parent_did(process: Process) -> None:
    process.call()
    process.buffer.forget()
    assert process.buffer.drain().messages == {}
