"""How fast the market arithmetic is: ladders with all that is read off them, and valuations.

These run with ``make bench`` only.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from papertrade_site.market.bust import bust_price
from papertrade_site.market.cascade import cascade
from papertrade_site.market.clusters import largest_clusters
from papertrade_site.market.instrument import Side
from papertrade_site.market.ladder import Ladder, build_ladder
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.market.settlement import settle_position
from papertrade_site.simulator import markets

MARK = 830655
LEVERAGES = (10, 25, 50, 100, 200, 250, 500, 1000)
BTC = markets.BTC.instrument


def book(count: int) -> list[Position]:
    """Make a seeded BTC book with entries within 5 % of the mark and round leverages."""
    random = Random(count)
    positions = []
    for number in range(count):
        side = random.choice(list(Side))
        leverage = random.choice(LEVERAGES)
        entry = random.randint(MARK * 95 // 100, MARK * 105 // 100)
        positions.append(
            Position(
                id=str(number),
                wallet=f"0x{number:040x}",
                instrument_id=0,
                side=side,
                margin=random.randint(10, 10_000) * WAD,
                leverage=leverage,
                entry=entry,
                bust=bust_price(entry, leverage=leverage, side=side, bust_buffer=BTC.bust_buffer),
                opened_at_ms=0,
            )
        )
    return positions


def survey(positions: list[Position]) -> Ladder:
    """Build the ladder in buckets of 100 dollars and read clusters and a 5 % cascade off it."""
    ladder = build_ladder(positions, mark=MARK, size=Fraction(1000))
    for side in Side:
        largest_clusters(ladder, side, most=10)
    cascade(ladder, move=Fraction(1, 20))
    return ladder


def note_rate(benchmark: BenchmarkFixture, count: int) -> None:
    """Report positions per second by the median round."""
    assert benchmark.stats is not None
    benchmark.extra_info["positions_per_second"] = round(count / benchmark.stats.stats.median)


@pytest.mark.parametrize("count", [1_000, 10_000, 100_000])
def test_ladder_clusters_and_cascade(benchmark: BenchmarkFixture, count: int) -> None:
    positions = book(count)
    ladder: Ladder = benchmark(survey, positions)
    assert ladder.positions(Side.LONG) + ladder.positions(Side.SHORT) == count
    note_rate(benchmark, count)


def test_valuation(benchmark: BenchmarkFixture) -> None:
    positions = book(10_000)

    def value_all() -> int:
        return sum(
            settle_position(BTC, position, mark=MARK, win_fee_rate=WAD // 50).net for position in positions
        )

    total: int = benchmark(value_all)
    assert -sum(position.margin for position in positions) < total
    note_rate(benchmark, len(positions))
