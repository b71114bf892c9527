"""What a request takes from an allowance."""

from __future__ import annotations

import pytest

from papertrade_site.limits.charge import Charge


@pytest.mark.parametrize(
    ("cost", "count", "is_refused", "counted"),
    [(1, 30, False, 30), (1, 31, True, 31), (5, 30, False, 30), (5, 31, True, 27), (5, 40, True, 36)],
)
def test_a_charge_that_fits_counts_whole_and_a_refused_one_counts_1(
    cost: int, count: int, is_refused: bool, counted: int
) -> None:
    charge = Charge(cost, 30)
    assert (charge.is_refused(count), charge.counted(count)) == (is_refused, counted)
