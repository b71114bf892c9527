"""How the bench of counting judges what it has measured."""

from __future__ import annotations

from typing import Any

import pytest

from tests.load.counting_bench import SLOW, WRONG, Compared, compared, verdict


def _round(*, wrong: int = 0, **rates: int) -> dict[str, dict[str, Any]]:
    return {
        name.replace("_", " "): {"requests": 2 * rate, "seconds": 2.0, "wrong": wrong, "broken": 0}
        for name, rate in rates.items()
    }


def _compared(*ratios: float, wrong: int = 0) -> Compared:
    return Compared("a", ratios, [1.0] * len(ratios), wrong)


@pytest.mark.parametrize(
    ("rates", "left", "twins"),
    [
        ({"on_1": 90, "on_2": 90, "off_1": 100, "off_2": 100}, 0.9, 1),
        ({"on_1": 50, "on_2": 100, "off_1": 50, "off_2": 100}, 1, 0.5),
        ({"on_1": 100, "on_2": 100, "off_1": 50, "off_2": 200}, 1, 0.5),
    ],
    ids=["counting costs", "the first servers are slow", "one without counting is slow"],
)
def test_what_counting_costs_is_told_from_how_twins_differ(
    rates: dict[str, int], left: float, twins: float
) -> None:
    result = compared("a", [_round(**rates)])
    assert [*result.ratios, *result.twins] == pytest.approx([left, twins])


def test_wrong_answers_of_any_turn_are_counted() -> None:
    assert compared("a", [_round(wrong=2, on_1=1, on_2=1, off_1=1, off_2=1)] * 3).wrong == 24


@pytest.mark.parametrize(
    ("kinds", "status", "word"),
    [
        ([_compared(*[0.96] * 6), _compared(*[1.02] * 6)], 0, "Good"),
        ([_compared(0.96, 0.97, 0.1, 0.98, 0.97, 0.96, 0.99, 0.98, 0.97, 0.99, 0.98, 1)], 0, "Good"),
        ([_compared(0.90, 1.02, 0.91, 1.01, 0.99, 0.93, 0.92)], 0, "UNDECIDED"),
        ([_compared(*[0.949] * 6), _compared(*[1.02] * 6)], SLOW, "TOO SLOW"),
        ([_compared(*[1.0] * 6), _compared(*[0.5] * 6)], SLOW, "TOO SLOW"),
        ([_compared(*[0.5] * 6), _compared(*[1.0] * 6, wrong=1)], WRONG, "WRONG"),
    ],
)
def test_the_exit_status_tells_wrong_answers_and_a_rate_that_is_known_not_to_be_kept(
    kinds: list[Compared], status: int, word: str
) -> None:
    sentence, told = verdict(kinds)
    assert (told, sentence.partition(":")[0]) == (status, word)
