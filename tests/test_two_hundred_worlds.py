"""Two hundred worlds of the embedded exchange, in every one of which both servers' figures have to hold.

Founding a world costs far more than asking it, so all checks of both servers share one pass over the seeds.
"""

from __future__ import annotations

from typing import Final

import pytest

from papertrade_site.simulator.world import World
from tests.mcp_analytics import world_checks as analytics
from tests.mcp_liquidations import world_checks as liquidations
from tests.simulated_calls import simulated_calls
from tests.venue_bodies import NOW_MS

SEEDS: Final = 200
BLOCK: Final = 25
"""Seeds of one test, so that workers can share them."""

TRADERS: Final = 8
"""So few that the tracked wallets hold all there is."""

LATER_MS: Final = NOW_MS + 1_412_345
"""Some minutes into an hour, so that buckets are under way."""


@pytest.mark.slow
@pytest.mark.requirement(
    "paper:rate",
    "paper:rate25",
    "top-traders:ranking",
    "insights:medians",
    "insights:buckets",
    "bust-map:buckets",
    "bust-map:cascade",
    "protocol-map:venue",
    "protocol-map:regrouped",
    "clusters:largest",
    "closest:ranked",
    "tracked:coverage",
)
@pytest.mark.parametrize(
    "seeds",
    [range(first, first + BLOCK) for first in range(0, SEEDS, BLOCK)],
    ids=lambda seeds: f"seeds-{seeds.start}-to-{seeds.stop - 1}",
)
def test_the_figures_agree_with_each_other_and_with_the_exchanges_own(seeds: range) -> None:
    for seed in seeds:
        world = World.create(seed=seed, now_ms=LATER_MS, traders=TRADERS)
        try:
            with simulated_calls(world=world) as calls:
                liquidations.check_world(calls)
                analytics.check_world(calls, seed)
        except AssertionError as error:
            error.add_note(f"In the world of seed {seed}.")
            raise


def test_there_are_enough_seeds_for_every_pair_and_every_ranking() -> None:
    assert max(len(analytics.PAIRS), len(analytics.RANKINGS)) <= SEEDS
