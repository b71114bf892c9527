"""What every drawing has, beside shapes of its own that its template knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """A short text, and the same with fuller figures for who points at it; empty if it shortens nothing."""

    text: str
    exact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """A drawing.

    Attributes:
        title: a few words.
        detail: goes on after the title where there is room.
        headline: what matters most.
        foot: where the remarks begin, in pixels from the top.
        remarks: sentences below the drawing, one a line.
    """

    title: str
    headline: Note
    foot: int
    detail: str = ""
    remarks: tuple[Note, ...] = ()


Draw = Callable[..., Shapes]
"""Places what the tools of a picture found, given in the picture's order."""

Figures = Mapping[str, Any]
"""A tool's result as clients get it."""
