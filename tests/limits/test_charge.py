"""What a request takes from its allowances."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from papertrade_site.limits.charge import Charge, Counter

BURST = Counter("burst", 10, 15)
OF_ALL = Counter("all", 100, 65)


@pytest.mark.parametrize(
    ("cost", "count", "is_refused", "counted"),
    [(1, 30, False, 30), (1, 31, True, 31), (5, 30, False, 30), (5, 31, True, 27), (5, 40, True, 36)],
)
def test_a_charge_that_fits_counts_whole_and_a_refused_one_counts_1(
    cost: int, count: int, is_refused: bool, counted: int
) -> None:
    charge = Charge(cost, 30)
    assert (charge.is_refused([count]), list(charge.counted([count]))) == (is_refused, [counted])


@pytest.mark.parametrize(
    ("counts", "is_refused", "counted"),
    [
        ([30, 10, 100], False, [30, 10, 100]),
        ([31, 10, 100], True, [27, 5, 95]),
        ([30, 11, 100], True, [26, 6, 95]),
        ([30, 10, 101], True, [26, 5, 96]),
        ([31, 11, 101], True, [27, 6, 96]),
    ],
)
def test_a_charge_fits_all_its_allowances_or_takes_1_of_the_first_and_nothing_of_the_others(
    counts: Sequence[int], is_refused: bool, counted: list[int]
) -> None:
    charge = Charge(5, 30, (BURST, OF_ALL))
    assert (charge.is_refused(counts), list(charge.counted(counts))) == (is_refused, counted)
