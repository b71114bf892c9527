"""Pages of a ranking, counted from 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """Some rows of a ranking, and how many pages of that size it has (1 at least)."""

    rows: Sequence[Row]
    number: int
    size: int
    total: int


def page_of(rows: Sequence[Row], *, number: int, size: int) -> Page[Row]:
    """Page ``number`` of all rows, ``size`` of them (1 or more) a page; empty when past the end."""
    first = number * size
    return Page(
        rows=rows[first : first + size], number=number, size=size, total=max(-(-len(rows) // size), 1)
    )
