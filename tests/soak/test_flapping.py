"""The plan by which sources flap."""

from __future__ import annotations

from random import Random

import pytest

from papertrade_site.simulator.faults import FAULTS
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from tests.soak.flapping import BOOKS, BOOKS_AWAY_S, LONG_PATH, LONG_S, PATHS, in_force, plan


@pytest.mark.parametrize("seconds", [28, 1_200])
def test_every_fault_comes_and_goes(seconds: int) -> None:
    spells = plan(seconds, Random(1))
    seen = [in_force(spells, quarter / 4) for quarter in range(seconds * 4)]
    assert {fault for faults in seen for fault in faults.values()} == set(FAULTS)
    assert {path for faults in seen for path in faults} == set(PATHS)
    assert any(faults == {} for faults in seen)


def test_every_path_has_every_fault_in_a_long_soak() -> None:
    pairs = {(spell.path, spell.fault) for spell in plan(1_200, Random(1))}
    assert len(pairs) == len(PATHS) * len(FAULTS)


def test_paths_are_away_for_longer_than_their_copies_last() -> None:
    assert DEFAULT_LIFETIMES["hyperliquid.book"].stale_s < BOOKS_AWAY_S
    assert DEFAULT_LIFETIMES["exchange.queue"].stale_s < LONG_S
    assert BOOKS in in_force(plan(28, Random(1)), BOOKS_AWAY_S)
    spells = plan(1_200, Random(1))
    away = [second for second in range(1_200) if LONG_PATH in in_force(spells, second)]
    assert len(away) >= LONG_S
