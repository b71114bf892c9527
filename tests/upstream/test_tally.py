"""What is counted of reads and of requests to sources."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from papertrade_site.upstream import exchange, sources as module
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import BusyError, SlowError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.sources import Sources
from papertrade_site.upstream.tally import MOST_ROWS, HostNews, SourceCounts, Tally
from tests.clocks import ManualClock
from tests.upstream.conftest import NOW_MS
from tests.upstream.fake_venue import FakeVenue

JSON = {"Content-Type": "application/json", "X-Papertrade-Simulated": "1"}
BUSY = BusyError("It is being asked too often.", source="exchange.queue")
SLOW = SlowError("It did not answer in time.", source="exchange.queue")


@pytest.fixture
def tally(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Tally:
    tally = Tally(clock)
    monkeypatch.setattr(module, "process_tally", tally)
    return tally


def _queue(tally: Tally) -> SourceCounts:
    """What was counted of one resource since the last time."""
    return tally.drain().get((NOW_MS, "exchange.queue"), SourceCounts())


class TestReads:
    def test_the_first_one_fetches_and_the_next_ones_find_a_copy(
        self, call: Callable[..., Sources], tally: Tally, clock: ManualClock
    ) -> None:
        call().queue()
        assert _queue(tally) == SourceCounts(fetched=1)
        for _ in range(3):
            call().queue()
        assert _queue(tally) == SourceCounts(fresh=3)

    def test_what_a_call_reads_twice_counts_once(self, sources: Sources, tally: Tally) -> None:
        sources.queue()
        sources.queue()
        assert _queue(tally) == SourceCounts(fetched=1)

    def test_a_copy_whose_refresh_fails_is_an_older_one(
        self, call: Callable[..., Sources], tally: Tally, clock: ManualClock, venue: FakeVenue
    ) -> None:
        call().queue()
        tally.drain()
        venue.status["queue"] = 500
        clock.advance(40)
        call().queue()
        ((_, counts),) = tally.drain().items()
        assert counts == SourceCounts(stale=1)

    def test_nothing_to_be_had_is_a_failure(self, sources: Sources, tally: Tally, venue: FakeVenue) -> None:
        venue.status["queue"] = 500
        sources.prefetch(exchange.queue())
        assert _queue(tally) == SourceCounts(failed=1)


class TestRequests:
    def test_each_counts_by_what_it_came_to(self, tally: Tally, clock: ManualClock) -> None:
        tally.asked(Host.EXCHANGE, "exchange.queue", None)
        clock.advance(1)
        tally.asked(Host.EXCHANGE, "exchange.queue", BUSY)
        clock.advance(1)
        tally.asked(Host.EXCHANGE, "exchange.queue", SLOW)
        assert _queue(tally) == SourceCounts(answered=1, limited=1, unusable=1)
        assert tally.news() == {
            Host.EXCHANGE: HostNews(NOW_MS, "It did not answer in time.", NOW_MS + 2000),
        }

    def test_a_client_tells_of_each_request_it_sends_and_of_no_other(self, clock: ManualClock) -> None:
        told: list[tuple[str, str]] = []
        answers = iter([200, 503, 200, 429])
        client = HttpClient(
            base_url="http://127.0.0.1:1",
            clock=clock,
            expect_simulated=True,
            transport=httpx.MockTransport(lambda _: httpx.Response(next(answers), json=[], headers=JSON)),
            sleep=clock.advance,
            on_answer=lambda answer: told.append((answer.source, type(answer.error).__name__)),
        )

        def ask() -> None:
            client.get_json("/x", source="exchange.queue", budget=CallBudget(clock))

        ask()
        ask()
        for _ in range(2):
            with pytest.raises(BusyError):
                ask()
        client.close()
        assert [kind for _, kind in told] == ["NoneType", "UnavailableError", "NoneType", "BusyError"]
        assert {source for source, _ in told} == {"exchange.queue"}
        assert client.breaker is BreakerState.CLOSED


def test_what_nobody_takes_stays_small(tally: Tally, clock: ManualClock) -> None:
    for number in range(MOST_ROWS + 5):
        tally.asked(Host.EXCHANGE, f"source{number}", None)
    rows = tally.drain()
    assert len(rows) == MOST_ROWS
    assert (NOW_MS, "source4") not in rows
    assert tally.drain() == {}


def test_a_forked_process_begins_anew(tally: Tally) -> None:
    tally.asked(Host.EXCHANGE, "exchange.queue", SLOW)
    tally.forget()
    assert (tally.drain(), tally.news()) == ({}, {})
