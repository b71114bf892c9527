"""What one request takes from the allowances that it has to fit, all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import gt
from typing import Final

REFUSED_COST: Final = 1
"""What a refused request costs its client, however many messages it holds: asking in vain is not free."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of one window, and what it may reach.

    Attributes:
        key: names the counter, and its window with it.
        limit: what it may reach.
        seconds: how long it is kept from its first charge; at least the window.
    """

    key: str
    limit: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Charge:
    """A request's cost in messages (at least 1), and the allowances that it has to fit.

    Attributes:
        cost: is added to every counter.
        limit: what the first counter may reach, the client's own of a minute, which django-ratelimit names.
        further: the other counters.
    """

    cost: int
    limit: int
    further: tuple[Counter, ...] = ()

    def is_refused(self, counts: Sequence[int]) -> bool:
        """Whether it does not fit, given what each counter has reached with the whole cost added."""
        return counts[0] > self.limit or any(map(gt, counts[1:], [counter.limit for counter in self.further]))

    def counted(self, counts: Sequence[int]) -> Sequence[int]:
        """What stays on each counter, given what it has reached with the whole cost added.

        A request that any allowance refuses costs ``REFUSED_COST`` of the first and nothing of the others.
        """
        if not self.is_refused(counts):
            return counts
        first, *further = (count - self.cost for count in counts)
        return [first + REFUSED_COST, *further]
