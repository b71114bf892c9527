"""The tracked wallets: which they are, what they cover, and what is left when some cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_liquidations.tools import (
    get_bust_cluster_summary,
    get_bust_map,
    get_closest_to_bust,
    get_wallet_distance_to_bust,
)
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream import exchange, hyperliquid
from tests.filled_venue import NAMED, FilledVenue, leaderboard_page
from tests.policies import InForce
from tests.tool_calls import notes
from tests.venue_bodies import address, body, position_row

CLOSEST = get_closest_to_bust.TOOL
CLUSTERS = get_bust_cluster_summary.TOOL
BUST_MAP = get_bust_map.TOOL
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
