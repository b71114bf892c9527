"""How far a measured ratio is known."""

from __future__ import annotations

from random import Random

import pytest

from tests.load.intervals import FEWEST, interval


def test_equal_measurements_leave_no_doubt() -> None:
    known = interval([0.97] * FEWEST)
    assert (known.low, known.middle, known.high) == pytest.approx((0.97, 0.97, 0.97))


def test_an_interval_of_the_fewest_measurements_is_all_they_span() -> None:
    known = interval([1.0, 1.1, 1.2, 1.3, 1.4, 1.5])
    assert (known.low, known.high) == pytest.approx((1.0, 1.5))


def test_one_disturbed_measurement_moves_little() -> None:
    calm = [0.96, 0.97, 0.98, 0.97, 0.96, 0.98, 0.97, 0.99, 0.97, 0.96]
    assert interval([*calm, 0.2]).middle == pytest.approx(interval(calm).middle, abs=0.005)


def test_the_truth_is_in_nineteen_of_twenty_intervals() -> None:
    random = Random(8)
    known = [interval([random.lognormvariate(0, 0.08) for _ in range(10)]) for _ in range(1000)]
    assert sum(each.low <= 1 <= each.high for each in known) == pytest.approx(950, abs=20)


def test_too_few_measurements_are_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        interval([1.0] * (FEWEST - 1))
