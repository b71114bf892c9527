"""Reading the tracked wallets one by one: what it costs, what callers share of it, and when they are slow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from threading import Barrier, Lock
from typing import Any

import httpx
import pytest

from mcp_liquidations.tools import get_bust_cluster_summary, get_bust_map, get_closest_to_bust
from papertrade_site.clock import iso
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import Answer, Tool
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream import exchange
from papertrade_site.upstream.cached import SPARED_S
from papertrade_site.upstream.gate import SLOTS
from papertrade_site.upstream.serializer import JsonSerializer
from tests.clocks import Slowly
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.simulated_clients import SimulatedTransport

CLOSEST = get_closest_to_bust.TOOL
CLUSTERS = get_bust_cluster_summary.TOOL
BUST_MAP = get_bust_map.TOOL
WORST = {"market": "all", "limit": 50, "wallets": 44}


class _CountingTransport(SimulatedTransport):
    """Counts requests by what they ask for."""

    def __init__(self, venue: SimulatedVenue) -> None:
        super().__init__(venue)
        self.counts: Counter[tuple[str, str]] = Counter()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.counts[str(request.url), request.read().decode()] += 1
        return super().handle_request(request)


class _EverySecondFails(SimulatedTransport):
    """503 for every second request of a path."""

    def __init__(self, venue: SimulatedVenue) -> None:
        super().__init__(venue)
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self._counts[request.url.path] += 1
            fails = self._counts[request.url.path] % 2 == 0
        answer = super().handle_request(request)
        return httpx.Response(503) if fails else answer


class _NoLeaderboard(SimulatedTransport):
    """503 for the leaderboard, once it is told to."""

    is_down = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        return httpx.Response(500) if self.is_down and "leaderboard" in request.url.path else answer


class _SlowWallets(SimulatedTransport):
    """Wallets that take 1.5 s each once ``meanwhile`` moves the clock, as many at once as a call asks for."""

    def __init__(self, venue: SimulatedVenue) -> None:
        super().__init__(venue)
        self.meanwhile: Callable[[], object] = lambda: None
        self.books_fail_after_wallets = False
        self._wallets = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if "/state/user/live" in request.url.path:
            self._wallets += 1
            self.meanwhile()
        if self.books_fail_after_wallets and self._wallets and request.url.path == "/info":
            return httpx.Response(503)
        return super().handle_request(request)


class TestSlowWallets:
    @pytest.fixture
    def calls(self) -> Iterator[SimulatedCalls]:
        with simulated_calls(transport=_SlowWallets) as calls:
            yield calls

    @pytest.fixture
    def transport(self, calls: SimulatedCalls) -> _SlowWallets:
        assert isinstance(calls.transport, _SlowWallets)
        calls.transport.meanwhile = Slowly(calls.clock, seconds=1.5, side_by_side=SLOTS)
        return calls.transport

    @pytest.mark.parametrize("tool", [BUST_MAP, CLUSTERS], ids=lambda tool: tool.name)
    def test_a_cold_sweep_ends_with_a_mark_of_its_end(
        self, calls: SimulatedCalls, transport: _SlowWallets, tool: Tool[Any]
    ) -> None:
        began_ms = calls.clock.ms
        result = calls.call(tool, {"market": "BTC", "wallets": 40})
        assert calls.clock.ms - began_ms >= 9_000
        (book,) = [row for row in result["freshness"]["sources"] if row["name"] == "hyperliquid.book"]
        assert book["state"] == "fresh"
        assert book["fetchedAt"] >= iso(calls.clock.ms - 2_000)

    def test_a_mark_of_before_the_sweep_is_called_stale(
        self, calls: SimulatedCalls, transport: _SlowWallets
    ) -> None:
        transport.books_fail_after_wallets = True
        result = calls.call(BUST_MAP, {"market": "BTC", "wallets": 40})
        (book,) = [row for row in result["freshness"]["sources"] if row["name"] == "hyperliquid.book"]
        assert (book["state"], result["freshness"]["degraded"]) == ("stale", True)
        assert book["note"].startswith("Not refreshed: ")

    def test_with_copies_of_all_wallets_a_call_waits_for_a_few_and_calls_none_failed(
        self, calls: SimulatedCalls, transport: _SlowWallets
    ) -> None:
        slowly, transport.meanwhile = transport.meanwhile, lambda: None
        calls.call(BUST_MAP, {"market": "BTC", "wallets": 44})
        calls.clock.advance(31)
        transport.meanwhile = slowly
        began_s = calls.clock.seconds
        result = calls.call(BUST_MAP, {"market": "BTC", "wallets": 44})
        assert calls.clock.seconds - began_s <= SPARED_S + 1.5
        coverage = result["coverage"]
        assert (coverage["walletsRead"], coverage["walletsFailed"]) == (44, 0)
        (row,) = [row for row in result["freshness"]["sources"] if row["name"] == "exchange.wallets"]
        assert row["state"] == "stale"
        assert row.get("note", "Not refreshed: ").startswith("Not refreshed: "), "of those cut short"


class TestRoom:
    def test_a_wallet_that_nobody_has_heard_of_takes_below_2_kb_of_the_shared_cache(self) -> None:
        with simulated_calls() as calls:
            stranger = exchange.wallet("0x" + "9" * 40)
            row = calls.stored(stranger)
            assert row["payload"]["openPositions"] == []
            data = JsonSerializer().dumps(row)
            assert isinstance(data, bytes)
            assert 10_000 * len(data) < 20_000_000, "what upstream/shared.py says of ten thousand of them"


def _names(tools: Sequence[Tool[Any]]) -> str:
    return "-".join(tool.name for tool in tools)


class TestRequests:
    @pytest.mark.requirement("limit:upstream-requests")
    @pytest.mark.parametrize(
        ("tool", "arguments", "requests"),
        [
            (CLOSEST, WORST, 51),
            (CLUSTERS, {"market": "all", "wallets": 44}, 50),
            (BUST_MAP, {"market": "BTC", "wallets": 44}, 49),
        ],
        ids=lambda value: value.name if isinstance(value, Tool) else None,
    )
    def test_the_most_that_can_be_asked_of_a_tool_costs_so_many_when_nothing_is_cached(
        self, tool: Tool[Any], arguments: dict[str, Any], requests: int
    ) -> None:
        with simulated_calls() as calls:
            result = calls.call(tool, arguments)
            assert calls.requests == requests
            assert result["freshness"]["degraded"] is False

    @pytest.mark.parametrize("asked", list(permutations([CLOSEST, CLUSTERS, BUST_MAP])), ids=_names)
    def test_the_tools_that_map_the_tracked_wallets_cost_one_sweep_together(
        self, asked: Sequence[Tool[Any]]
    ) -> None:
        with simulated_calls(transport=_CountingTransport) as calls:
            for tool in asked:
                result = calls.call(tool, {"market": "BTC"} if tool is BUST_MAP else {"market": "all"})
                assert result["freshness"]["degraded"] is False
            assert isinstance(calls.transport, _CountingTransport)
            counts = calls.transport.counts
        assert set(counts.values()) == {1}
        assert len(counts) == 51, "44 wallets, and seven that are not wallets"

    @pytest.mark.requirement("limit:upstream-requests")
    def test_it_costs_no_more_when_every_second_request_fails(self) -> None:
        with simulated_calls(transport=_EverySecondFails) as calls:
            result = calls.call(CLOSEST, WORST)
            assert calls.requests == 51
            coverage = result["coverage"]["BTC"]
            assert (coverage["walletsRead"], coverage["walletsFailed"]) == (21, 23)

    def test_100_cold_callers_at_once_make_one_sweep(self) -> None:
        together = Barrier(100)

        def call() -> Answer:
            together.wait(30)
            return CLOSEST.answer(CLOSEST.checked(WORST))

        with (
            simulated_calls(transport=_CountingTransport, waiters=100) as calls,
            calls.read_by_tools(),
            ThreadPoolExecutor(100) as pool,
        ):
            answers = [each.result(60) for each in [pool.submit(call) for _ in range(100)]]
            assert isinstance(calls.transport, _CountingTransport)
            counts = calls.transport.counts
        assert set(counts.values()) == {1}
        assert len([url for url, _ in counts if "/state/user/live" in url]) == 44
        found = {json.dumps(dict(answer.result)["coverage"]["BTC"].model_dump()) for answer in answers}
        assert len(found) == 1

    def test_a_stale_leaderboard_serves_and_is_marked_when_it_fails(self) -> None:
        with simulated_calls(transport=_NoLeaderboard) as calls:
            calls.call(CLOSEST, {})
            calls.clock.advance(60)
            assert isinstance(calls.transport, _NoLeaderboard)
            calls.transport.is_down = True
            result = calls.call(CLOSEST, {})
            (row,) = [row for row in result["freshness"]["sources"] if row["name"] == "exchange.leaderboard"]
            assert (row["state"], result["freshness"]["degraded"]) == ("stale", True)
            assert row["note"].startswith("Not refreshed:")
            assert result["coverage"]["BTC"]["walletsRead"] == 44
            calls.clock.advance(600)
            with pytest.raises(ToolError, match="get_wallet_distance_to_bust still works"):
                calls.call(CLOSEST, {})
