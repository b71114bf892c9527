"""Two hundred worlds of the embedded exchange, for what has to hold in every one of them.

Founding a world costs far more than asking it, so all checks of a server share one pass over the seeds: one
test, with ``in_every_world``, that gives ``check_worlds`` a function which calls every check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from papertrade_site.simulator.world import World
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.venue_bodies import NOW_MS

SEEDS: Final = 200
BLOCK: Final = 25
"""Seeds of one test, so that workers can share them."""

TRADERS: Final = 8
"""So few that the tracked wallets hold all there is."""

in_every_world: Final = pytest.mark.parametrize(
    "seeds",
    [range(first, first + BLOCK) for first in range(0, SEEDS, BLOCK)],
    ids=lambda seeds: f"seeds-{seeds.start}-to-{seeds.stop - 1}",
)


def check_worlds(seeds: range, check: Callable[[SimulatedCalls, int], None], *, now_ms: int = NOW_MS) -> None:
    """Check tools over a world of each seed, at the same time; a failure says of which seed it is.

    The check gets the tools over that world, which is ``calls.world``, and the seed.
    """
    for seed in seeds:
        world = World.create(seed=seed, now_ms=now_ms, traders=TRADERS)
        try:
            with simulated_calls(world=world) as calls:
                check(calls, seed)
        except AssertionError as error:
            error.add_note(f"In the world of seed {seed}.")
            raise
