"""The PAPER curve, its phases, and what a stake has earned."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from papertrade_site.market.emission import Curve, Phase, paper_minted, pending_rewards
from papertrade_site.market.scale import WAD

MILLION = 10**6 * WAD


def curve(*, tracked_lp: int = 4 * MILLION, tail_progress: int = 0, decay: int = 120 * MILLION) -> Curve:
    """Make a curve with the venue's parameters."""
    return Curve(
        tracked_lp=tracked_lp,
        tail_progress=tail_progress,
        cliff=2 * MILLION,
        cap=5 * MILLION,
        max_rate=100 * WAD,
        decay=decay,
    )


@pytest.mark.parametrize(
    ("tenths_of_a_dollar", "rate", "digits"),
    [
        (0, 100, 2),
        (3_000_000_0, 95.18, 2),
        (8_000_000_0, 87.89, 2),
        (23_000_000_0, 70.42, 2),
        (30_000_000_0, 64, 2),
        (48_000_000_0, 51.02, 2),
        (100_000_000_0, 29.7521, 4),
        (114_265_779_8, 26.2388, 4),
        (120_000_000_0, 25, 4),
    ],
)
def test_the_mint_rate_follows_the_table(tenths_of_a_dollar: int, rate: float, digits: int) -> None:
    minted = curve(tail_progress=tenths_of_a_dollar * WAD // 10).mint_rate
    assert round(minted / WAD, digits) == rate


@pytest.mark.parametrize(
    ("tracked_lp", "tail_progress", "rate"),
    [
        (-5, 0, 100 * WAD),
        (1_999_999 * WAD, 0, 100 * WAD),
        (2 * MILLION - 1, 114 * MILLION, 100 * WAD),
        (2 * MILLION, 0, 100 * WAD),
        (4840851053562728341709751, 114265779761243460574521289, 26238849242755169239),
        (2 * MILLION, 2**128 - 1, 0),
        (6 * MILLION, 120 * MILLION, 25 * WAD),
    ],
)
def test_the_mint_rate_is_exact_to_the_last_unit(tracked_lp: int, tail_progress: int, rate: int) -> None:
    assert curve(tracked_lp=tracked_lp, tail_progress=tail_progress).mint_rate == rate


def test_a_curve_without_decay_and_progress_mints_nothing() -> None:
    assert curve(decay=0).mint_rate == 0


@pytest.mark.parametrize(
    ("tracked_lp", "phase"),
    [
        (-WAD, Phase.FLAT),
        (2 * MILLION - 1, Phase.FLAT),
        (2 * MILLION, Phase.TAIL),
        (5 * MILLION - 1, Phase.TAIL),
        (5 * MILLION, Phase.TAIL_OVERFLOW),
    ],
)
def test_the_phase_changes_at_the_cliff_and_at_the_cap(tracked_lp: int, phase: Phase) -> None:
    assert curve(tracked_lp=tracked_lp).phase is phase


@pytest.mark.parametrize(
    ("tail_progress", "rate", "left"),
    [
        (114265779761243460574521289, 25 * WAD, 5734220238756539425478711),
        (0, 25 * WAD, 120 * MILLION),
        (0, 64 * WAD, 30 * MILLION),
        (0, 100 * WAD, 0),
        (0, 400 * WAD, 0),
        (120 * MILLION, 25 * WAD, 0),
        (130 * MILLION, 25 * WAD, 0),
    ],
)
def test_what_is_left_until_a_rate_is_exact_and_never_below_nothing(
    tail_progress: int, rate: int, left: int
) -> None:
    assert curve(tail_progress=tail_progress).tail_to_rate(rate) == left


PROGRESS = st.integers(0, 10**9 * WAD)


@given(steps=st.tuples(PROGRESS, PROGRESS), tracked_lp=st.integers(-MILLION, 10 * MILLION))
def test_the_mint_rate_never_rises_as_the_tail_progresses(steps: tuple[int, int], tracked_lp: int) -> None:
    earlier, later = (
        curve(tracked_lp=tracked_lp, tail_progress=progress).mint_rate for progress in sorted(steps)
    )
    assert later <= earlier


@given(progress=PROGRESS, rate=st.integers(WAD // 100, 100 * WAD))
def test_the_rate_is_reached_once_what_was_left_has_been_gone(progress: int, rate: int) -> None:
    left = curve(tail_progress=progress).tail_to_rate(rate)
    there = curve(tail_progress=progress + left)
    assert there.tail_to_rate(rate) == 0
    assert there.mint_rate <= rate + Fraction(rate, 10**15) + 2


@given(rate=st.integers(1, 100 * WAD - 1))
def test_what_is_left_is_the_most_whole_units_that_keep_the_rate_at_or_above_the_one_asked_for(
    rate: int,
) -> None:
    start = curve(tail_progress=0)
    span = start.decay + start.tail_to_rate(rate)
    before, after = (Fraction(start.max_rate * start.decay**2, (span + unit) ** 2) for unit in (0, 1))
    assert before >= rate > after


@given(progress=PROGRESS, more=PROGRESS, rate=st.integers(1, 100 * WAD))
def test_what_is_left_falls_by_what_was_gone_and_stays_at_nothing(
    progress: int, more: int, rate: int
) -> None:
    before = curve(tail_progress=progress).tail_to_rate(rate)
    assert curve(tail_progress=progress + more).tail_to_rate(rate) == max(before - more, 0)


@pytest.mark.parametrize(
    ("staked", "accumulator", "debt", "expected"),
    [
        (3 * 10**24, 10**25, 10**22, 7 + 2 * 10**22),
        (3 * 10**24, 0, 10**22, 7),
        (3 * 10**24, 10**25, 4 * 10**22, 7),
        (0, 10**25, 10**22, 7),
        (2**255, 2, 0, 7),
        (2**256 - 1, 1, 0, 7 + (2**256 - 1) // 10**27),
    ],
)
def test_pending_rewards_never_fall_below_their_base(
    staked: int, accumulator: int, debt: int, expected: int
) -> None:
    assert pending_rewards(staked=staked, accumulator=accumulator, reward_debt=debt, base=7) == expected


def test_the_recorded_accumulator_pays_about_one_cent_for_each_staked_paper() -> None:
    earned = pending_rewards(staked=WAD, accumulator=10508152974861028961272120, reward_debt=0, base=0)
    assert earned == 10508152974861028


def test_paper_is_minted_at_the_rate() -> None:
    assert paper_minted(98 * WAD, rate=26238849242755169239) == 98 * 26238849242755169239
