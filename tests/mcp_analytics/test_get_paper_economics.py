"""``get_paper_economics``: the curve to the last digit, the chain before the API, and what may be missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mcp_analytics.tools.get_paper_economics import TOOL
from papertrade_site.market.scale import RAY, WAD
from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange, hyperevm
from tests.filled_venue import FilledVenue
from tests.simulated_calls import simulated_calls
from tests.tool_calls import DEFAULT_BYTES, notes, size_of
from tests.venue_bodies import NOW_MS, body

RECORDED = Path(__file__).parents[1] / "recorded"
MILLION = 10**6 * WAD

OF_CURVE = (
    "mintRate",
    "maxMintRate",
    "phase",
    "trackedLpUsd",
    "cliffUsd",
    "tailProgressUsd",
    "tailDecayUsd",
    "tailToRate25Usd",
    "rate25Reached",
)
OF_POT = ("accRewardPerShareUsd", "pendingRewardsUsd", "rewardCapUsd", "overflowUsd")
OF_TOTALS = ("rewardsPaidTotalUsd", "rewards24hUsd")


class Economics(FilledVenue):
    """A venue with a summary and a daily history."""

    def __init__(self) -> None:
        super().__init__()
        self.put(exchange.summary(), body("summary"))
        days = {"startMs": NOW_MS // DAY_MS * DAY_MS - 2 * DAY_MS, "intervalMs": DAY_MS}
        self.put(exchange.history(Interval.DAY), {**body("history"), **days})

    def put_paper(self, **members: int) -> None:
        """Change PAPER figures of the summary."""
        self.sent(exchange.summary())["paper"].update({name: str(value) for name, value in members.items()})

    def put_chain(self, *, supply: int | None, staked: int | None) -> None:
        """Let the chain answer these; None is a call that failed."""
        words = {0: 2 * 10**16, 1: supply, 2: staked}
        self.put(hyperevm.paper(), [_answer(number, word) for number, word in words.items()])

    def paper(self) -> dict[str, Any]:
        """The token's part of an answer."""
        part = self.call(TOOL, {})["paper"]
        assert isinstance(part, dict)
        return part


def _answer(number: int, word: int | None) -> dict[str, Any]:
    failed = {"error": {"code": 3, "message": "execution reverted"}}
    return {"jsonrpc": "2.0", "id": number, **(failed if word is None else {"result": f"0x{word:064x}"})}


@pytest.fixture
def venue() -> Economics:
    return Economics()


