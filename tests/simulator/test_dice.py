"""The seeded source of chance."""

from __future__ import annotations

import re
from statistics import fmean, median

import pytest

from papertrade_site.simulator.dice import Dice


@pytest.mark.parametrize("mean", [0.002, 1.5, 20.0, 80.0])
def test_a_poisson_count_has_its_mean_and_variance(mean: float) -> None:
    dice = Dice(1)
    draws = [dice.poisson(mean) for _ in range(20_000)]
    average = fmean(draws)
    assert average == pytest.approx(mean, rel=0.05, abs=0.002)
    assert fmean((draw - average) ** 2 for draw in draws) == pytest.approx(mean, rel=0.1, abs=0.002)


def test_nothing_happens_when_nothing_is_expected() -> None:
    assert {Dice(seed).poisson(0.0) for seed in range(50)} == {0}


def test_a_heavy_tailed_draw_has_its_median_and_a_larger_mean() -> None:
    dice = Dice(2)
    draws = [dice.heavy_tailed(10.0, spread=1.0) for _ in range(20_000)]
    assert median(draws) == pytest.approx(10.0, rel=0.05)
    assert fmean(draws) > 14.0


def test_an_address_is_lower_case_hex() -> None:
    dice = Dice(3)
    addresses = {dice.address() for _ in range(1_000)}
    assert len(addresses) == 1_000
    assert all(re.fullmatch("0x[0-9a-f]{40}", address) for address in addresses)


def test_certain_and_impossible_chances() -> None:
    dice = Dice(4)
    assert all(dice.chance(1.0) for _ in range(100))
    assert not any(dice.chance(0.0) for _ in range(100))
