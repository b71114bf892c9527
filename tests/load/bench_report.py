"""What ``http_bench`` has measured: as lines, as JSON, and as a table in Markdown with what was aimed at."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from tests.load.cell import BARE, OFF, ON, PYTHON, TYPESCRIPT, Cell, Row

JUDGED_CONNECTIONS: Final = 64
UNJUDGED: Final = "initialize"
SERVERS: Final = (BARE, OFF, ON, PYTHON, TYPESCRIPT)


@dataclass(frozen=True, slots=True)
class Aim:
    """What a ratio shall be: at least ``bound``, or at most."""

    heading: str
    ratio: Callable[[Row], float]
    bound: float
    at_most: bool = False

    def is_met(self, row: Row) -> bool:
        """Whether this kind of call came out so."""
        ratio = self.ratio(row)
        return ratio <= self.bound if self.at_most else ratio >= self.bound

    def __str__(self) -> str:
        return f"{self.heading} {'≤' if self.at_most else '≥'} {self.bound:g}"


AIMS: Final = (
    Aim("off : bare", lambda row: row[OFF].rate / row[BARE].rate, 0.85),
    Aim("on : bare", lambda row: row[ON].rate / row[BARE].rate, 0.55),
    Aim("on : Python SDK", lambda row: row[ON].rate / row[PYTHON].rate, 2),
    Aim("p99, on : bare", lambda row: row[ON].p99_ms / row[BARE].p99_ms, 2, at_most=True),
)


def lines(row: Row) -> str:
    """One kind of call at one number of connections: a line for each server."""
    bare, sdk = row[BARE], row[PYTHON]
    heading = f"\n{bare.scenario}, {bare.connections} connections, {bare.answer_bytes} bytes"
    columns = "   per s  p50 ms  p99 ms  CPU us  wrk CPU     MiB  x bare   x SDK  p99 x bare"
    return "\n".join([heading, f"  {'':14}{columns}", *(_line(cell, bare, sdk) for cell in row.values())])


def _line(cell: Cell, bare: Cell, sdk: Cell) -> str:
    wrong = f"  {cell.wrong} WRONG" if cell.wrong else ""
    return (
        f"  {cell.server:14}{cell.rate:8.0f}{cell.p50_ms:8.1f}{cell.p99_ms:8.1f}{cell.cpu_us:8.0f}"
        f"{cell.load_cpu:9.2f}{cell.memory_mb:8.0f}{cell.rate / bare.rate:8.2f}{cell.rate / sdk.rate:8.2f}"
        f"{cell.p99_ms / bare.p99_ms:12.2f}{wrong}"
    )


def as_json(rows: Sequence[Row], seconds: int) -> str:
    """Everything measured, for programs; ``aims`` tells of each row that is judged what came out."""
    cells = [asdict(cell) for row in rows for cell in row.values()]
    aims = [
        {"scenario": row[BARE].scenario, "aim": str(aim), "ratio": aim.ratio(row), "met": aim.is_met(row)}
        for row in _judged(rows)
        for aim in AIMS
    ]
    document = {"secondsACell": seconds, "cores": os.cpu_count(), "cells": cells, "aims": aims}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_markdown(rows: Sequence[Row], seconds: int) -> str:
    """A table of what came out at 64 connections, the ratios that miss their aim in bold, and a verdict."""
    shown = [row for row in rows if row[BARE].connections == JUDGED_CONNECTIONS]
    servers = [server for server in SERVERS if all(server in row for row in shown)]
    headings = ["Call", *servers, *(f"{aim}" for aim in AIMS)]
    table = [headings, ["---", *["---:"] * (len(headings) - 1)], *(_table_row(row, servers) for row in shown)]
    if shown:
        memory = [f"{max(row[server].memory_mb for row in shown):.0f} MiB" for server in servers]
        table.append(["most memory", *memory, *[""] * len(AIMS)])
    parts = ["\n".join(f"| {' | '.join(cells)} |" for cells in table), _caption(seconds), _verdict(rows)]
    return "\n\n".join(parts) + "\n"


def _caption(seconds: int) -> str:
    return (
        "Calls per second, and after the stroke the milliseconds within which 99 of 100 were answered, with\n"
        f"{JUDGED_CONNECTIONS} connections and {seconds} s a cell, on {os.cpu_count()} cores that wrk, "
        f"Valkey and the exchange share.\nA ratio in bold misses its aim. `{UNJUDGED}` is not judged."
    )


def _table_row(row: Row, servers: Sequence[str]) -> list[str]:
    figures = [f"{row[server].rate:,.0f} / {row[server].p99_ms:.0f}" for server in servers]
    return [f"`{row[BARE].scenario}`", *figures, *(_ratio(row, aim) for aim in AIMS)]


def _ratio(row: Row, aim: Aim) -> str:
    ratio = f"{aim.ratio(row):.2f}"
    return ratio if aim.is_met(row) or not _judged([row]) else f"**{ratio}**"


def _judged(rows: Sequence[Row]) -> list[Row]:
    return [
        row for row in rows if row[BARE].connections == JUDGED_CONNECTIONS and row[BARE].scenario != UNJUDGED
    ]


def _verdict(rows: Sequence[Row]) -> str:
    """How many kinds of call meet each aim, and the one that is farthest from an aim that is missed."""
    judged = _judged(rows)
    return "\n".join(f"- {aim}: {_outcome(aim, judged)}" for aim in AIMS) if judged else "Nothing was judged."


def _outcome(aim: Aim, judged: Sequence[Row]) -> str:
    missed = [row for row in judged if not aim.is_met(row)]
    if not missed:
        return f"met by all {len(judged)}."
    farthest = (max if aim.at_most else min)(missed, key=aim.ratio)
    worst = f"`{farthest[BARE].scenario}` has {aim.ratio(farthest):.2f}"
    return f"met by {len(judged) - len(missed)} of {len(judged)}; {worst}."
