"""Keeping the tracked wallets fresh: what is refreshed, in what order, and who then asks no source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mcp_liquidations.server import SERVER
from mcp_liquidations.tracking import EVERY_S, GROUP, WalletTracker
from papertrade_site.simulator.venue import SimulatedVenue
from tests.clocks import ManualClock
from tests.policies import InForce
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.simulated_clients import SimulatedTransport

TOOLS_OF_THE_BOOK: dict[str, dict[str, Any]] = {
    "get_bust_map": {"market": "BTC"},
    "get_closest_to_bust": {"limit": 50},
    "get_bust_cluster_summary": {},
}


class _Slow(SimulatedTransport):
    """Takes half a second for a request once it is told to, and fails the paths that it is told to."""

    clock: ManualClock | None = None
    broken = ""

    def __init__(self, venue: SimulatedVenue) -> None:
        super().__init__(venue)
        self.asked: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        if self.clock is not None:
            self.clock.advance(0.5 / GROUP)
        answer = super().handle_request(request)
        return httpx.Response(500) if self.broken and request.url.path.startswith(self.broken) else answer

    def took(self, path: str) -> int:
        """How many requests for a path there were since the last question."""
        asked, self.asked = self.asked, []
        return asked.count(path)


@pytest.fixture
def calls() -> Iterator[SimulatedCalls]:
    with simulated_calls(transport=_Slow) as calls:
        yield calls


@pytest.fixture
def tracker(calls: SimulatedCalls) -> WalletTracker:
    return WalletTracker(calls.ahead(), calls.clock)


@pytest.fixture
def venue(calls: SimulatedCalls) -> _Slow:
    assert isinstance(calls.transport, _Slow)
    return calls.transport


def _yes() -> bool:
    return True


class TestWarmth:
    def test_it_keeps_as_many_wallets_fresh_as_calls_read_by_default(
        self, calls: SimulatedCalls, tracker: WalletTracker, venue: _Slow, in_force: InForce
    ) -> None:
        in_force.server("liquidations", wallets_default=20)
        tracker.round(_yes)
        assert venue.took("/state/user/live") == 20

    def test_after_one_round_calls_in_another_process_ask_no_source(
        self, calls: SimulatedCalls, tracker: WalletTracker
    ) -> None:
        tracker.round(_yes)
        asked = calls.requests
        calls.become_another_process()
        for name, arguments in TOOLS_OF_THE_BOOK.items():
            result = calls.call(SERVER.tools_by_name[name], arguments)
            assert result["freshness"]["degraded"] is False
            assert {row["state"] for row in result["freshness"]["sources"]} == {"fresh"}
        assert calls.requests == asked == 51

    def test_no_call_asks_a_source_while_rounds_go_on(
        self, calls: SimulatedCalls, tracker: WalletTracker
    ) -> None:
        for _ in range(110):
            tracker.round(_yes)
            asked = calls.requests
            calls.clock.advance(EVERY_S * 1.2)
            result = calls.call(SERVER.tools_by_name["get_closest_to_bust"], {})
            assert calls.requests == asked
            assert {row["state"] for row in result["freshness"]["sources"]} == {"fresh"}

    def test_a_round_in_which_nothing_is_due_soon_asks_nobody(
        self, calls: SimulatedCalls, tracker: WalletTracker
    ) -> None:
        tracker.round(_yes)
        asked = calls.requests
        calls.clock.advance(EVERY_S)
        tracker.round(_yes)
        assert calls.requests == asked


class TestRounds:
    def test_a_round_that_takes_long_ends_after_a_group_and_the_next_goes_on(
        self, calls: SimulatedCalls, tracker: WalletTracker, venue: _Slow
    ) -> None:
        venue.clock = calls.clock
        groups = list[int]()
        while sum(groups) < 44:
            tracker.round(_yes)
            groups.append(venue.took("/state/user/live"))
        assert groups == [6, 6, 6, 6, 6, 6, 6, 2]

    def test_marks_are_refreshed_between_the_groups(
        self, calls: SimulatedCalls, tracker: WalletTracker, venue: _Slow
    ) -> None:
        venue.clock = calls.clock
        for _ in range(8):
            tracker.round(_yes)
            calls.clock.advance(EVERY_S)
        assert venue.took("/info") >= 8

    def test_a_round_that_may_not_go_on_reads_no_wallet(self, tracker: WalletTracker, venue: _Slow) -> None:
        tracker.round(lambda: False)
        assert venue.took("/state/user/live") == 0

    def test_a_round_that_may_no_longer_go_on_ends_with_its_group(
        self, tracker: WalletTracker, venue: _Slow
    ) -> None:
        answers = iter([True, True, False])
        tracker.round(lambda: next(answers))
        assert venue.took("/state/user/live") == 2 * GROUP

    def test_while_the_leaderboard_cannot_be_read_its_last_wallets_are_kept_fresh(
        self, calls: SimulatedCalls, tracker: WalletTracker, venue: _Slow
    ) -> None:
        tracker.round(_yes)
        venue.broken = "/state/leaderboard"
        calls.clock.advance(700)
        venue.took("")
        tracker.round(_yes)
        assert venue.took("/state/user/live") == 44

    def test_without_a_leaderboard_ever_it_reads_the_rest(self, tracker: WalletTracker, venue: _Slow) -> None:
        venue.broken = "/state/leaderboard"
        tracker.round(_yes)
        asked, venue.asked = venue.asked, []
        assert "/state/user/live" not in asked
        assert asked.count("/info") == 2

    def test_wallets_that_fail_are_left_alone_for_a_while(
        self, calls: SimulatedCalls, tracker: WalletTracker, venue: _Slow
    ) -> None:
        venue.broken = "/state/user"
        tracker.round(_yes)
        venue.took("")
        for _ in range(10):
            calls.clock.advance(0.1)
            tracker.round(_yes)
        assert venue.took("/state/user/live") == 0
