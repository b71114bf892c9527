"""Text for a person's terminal: as wide as it is, coloured where it is wanted, and never able to steer it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Final
from unicodedata import combining, east_asian_width

from django.utils.termcolors import colorize

LEAST_TEXT_WIDTH: Final = 20
"""Cells that a text may always fill, however narrow the terminal."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is written on: how many cells a line has, and whether it shows colours."""

    width: int
    coloured: bool = False

    def painted(self, text: str, colour: str) -> str:
        """The text in one of the eight colours that every terminal has."""
        return colorize(text, fg=colour) if self.coloured else text

    def wrapped(self, text: str, *, indent: int = 0, first: str = "") -> Iterator[str]:
        """The text in lines that fit, indented below what stands before it in the first line."""
        width = max(self.width - indent, LEAST_TEXT_WIDTH)
        lines = wrap(text, width, break_on_hyphens=False) or [""]
        yield first.ljust(indent) + lines[0]
        yield from (" " * indent + line for line in lines[1:])


def visible(text: str) -> str:
    """A stranger's text with its control and invisible characters written out."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def cells(text: str) -> int:
    """How many cells of a line a text fills."""
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """A text filled up with spaces, on its left when it shall stand to the right."""
    space = " " * (width - cells(text))
    return space + text if right else text + space