class TestFigures:
    @pytest.mark.requirement("paper:supply", "paper:rate", "paper:phase", "paper:rate25", "paper:staking")
    def test_an_answer_in_full(self, venue: Economics) -> None:
        venue.put_chain(supply=7_100_000_000 * WAD, staked=5_200_000_000 * WAD)
        result = venue.call(TOOL, {})
        assert result["paper"] == {
            "supply": 7_100_000_000,
            "staked": 5_200_000_000,
            "stakedShare": 0.732394,
            "supplySource": "onchain",
            "mintRate": 26.238849,
            "maxMintRate": 100,
            "phase": "tail",
            "trackedLpUsd": 4840851.053563,
            "cliffUsd": 2_000_000,
            "tailProgressUsd": 114265779.761243,
            "tailDecayUsd": 120_000_000,
            "tailToRate25Usd": 5734220.238757,
            "rate25Reached": False,
        }
        assert result["staking"] == {
            "accRewardPerShareUsd": 0.010508152974861028,
            "pendingRewardsUsd": 1000,
            "rewardCapUsd": 5_000_000,
            "overflowUsd": 0,
            "rewardsPaidTotalUsd": 8_000_000,
            "rewards24hUsd": 21_000,
        }
        assert result["freshness"]["degraded"] is False

    @pytest.mark.requirement("paper:where")
    def test_the_sentence_says_where_the_curve_stands(self, venue: Economics) -> None:
        venue.put_chain(supply=7_100_000_000 * WAD, staked=5_200_000_000 * WAD)
        assert venue.answer(TOOL, {})[1] == (
            "PAPER mints 26.24 per $1 of trader loss, 100 at most, in the tail phase; the tail's rate is "
            "25 after $5,734,220 more of tail progress; 7,100,000,000 PAPER exist on chain, "
            "5,200,000,000 of them staked. Simulated data."
        )

    def test_an_overflow_is_shown_as_it_is_reported(self, venue: Economics) -> None:
        venue.put_paper(excess=7 * WAD // 2, pendingRewards=-1)
        staking = venue.call(TOOL, {})["staking"]
        assert staking["overflowUsd"] == 3.5
        assert staking["pendingRewardsUsd"] == 0

    @pytest.mark.parametrize(
        ("accumulator", "printed"),
        [
            (0, "0.0"),
            (10508152974861028961272120, "0.010508152974861028"),
            (10**9, "1e-18"),
            (499_999_999, "0.0"),
            (500_000_000, "1e-18"),
            (12 * RAY + RAY // 3, "12.333333333333334"),
        ],
    )
    def test_the_accumulator_keeps_as_many_digits_as_a_number_of_json_can(
        self, venue: Economics, accumulator: int, printed: str
    ) -> None:
        venue.put_paper(accumulator=accumulator)
        shown = venue.call(TOOL, {})["staking"]["accRewardPerShareUsd"]
        assert repr(shown) == printed
        assert shown == pytest.approx(accumulator / RAY, rel=1e-15, abs=5e-19)


class TestCurve:
    @pytest.mark.requirement("paper:rate", "paper:rate25")
    @pytest.mark.parametrize(
        ("tracked_lp", "progress", "rate", "left", "reached"),
        [
            (2 * MILLION, 0, 100, 120_000_000, False),
            (2 * MILLION, 3 * MILLION, 95.181440, 117_000_000, False),
            (2 * MILLION, 8 * MILLION, 87.890625, 112_000_000, False),
            (2 * MILLION, 23 * MILLION, 70.419091, 97_000_000, False),
            (2 * MILLION, 30 * MILLION, 64, 90_000_000, False),
            (2 * MILLION, 48 * MILLION, 51.020408, 72_000_000, False),
            (2 * MILLION, 100 * MILLION, 29.752066, 20_000_000, False),
            (2 * MILLION, 1142658 * 100 * WAD, 26.238845, 5_734_200, False),
            (2 * MILLION, 120 * MILLION - 1, 25, 0, False),
            (2 * MILLION, 120 * MILLION, 25, 0, True),
            (2 * MILLION, 120 * MILLION + 1, 25, 0, True),
            (2 * MILLION, 600 * MILLION, 2.777778, 0, True),
            (2 * MILLION, 2**128 - 1, 0, 0, True),
            (-5, 0, 100, 120_000_000, False),
            (2 * MILLION - 1, 130 * MILLION, 100, 0, True),
        ],
    )
    def test_the_rate_and_the_way_to_25_follow_the_curve(
        self, venue: Economics, tracked_lp: int, progress: int, rate: float, left: float, reached: bool
    ) -> None:
        venue.put_paper(trackedLp=tracked_lp, tailProgress=progress)
        paper = venue.paper()
        assert paper["mintRate"] == rate
        assert paper["tailToRate25Usd"] == left
        assert paper["rate25Reached"] is reached

    @pytest.mark.requirement("paper:phase")
    @pytest.mark.parametrize(
        ("tracked_lp", "phase"),
        [
            (-WAD, "flat"),
            (2 * MILLION - 1, "flat"),
            (2 * MILLION, "tail"),
            (5 * MILLION - 1, "tail"),
            (5 * MILLION, "tail_overflow"),
        ],
    )
    def test_the_phase_changes_at_the_cliff_and_at_the_cap(
        self, venue: Economics, tracked_lp: int, phase: str
    ) -> None:
        venue.put_paper(trackedLp=tracked_lp)
        assert venue.paper()["phase"] == phase

    def test_below_the_cliff_the_sentence_says_why_the_rate_is_flat(self, venue: Economics) -> None:
        venue.put_paper(trackedLp=-3 * WAD, tailProgress=130 * MILLION)
        result, summary = venue.answer(TOOL, {})
        assert result["paper"]["trackedLpUsd"] == -3
        assert summary.startswith(
            "PAPER mints 100 per $1 of trader loss, 100 at most, in the flat phase, as the pool's result of "
            "-$3 is below the cliff of $2,000,000; tail progress is $130,000,000; the tail's rate fell to "
            "25 at $120,000,000 of it; "
        )

    def test_far_past_the_example_rate_the_sentence_says_where_it_was_passed(self, venue: Economics) -> None:
        venue.put_paper(tailProgress=670 * MILLION)
        assert (
            "PAPER mints 2.31 per $1 of trader loss, 100 at most, in the tail phase; tail progress is "
            "$670,000,000; the tail's rate fell to 25 at $120,000,000 of it; "
        ) in venue.answer(TOOL, {})[1]

    @pytest.mark.parametrize("rate", [0, 24, 25])
    def test_a_tail_that_begins_at_the_example_rate_has_not_fallen_to_it(
        self, venue: Economics, rate: int
    ) -> None:
        venue.put_paper(rate=rate * WAD)
        assert "; the tail's rate is never above 25; " in venue.answer(TOOL, {})[1]

    def test_a_curve_without_decay_mints_nothing_past_its_cliff(self, venue: Economics) -> None:
        venue.put_paper(decay=0, tailProgress=0)
        assert (venue.paper()["mintRate"], venue.paper()["rate25Reached"]) == (0, True)


class TestSupply:
    @pytest.mark.requirement("paper:on-chain")
    def test_the_chain_wins_over_the_api(self, venue: Economics) -> None:
        venue.put_chain(supply=10 * WAD, staked=4 * WAD)
        paper = venue.paper()
        assert (paper["supply"], paper["staked"], paper["stakedShare"]) == (10, 4, 0.4)
        assert paper["supplySource"] == "onchain"

    @pytest.mark.requirement("paper:on-chain")
    @pytest.mark.parametrize(("supply", "staked"), [(None, 4 * WAD), (10 * WAD, None), (None, None)])
    def test_half_an_answer_of_the_chain_is_none(
        self, venue: Economics, supply: int | None, staked: int | None
    ) -> None:
        venue.put_chain(supply=supply, staked=staked)
        result, summary = venue.answer(TOOL, {})
        assert result["paper"]["supply"] == 7_100_000_000
        assert result["paper"]["staked"] == 5_200_000_000
        assert result["paper"]["supplySource"] == "api"
        assert result["freshness"]["degraded"] is True
        assert notes(result)["hyperevm.paper"] == (
            "PAPER supply and stake are the exchange's own figures. The answer of HyperEVM's record of PAPER "
            "leaves out the supply or the stake, so it is not used."
        )
        assert "7,100,000,000 PAPER exist by the exchange's API" in summary

    def test_more_staked_than_there_is_is_never_shown(self, venue: Economics) -> None:
        venue.fail("hyperevm.paper")
        venue.put_paper(supply=4 * WAD, staked=5 * WAD)
        with pytest.raises(ToolError, match="has more PAPER staked than there is, so it is not used"):
            venue.call(TOOL, {})


class TestOutages:
    def test_without_the_chain_supply_and_stake_are_the_apis(self, venue: Economics) -> None:
        venue.fail("hyperevm.paper")
        result = venue.call(TOOL, {})
        assert result["paper"]["supplySource"] == "api"
        assert result["paper"]["stakedShare"] == 0.732394
        assert None not in result["paper"].values()
        assert set(notes(result)) == {"hyperevm.paper"}

    def test_without_the_summary_supply_and_sums_remain(self, venue: Economics) -> None:
        venue.fail("exchange.summary")
        result, summary = venue.answer(TOOL, {})
        paper, staking = result["paper"], result["staking"]
        assert [paper[name] for name in OF_CURVE] == [None] * len(OF_CURVE)
        assert [staking[name] for name in OF_POT] == [None] * len(OF_POT)
        assert paper["supply"] > paper["staked"] > 0
        assert staking["rewardsPaidTotalUsd"] == 8_000_000
        assert result["freshness"]["degraded"] is True
        assert set(notes(result)) == {"exchange.summary"}
        assert summary.startswith("Where PAPER is on its mint curve is not known now; ")

    def test_without_the_history_all_but_the_sums_remains(self, venue: Economics) -> None:
        venue.fail("exchange.history")
        result = venue.call(TOOL, {})
        assert [result["staking"][name] for name in OF_TOTALS] == [None, None]
        assert None not in [*result["paper"].values(), *(result["staking"][name] for name in OF_POT)]
        assert notes(result)["exchange.history"].startswith("There are no sums of rewards. ")

    @pytest.mark.parametrize("also", [(), ("exchange.history",)])
    def test_without_chain_and_summary_it_is_a_clear_error(
        self, venue: Economics, also: tuple[str, ...]
    ) -> None:
        venue.fail("exchange.summary", "hyperevm.paper", *also)
        with pytest.raises(
            ToolError, match=r"^exchange\.summary cannot be reached now\. Try again in 7 s\.$"
        ):
            venue.call(TOOL, {})


def _at_genesis() -> Economics:
    """The venue as it was before anybody traded."""
    venue = Economics()
    for resource, name in (
        (exchange.summary(), "summary_2026-10-09"),
        (exchange.history(Interval.DAY), "history_1d_2026-10-09"),
    ):
        venue.put(resource, json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8")))
    venue.put_chain(supply=0, staked=0)
    return venue


@pytest.mark.parametrize("source", ["onchain", "api"])
def test_before_the_first_trade_there_is_no_share_and_nothing_breaks(source: str) -> None:
    venue = _at_genesis()
    if source == "api":
        venue.fail("hyperevm.paper")
    result, summary = venue.answer(TOOL, {})
    assert result["paper"] == {
        "supply": 0,
        "staked": 0,
        "stakedShare": None,
        "supplySource": source,
        "mintRate": 100,
        "maxMintRate": 100,
        "phase": "flat",
        "trackedLpUsd": 0,
        "cliffUsd": 2_000_000,
        "tailProgressUsd": 0,
        "tailDecayUsd": 120_000_000,
        "tailToRate25Usd": 120_000_000,
        "rate25Reached": False,
    }
    assert set(result["staking"].values()) == {0, 5_000_000}
    assert "the tail's rate is 25 after $120,000,000 more" in summary


AMOUNT = st.integers(0, 10**28) | st.integers(0, 10**12)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_whatever_the_venue_reports_the_figures_agree(data: st.DataObject) -> None:
    venue = Economics()
    names = ("accumulator", "tailProgress", "cliff", "cap", "rate", "decay")
    venue.put_paper(
        **{name: data.draw(AMOUNT, label=name) for name in names},
        trackedLp=data.draw(st.integers(-(10**27), 10**27)),
    )
    supply = data.draw(AMOUNT)
    venue.put_chain(supply=supply, staked=data.draw(st.integers(0, supply)))
    result = venue.call(TOOL, {})
    paper = result["paper"]
    assert 0 <= paper["mintRate"] <= paper["maxMintRate"]
    assert paper["tailToRate25Usd"] >= 0
    if paper["tailToRate25Usd"] > 0:
        assert paper["rate25Reached"] is False
    if paper["phase"] == "flat":
        assert paper["mintRate"] == paper["maxMintRate"]
    elif paper["rate25Reached"]:
        assert paper["mintRate"] <= 25.000001
    assert paper["stakedShare"] is None if supply == 0 else 0 <= paper["stakedShare"] <= 1
    assert size_of(result) <= DEFAULT_BYTES


def test_over_the_embedded_exchange_it_costs_three_requests_and_agrees_with_the_world() -> None:
    with simulated_calls() as calls:
        result = calls.call(TOOL, {})
        house, paper = calls.world.exchange.house, calls.world.exchange.paper
        assert calls.requests == 3
        assert result["paper"]["supply"] == pytest.approx(paper.supply / WAD, abs=1e-6)
        assert result["paper"]["staked"] == pytest.approx(paper.staked / WAD, abs=1e-6)
        assert result["paper"]["trackedLpUsd"] == pytest.approx(house.tracked_lp / WAD, abs=1e-6)
        assert result["staking"]["accRewardPerShareUsd"] == pytest.approx(paper.accumulator / RAY, rel=1e-15)
        assert result["freshness"]["degraded"] is False
