"""What one request takes from its client's allowance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REFUSED_COST: Final = 1
"""What a refused request costs, however many messages it holds: asking in vain is not free."""


@dataclass(frozen=True, slots=True)
class Charge:
    """A request's cost in messages (at least 1) and the allowance that it has to fit."""

    cost: int
    limit: int

    def is_refused(self, count: int) -> bool:
        """Whether the request does not fit, given the client's count with the whole cost added."""
        return count > self.limit

    def counted(self, count: int) -> int:
        """What stays on the client's count, given the count with the whole cost added."""
        return count - self.cost + REFUSED_COST if self.is_refused(count) else count
