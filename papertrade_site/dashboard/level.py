"""How well something is, as the dashboard colours it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Level(IntEnum):
    """Rising with how soon an operator should look; ``QUIET`` is for what is not known."""

    GOOD = 0
    QUIET = 1
    WARN = 2
    BAD = 3

    @property
    def style(self) -> str:
        """Its name in style sheets."""
        return self.name.lower()


def worst(levels: Iterable[Level]) -> Level:
    """The worst of several; good without any."""
    return max(levels, default=Level.GOOD)
