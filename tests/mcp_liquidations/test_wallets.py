"""The tracked wallets: which they are, what they cover, and what is left when some cannot be read."""

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

from mcp_liquidations.tools import (
    get_bust_cluster_summary,
    get_bust_map,
    get_closest_to_bust,
    get_wallet_distance_to_bust,
)
from papertrade_site.clock import iso
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import Answer, Tool
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream import exchange, hyperliquid
from papertrade_site.upstream.cached import SPARED_S
from papertrade_site.upstream.gate import SLOTS
from papertrade_site.upstream.serializer import JsonSerializer
from tests.clocks import Slowly
from tests.filled_venue import NAMED, FilledVenue, leaderboard_page
from tests.policies import InForce
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.simulated_clients import SimulatedTransport
from tests.tool_calls import notes
from tests.venue_bodies import address, body, position_row

CLOSEST = get_closest_to_bust.TOOL
CLUSTERS = get_bust_cluster_summary.TOOL
BUST_MAP = get_bust_map.TOOL
WORST = {"market": "all", "limit": 50, "wallets": 44}
BTC_NOTIONAL = 1_960_000_000 + 1_504_302_261.49
"""What the house's book of the recorded bodies holds."""


@pytest.fixture
def venue() -> FilledVenue:
    """44 wallets with a BTC long of $10,000 each."""
    return _venue(*([position_row(number)] for number in range(1, 45)))


def _venue(*wallets: list[Any]) -> FilledVenue:
    venue = FilledVenue()
    venue.put_tracked(*wallets)
    return venue


