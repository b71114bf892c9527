"""What a requirement is: one promise of a specification, with the place where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ANALYTICS: Final = "analytics-mcp.md"
LIQUIDATIONS: Final = "liquidations-mcp.md"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise.

    Attributes:
        id: ``area:feature`` or ``area:feature:variant``; it never changes.
        sentence: the promise in our words.
        sources: where it stands: file and heading, the latter with ``#`` signs left out.
    """

    id: str
    sentence: str
    sources: tuple[tuple[str, str], ...]
