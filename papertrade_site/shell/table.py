"""Lists of objects as tables that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.figures.text import dollars, number
from papertrade_site.shell.terminal import Terminal, cells, padded, visible

GAP: Final = "  "
MOST_ROWS: Final = 40
"""Rows of a table; of more, the first and the last ones are shown."""

PERCENT: Final = ("Percent", "Pct")


def shown(name: str, value: object) -> str:
    """One value for a person, by the unit that its name ends with."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int() | float() if name.endswith("Usd"):
            return dollars(value)
        case int() | float():
            return f"{number(value)} %" if name.endswith(PERCENT) else number(value)
        case _:
            return visible(str(value))


@dataclass(frozen=True, slots=True)
class _Column:
    """One field of all rows below its name, each text as wide as the widest; numbers stand to the right."""

    name: str
    values: tuple[object, ...]

    def lines(self) -> list[str]:
        texts = [self.name, *(shown(self.name, value) for value in self.values)]
        width = max(map(cells, texts))
        is_of_numbers = all(isinstance(value, int | float | None) for value in self.values)
        return [padded(text, width, right=is_of_numbers) for text in texts]


def table(rows: Sequence[Mapping[str, Any]], terminal: Terminal, *, indent: str = "") -> Iterator[str]:
    """Rows of scalars below their names.

    Columns that do not fit beside the others follow below, each time beside the first column anew. Of too
    many rows those in the middle are left out.
    """
    half = MOST_ROWS // 2
    kept = [*rows[:half], *rows[-half:]] if len(rows) > MOST_ROWS else rows
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [_Column(name, tuple(row.get(name) for row in kept)).lines() for name in names]
    for place, beside in enumerate(_side_by_side(columns, terminal.width - len(indent))):
        if place > 0:
            yield ""
        lines = [indent + GAP.join(texts).rstrip() for texts in zip(*beside, strict=True)]
        if len(kept) < len(rows):
            lines.insert(1 + half, f"{indent}… {len(rows) - len(kept)} rows more, which --json shows")
        yield from lines


def _side_by_side(columns: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
    """Columns in groups that fit, each of which begins with the first column and holds another one."""
    first, *others = columns
    group = [first]
    for column in others:
        is_full = sum(len(GAP) + cells(each[0]) for each in (*group, column)) > room + len(GAP)
        if is_full and len(group) > 1:
            yield group
            group = [first]
        group.append(column)
    yield group