def _coverage(venue: FilledVenue, market: str = "BTC", **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    coverage: dict[str, Any] = venue.call(CLOSEST, {"market": market, **arguments})["coverage"][market]
    return coverage


class TestWhich:
    def test_44_are_read_unless_fewer_are_asked_for(self, venue: FilledVenue) -> None:
        assert _coverage(venue)["walletsRead"] == 44
        assert venue.asked.count("exchange.wallets") == 44
        assert _coverage(venue, wallets=3)["walletsRead"] == 3

    def test_the_operators_default_holds_where_a_call_names_no_number(
        self, venue: FilledVenue, in_force: InForce
    ) -> None:
        in_force.server("liquidations", wallets_default=20)
        (clusters,) = venue.call(CLUSTERS, {"market": "BTC"})["markets"]
        for coverage in (
            _coverage(venue),
            clusters["coverage"],
            venue.call(BUST_MAP, {"market": "BTC"})["coverage"],
        ):
            assert coverage["walletsRequested"] == coverage["walletsRead"] == 20
        assert venue.asked.count("exchange.wallets") == 3 * 20
        assert venue.asked.count("exchange.leaderboard") == 3
        assert _coverage(venue, wallets=44)["walletsRead"] == 44

    @pytest.mark.parametrize("tool", [CLOSEST, CLUSTERS, BUST_MAP], ids=lambda tool: tool.name)
    def test_the_schema_names_no_default_since_it_may_change(self, tool: Tool[Any]) -> None:
        schema = tool.input_schema["properties"]["wallets"]
        assert "default" not in schema
        assert "the operator's default applies" in schema["description"]

    def test_they_are_the_first_of_the_leaderboard(self, venue: FilledVenue) -> None:
        rows = venue.call(CLOSEST, {"market": "BTC", "wallets": 2, "limit": 50})["positions"]
        assert [row["wallet"] for row in rows] == [address(1), address(2)]

    @pytest.mark.parametrize(("wallets", "pages"), [(1, 1), (25, 1), (26, 2), (44, 2)])
    def test_no_more_pages_of_the_leaderboard_are_read_than_are_needed(
        self, venue: FilledVenue, wallets: int, pages: int
    ) -> None:
        assert _coverage(venue, wallets=wallets)["walletsRead"] == wallets
        assert venue.asked.count("exchange.leaderboard") == pages

    def test_one_that_moved_to_the_next_page_meanwhile_counts_once(self, venue: FilledVenue) -> None:
        venue.put_leaderboard([address(1), address(2)], [address(2), address(3)])
        coverage = _coverage(venue)
        assert (coverage["walletsRead"], coverage["positions"]) == (3, 3)
        assert coverage["trackedNotionalUsd"] == 30_000

    def test_a_page_that_is_larger_than_asked_for_is_cut(self, venue: FilledVenue) -> None:
        venue.put_leaderboard([address(number) for number in range(1, 45)])
        assert _coverage(venue, wallets=10)["walletsRead"] == 10

    def test_a_shorter_leaderboard_is_no_failure(self, venue: FilledVenue) -> None:
        venue.put_leaderboard([address(1)], [])
        result = venue.call(CLOSEST, {"market": "BTC"})
        coverage = result["coverage"]["BTC"]
        assert (coverage["walletsRequested"], coverage["walletsRead"], coverage["walletsFailed"]) == (
            44,
            1,
            0,
        )
        assert result["freshness"]["degraded"] is False

    def test_of_an_empty_leaderboard_there_is_an_empty_answer(self, venue: FilledVenue) -> None:
        venue.put_leaderboard([], [])
        result, summary = venue.answer(CLOSEST, {"market": "BTC"})
        assert (result["positions"], result["coverage"]["BTC"]["fraction"]) == ([], 0)
        assert summary.startswith("No tracked position matches. No wallet is listed.")

    def test_of_two_wallets_of_which_one_fails_it_is_said_what_the_other_holds(self) -> None:
        venue = _venue([position_row(1)], [position_row(2)])
        venue.fail_one(exchange.wallet(address(2)))
        _, summary = venue.answer(CLOSEST, {"market": "BTC"})
        assert "1 of the 2 largest wallets could be read; it holds " in summary

    def test_a_wallet_without_positions_is_read_and_adds_nothing(self) -> None:
        coverage = _coverage(_venue([position_row(1)], []))
        assert (coverage["walletsRead"], coverage["positions"]) == (2, 1)


class TestCoverage:
    @pytest.mark.requirement("tracked:coverage")
    def test_it_is_the_tracked_share_of_what_the_house_holds(self, venue: FilledVenue) -> None:
        venue.sent(NAMED["house_history"])["columns"].update(bl=[0, 0, 600_000], bs=[0, 0, 400_000])
        assert _coverage(venue) == {
            "fraction": 0.44,
            "trackedNotionalUsd": 440_000,
            "protocolNotionalUsd": 1_000_000,
            "walletsRequested": 44,
            "walletsRead": 44,
            "walletsFailed": 0,
            "positions": 44,
        }

    def test_each_market_has_its_own(self) -> None:
        eth = position_row(2, market=1, entry="251215", bust="250000")
        result = _venue([position_row(1), eth, position_row(3)]).call(CLOSEST, {})
        assert list(result["coverage"]) == ["BTC", "ETH"]
        assert [each["positions"] for each in result["coverage"].values()] == [2, 1]
        assert result["coverage"]["BTC"]["protocolNotionalUsd"] == BTC_NOTIONAL
        assert result["coverage"]["ETH"]["protocolNotionalUsd"] == 3_745_000_000

    def test_it_is_never_above_one(self, venue: FilledVenue) -> None:
        venue.sent(NAMED["house_history"])["columns"].update(bl=[0, 0, 0], bs=[0, 0, 0.5])
        assert _coverage(venue)["fraction"] == 1

    def test_it_is_null_when_nothing_is_open(self, venue: FilledVenue) -> None:
        venue.sent(NAMED["house_history"])["columns"].update(bl=[0, 0, 0], bs=[0, 0, 0])
        result, summary = venue.answer(CLOSEST, {"market": "BTC"})
        coverage = result["coverage"]["BTC"]
        assert (coverage["fraction"], coverage["protocolNotionalUsd"]) == (None, 0)
        assert result["freshness"]["degraded"] is False
        assert "unknown" in summary

    @pytest.mark.parametrize("how", ["fails", "has a gap", "is empty", "ends three hours ago"])
    def test_without_the_houses_book_open_interest_at_the_mark_stands_for_it(
        self, venue: FilledVenue, how: str
    ) -> None:
        if how == "fails":
            venue.fail("exchange.house_history")
        elif how == "has a gap":
            venue.sent(NAMED["house_history"])["columns"].update(bs=[1, 1, None])
        elif how == "ends three hours ago":
            history = body("house_history")
            history["baseTimeMs"] -= 3 * HOUR_MS
            venue.put(exchange.house_history(Interval.HOUR), history)
        else:
            history = body("house_history") | {"timeOffsetsMs": []}
            history["columns"] = {name: [] for name in history["columns"]}
            venue.put(exchange.house_history(Interval.HOUR), history)
        result = venue.call(CLOSEST, {"market": "BTC"})
        coins = 23590192866625362236353 + 18109832138345653207981
        assert result["coverage"]["BTC"]["protocolNotionalUsd"] == round(coins * 830655 // 10 / WAD, 6)
        assert result["freshness"]["degraded"] is True
        assert any("open interest at the mark" in note for note in notes(result).values())

    def test_when_nobody_states_what_is_open_it_is_null_and_degraded(self, venue: FilledVenue) -> None:
        venue.fail("exchange.house_history")
        venue.put_market(0, at19="0", at20="0")
        result = venue.call(CLOSEST, {"market": "BTC"})
        coverage = result["coverage"]["BTC"]
        assert (coverage["fraction"], coverage["protocolNotionalUsd"]) == (None, None)
        assert coverage["trackedNotionalUsd"] == 440_000
        assert result["freshness"]["degraded"] is True

    @pytest.mark.requirement("tracked:tail")
    def test_a_model_is_told_what_it_leaves_out(self) -> None:
        assert "coverage.fraction" in CLOSEST.description
        assert "many small wallets are not in it" in CLOSEST.description


class TestFailures:
    @pytest.mark.requirement("tracked:coverage")
    def test_20_of_44_wallets_that_fail_lower_the_coverage_and_are_counted(self, venue: FilledVenue) -> None:
        whole = _coverage(venue)
        for number in range(1, 21):
            venue.fail_one(exchange.wallet(address(number)))
        result, summary = venue.answer(CLOSEST, {"market": "BTC"})
        coverage = result["coverage"]["BTC"]
        assert (coverage["walletsRequested"], coverage["walletsRead"], coverage["walletsFailed"]) == (
            44,
            24,
            20,
        )
        assert coverage["trackedNotionalUsd"] == 240_000
        assert coverage["fraction"] < whole["fraction"]
        assert result["freshness"]["degraded"] is True
        assert any(note.startswith("20 of 44 wallets could not be read.") for note in notes(result).values())
        assert "24 of the 44 largest wallets could be read; they hold " in summary

    def test_when_every_wallet_fails_there_is_no_answer(self, venue: FilledVenue) -> None:
        venue.fail("exchange.wallets")
        with pytest.raises(ToolError, match=r"^exchange.wallets cannot be reached now. Try again in 7 s.$"):
            venue.call(CLOSEST, {})

    def test_without_a_leaderboard_it_is_said_what_still_works(self, venue: FilledVenue) -> None:
        venue.fail("exchange.leaderboard")
        with pytest.raises(ToolError) as caught:
            venue.call(CLOSEST, {})
        assert str(caught.value) == (
            "exchange.leaderboard cannot be reached now. Try again in 7 s. "
            "get_wallet_distance_to_bust still works for an address that you have."
        )
        assert "exchange.wallets" not in venue.asked

    def test_without_its_second_page_the_wallets_of_the_first_are_shown(self, venue: FilledVenue) -> None:
        venue.fail_one(leaderboard_page(1))
        result = venue.call(CLOSEST, {"market": "BTC"})
        assert result["coverage"]["BTC"]["walletsRead"] == 25
        assert result["freshness"]["degraded"] is True
        (note,) = notes(result).values()
        assert note.startswith("Accounts beyond the first 25 are left out.")

    def test_a_second_page_that_nobody_needs_may_fail(self, venue: FilledVenue) -> None:
        venue.put_leaderboard([address(1), address(2)])
        venue.fail_one(leaderboard_page(1))
        result = venue.call(CLOSEST, {"market": "BTC"})
        assert result["coverage"]["BTC"]["walletsRead"] == 2
        assert result["freshness"]["degraded"] is False

    @pytest.mark.parametrize(
        "impossible",
        [{"leverage": 5000}, {"entry": "847355", "bust": "677884", "is_long": False}, {"bust": "830656"}],
        ids=["5000x", "short", "long"],
    )
    def test_a_position_that_cannot_be_is_left_out_with_a_note(self, impossible: dict[str, Any]) -> None:
        venue = _venue([position_row(1), position_row(2, **impossible)], [position_row(3)])
        found = {tool.name: venue.call(tool, {"market": "BTC"}) for tool in (CLOSEST, CLUSTERS, BUST_MAP)}
        found["wallet"] = venue.call(get_wallet_distance_to_bust.TOOL, {"wallet": address(1)})
        assert [row["positionId"] for row in found[CLOSEST.name]["positions"]] == ["1", "3"]
        assert [row["positionId"] for row in found["wallet"]["positions"]] == ["1"]
        assert found[CLOSEST.name]["coverage"]["BTC"]["trackedNotionalUsd"] == 20_000
        for result in found.values():
            assert notes(result)["exchange.wallets"] == (
                "Positions left out for an impossible leverage or bust price: 1."
            )
            assert result["freshness"]["degraded"] is True

    def test_a_wallet_of_impossible_positions_alone_could_not_be_read(self) -> None:
        venue = _venue([position_row(1)], [position_row(2, leverage=5000)])
        coverage = _coverage(venue)
        assert (coverage["walletsRead"], coverage["walletsFailed"]) == (1, 1)
        with pytest.raises(ToolError, match="unexpected form or figure"):
            venue.call(get_wallet_distance_to_bust.TOOL, {"wallet": address(2)})

    def test_of_two_markets_one_without_a_mark_is_left_out_with_a_note(self, venue: FilledVenue) -> None:
        venue.fail_one(hyperliquid.book("ETH"))
        result = venue.call(CLOSEST, {})
        assert list(result["markets"]) == list(result["coverage"]) == ["BTC"]
        assert any(note.startswith("ETH is left out.") for note in notes(result).values())

    @pytest.mark.parametrize("market", ["BTC", "all"])
    def test_without_any_mark_no_wallet_is_asked_for(self, venue: FilledVenue, market: str) -> None:
        venue.fail("hyperliquid.book")
        with pytest.raises(ToolError, match=r"^hyperliquid.book cannot be reached"):
            venue.call(CLOSEST, {"market": market})
        assert "exchange.wallets" not in venue.asked

    def test_a_terminal_market_needs_no_book(self, venue: FilledVenue) -> None:
        frozen = {
            "at5": True,
            "at6": True,
            "at8": True,
            "at9": "825000",
            "at10": "825003",
            "at11": 1796039000000,
        }
        venue.put_market(0, **frozen)
        venue.fail("hyperliquid.book")
        result = venue.call(CLOSEST, {"market": "BTC"})
        assert result["markets"] == {"BTC": {"markPriceUsd": 82500.1}}
        assert result["freshness"]["degraded"] is False

    def test_a_market_that_is_not_listed_is_left_out_of_all_and_refused_alone(
        self, venue: FilledVenue
    ) -> None:
        venue.put_market(1, at1="SOL")
        assert list(venue.call(CLOSEST, {})["markets"]) == ["BTC"]
        with pytest.raises(ToolError, match="does not list ETH now; it lists BTC and SOL"):
            venue.call(CLOSEST, {"market": "ETH"})

    def test_a_position_in_a_market_that_is_not_listed_is_left_out_and_said(self) -> None:
        result = _venue([position_row(1), position_row(2, market=9)]).call(CLOSEST, {})
        assert [row["positionId"] for row in result["positions"]] == ["1"]
        assert next(iter(notes(result).values())).startswith("A position, or more than one, is left out:")


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
