"""Any tool's result for a person: its figures by name, its lists as tables, and its age in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from papertrade_site.shell.table import GAP, shown, table
from papertrade_site.shell.terminal import Terminal, visible

PROVENANCE: Final = frozenset({"generatedAt", "dataSource", "freshness"})
"""Fields of every result that are not among its figures."""

PRICES: Final = "hyperliquid.book"
"""The source whose age matters most: what the mark is made of."""

SIMULATED: Final = "SIMULATED: figures of a made-up exchange, not of Papertrade."

_MINUTE_S: Final = 60
_HOUR_S: Final = 3600


def figures(result: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    """The figures of a result, by the names that they have in its JSON."""
    yield from _fields({name: value for name, value in result.items() if name not in PROVENANCE}, terminal)


def provenance(result: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    """How old the figures are and what is wrong with their sources, and plainly whether they are made up."""
    freshness, computed_at = result["freshness"], result["generatedAt"]
    oldest, prices = _age(freshness["asOf"], computed_at), ""
    for row in freshness["sources"]:
        if row["name"] == PRICES and row["fetchedAt"] is not None:
            prices = f", prices {_age(row['fetchedAt'], computed_at)}"
    yield f"Age: oldest input {oldest}{prices}, at {computed_at}."
    for row in freshness["sources"]:
        if row["state"] == "stale" or "note" in row:
            lines = terminal.wrapped(visible(_trouble(row, computed_at)), indent=len(GAP))
            yield from (terminal.painted(line, "yellow") for line in lines)
    if result["dataSource"] == "simulated":
        yield terminal.painted(SIMULATED, "yellow")


def _fields(fields: Mapping[str, Any], terminal: Terminal, indent: str = "") -> Iterator[str]:
    scalars = [name for name, value in fields.items() if not isinstance(value, dict | list)]
    width = max(map(len, scalars), default=0) + len(GAP)
    for name, value in fields.items():
        match value:
            case dict() | list() if not value:
                yield f"{indent}{name}: none"
            case dict():
                yield f"{indent}{name}"
                yield from _fields(value, terminal, indent + GAP)
            case list():
                yield from _list(name, value, terminal, indent)
            case _:
                label = f"{indent}{name}"
                yield from terminal.wrapped(shown(name, value), indent=len(indent) + width, first=label)


def _list(name: str, values: Sequence[Any], terminal: Terminal, indent: str) -> Iterator[str]:
    if not isinstance(values[0], dict):
        yield from _line_of(name, [shown(name, value) for value in values], terminal, indent)
        return
    yield f"{indent}{name}"
    if any(isinstance(value, dict | list) for row in values for value in row.values()):
        for row in values:
            yield from _item(row, terminal, indent + GAP)
    else:
        yield from table(values, terminal, indent=indent + GAP)


def _item(row: Mapping[str, Any], terminal: Terminal, indent: str) -> Iterator[str]:
    """An object of a list, set off from the others by a dash."""
    first, *others = _fields(row, terminal, indent + GAP)
    yield f"{indent}- {first.removeprefix(indent + GAP)}"
    yield from others


def _line_of(name: str, texts: Sequence[str], terminal: Terminal, indent: str) -> Iterator[str]:
    """Values in one line; of too many, the first ones and how many there are."""
    whole = f"{indent}{name}{GAP}{', '.join(texts)}"
    if len(whole) <= terminal.width:
        yield whole
        return
    end = f"… ({len(texts)} values; --json shows them)"
    yield whole[: max(terminal.width - len(end), 0)] + end


def _trouble(row: Mapping[str, Any], computed_at: str) -> str:
    """A source that is old or failed, its age, and why."""
    fetched_at = row["fetchedAt"]
    age = "not read" if fetched_at is None else f"{_age(fetched_at, computed_at)} old"
    note = row.get("note")
    return f"{row['name']}: {age}." if note is None else f"{row['name']}: {age}. {note}"


def _age(then: str, now: str) -> str:
    seconds = max(int((datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()), 0)
    if seconds < 2 * _MINUTE_S:
        return f"{seconds} s"
    return f"{seconds // _MINUTE_S} min" if seconds < 2 * _HOUR_S else f"{seconds // _HOUR_S} h"
