"""How the bench of counting judges what it has measured."""

from __future__ import annotations

import pytest

from tests.load.counting_bench import SLOW, WRONG, Compared, median_ratio, verdict


def _slices(*rates: int) -> list[dict[str, float]]:
    return [{"requests": 2 * rate, "seconds": 2.0} for rate in rates]


def test_one_busy_second_does_not_decide() -> None:
    assert median_ratio(_slices(96, 10, 97), _slices(100, 100, 100)) == pytest.approx(0.96)


def test_neighbours_are_compared_and_not_sums() -> None:
    assert median_ratio(_slices(50, 100, 98), _slices(50, 100, 1_000)) == 1


@pytest.mark.parametrize(
    ("ratios", "wrong", "status", "word"),
    [
        ((0.95, 1.02), 0, 0, "Good"),
        ((0.949, 1.02), 0, SLOW, "TOO SLOW"),
        ((1.0, 0.5), 0, SLOW, "TOO SLOW"),
        ((0.5, 1.0), 1, WRONG, "WRONG"),
    ],
)
def test_the_exit_status_tells_wrong_answers_and_a_rate_that_was_not_kept(
    ratios: tuple[float, float], wrong: int, status: int, word: str
) -> None:
    sentence, told = verdict([Compared("a", ratios[0], wrong), Compared("b", ratios[1], 0)])
    assert (told, sentence.partition(":")[0]) == (status, word)
