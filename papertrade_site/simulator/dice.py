"""The one seeded source of chance in the embedded exchange."""

from __future__ import annotations

from math import exp, sqrt
from random import Random

NORMAL_ABOVE = 30.0
"""Above this mean a Poisson count is drawn from the normal distribution, which is then close enough."""


class Dice(Random):
    """A seeded generator: the same seed and the same calls give the same market."""

    def poisson(self, mean: float) -> int:
        """How many events happen when ``mean`` of them are expected."""
        if mean > NORMAL_ABOVE:
            return max(0, round(self.gauss(mean, sqrt(mean))))
        limit = exp(-mean)
        count = 0
        product = self.random()
        while product > limit:
            count += 1
            product *= self.random()
        return count

    def heavy_tailed(self, median: float, *, spread: float) -> float:
        """A lognormal draw: half of all draws lie below ``median``, a few far above it."""
        return median * exp(self.gauss(0.0, spread))

    def chance(self, probability: float) -> bool:
        """True with the given probability, 0 to 1."""
        return self.random() < probability

    def address(self) -> str:
        """A fresh wallet address in lower-case hex."""
        return f"0x{self.getrandbits(160):040x}"
