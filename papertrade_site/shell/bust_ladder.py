"""The result of ``get_bust_map`` as a ladder: shorts above the mark, longs below, a bar for each bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mcp_liquidations.buckets import MOST_ROWS
from papertrade_site.figures.text import dollars, number
from papertrade_site.shell.report import figures
from papertrade_site.shell.table import GAP
from papertrade_site.shell.terminal import Terminal

BAR: Final = "█"
LEAST_BAR: Final = 10
MOST_BAR: Final = 40
COLOURS: Final = {"long": "green", "short": "red"}
DRAWN: Final = frozenset(
    {"market", "markPriceUsd", "bucketUsd", "buckets", "totals", "passed", "omitted", "coverage"}
)
"""Fields that the drawing or the summary tells; any other one is shown below it by its name."""

HEADINGS: Final = ("bust price", "side", "notional", "distance", "cumulative", "positions")
"""Columns, the last of which go first where there is no room; the bar stands before the notional."""

BEFORE_BAR: Final = 2
LEAST_COLUMNS: Final = 3

Row = Mapping[str, Any]


def bust_ladder(result: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    """The map's rows from the highest price down, around the mark, and what they add up to."""
    above, below = _around_mark(result["buckets"], result["markPriceUsd"])
    lines = _lines([*above, *below], terminal)
    headings, rows = lines[0], lines[1:]
    yield headings
    yield from rows[: len(above)]
    yield _mark_line(f"{result['market']} mark {dollars(result['markPriceUsd'])}", terminal)
    yield from rows[len(above) :]
    yield from _sums(result, terminal)
    others = {name: value for name, value in result.items() if name not in DRAWN and value is not None}
    yield from figures(others, terminal)


def _around_mark(buckets: Sequence[Row], mark: float) -> tuple[list[Row], list[Row]]:
    """Rows above the mark and below it, highest first; in the mark's own bucket shorts are above."""
    ordered = sorted(buckets, key=lambda row: (row["lowUsd"], row["side"] == "short"), reverse=True)
    is_above = [row["lowUsd"] > mark or (row["highUsd"] > mark and row["side"] == "short") for row in ordered]
    count = sum(is_above)
    return ordered[:count], ordered[count:]


def _lines(rows: Sequence[Row], terminal: Terminal) -> list[str]:
    """The headings and one line a row, with as many columns as leave room for the bars."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    while len(widths) > LEAST_COLUMNS and _room(widths, terminal) < LEAST_BAR:
        widths.pop()
    room = min(max(_room(widths, terminal), LEAST_BAR), MOST_BAR)
    bars = ["", *_bars(rows, room)]
    headings, *lines = (_line(texts, widths, bar.ljust(room)) for texts, bar in zip(cells, bars, strict=True))
    painted = (terminal.painted(line, COLOURS[row["side"]]) for line, row in zip(lines, rows, strict=True))
    return [headings, *painted]


def _line(texts: Sequence[str], widths: Sequence[int], bar: str) -> str:
    """The texts of the columns that have a width, with the bar among them."""
    parts = [text.rjust(width) for text, width in zip(texts, widths, strict=False)]
    return GAP.join([*parts[:BEFORE_BAR], bar, *parts[BEFORE_BAR:]]).rstrip()


def _room(widths: Sequence[int], terminal: Terminal) -> int:
    return terminal.width - sum(widths) - len(GAP) * len(widths)


def _bars(rows: Sequence[Row], room: int) -> Iterator[str]:
    """Bars as long as the notional, the longest as long as there is room; any notional has a bar."""
    most = max((row["notionalUsd"] for row in rows), default=0)
    for row in rows:
        share = row["notionalUsd"] / most if most else 0
        yield BAR * (max(round(share * room), 1) if share else 0)


def _cells(row: Row) -> tuple[str, ...]:
    distance = row["distancePercent"]
    return (
        f"{number(row['lowUsd'])} - {number(row['highUsd'])}",
        row["side"],
        _whole(row["notionalUsd"]),
        f"{distance:.2f} %" if distance >= 0 else "passed",
        _whole(row["cumulativeNotionalUsd"]),
        number(row["positions"]),
    )


def _mark_line(text: str, terminal: Terminal) -> str:
    return terminal.painted(f"-- {text} ".ljust(terminal.width, "-"), "yellow")


def _sums(result: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    omitted = result["omitted"]
    if omitted["buckets"]:
        more = f"maxBuckets={MOST_ROWS}" if len(result["buckets"]) < MOST_ROWS else "a wider bucketUsd"
        yield from terminal.wrapped(
            f"Farther away and not drawn: {number(omitted['buckets'])} buckets of "
            f"{_whole(omitted['notionalUsd'])} ({more} draws more)."
        )
    yield from terminal.wrapped(_coverage(result["coverage"]))


def _coverage(coverage: Mapping[str, Any]) -> str:
    fraction, protocol = coverage["fraction"], coverage["protocolNotionalUsd"]
    share = "an unknown share" if fraction is None else f"{fraction * 100:.1f} %"
    whole = "" if protocol is None else f" of {_whole(protocol)}"
    failed = coverage["walletsFailed"]
    text = (
        f"Coverage: {share} of the market's open notional ({_whole(coverage['trackedNotionalUsd'])}{whole}), "
        f"from {coverage['walletsRead']} of {coverage['walletsRequested']} wallets"
    )
    return f"{text}; {failed} could not be read." if failed else f"{text}."


def _whole(usd: float) -> str:
    return dollars(round(usd))
