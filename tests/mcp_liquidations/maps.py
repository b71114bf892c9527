"""What has to hold of any map that a tool shows, whatever the market."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

from papertrade_site.market.instrument import Side

Result: TypeAlias = dict[str, Any]


def micro(dollars: float) -> int:
    """Dollars as whole millionths, which results are exact to."""
    return round(dollars * 10**6)


def check_sums(result: Result) -> None:
    """Rows and what is left out add up to the totals, and these to what is tracked."""
    totals, omitted = result["totals"], result["omitted"]
    whole = micro(totals["longNotionalUsd"]) + micro(totals["shortNotionalUsd"])
    shown = sum(micro(row["notionalUsd"]) for row in result["buckets"])
    assert abs(shown + micro(omitted["notionalUsd"]) - whole) <= len(result["buckets"]) + 2
    if result["coverage"] is not None:
        assert abs(whole - micro(result["coverage"]["trackedNotionalUsd"])) <= 2
        assert totals["longPositions"] + totals["shortPositions"] == result["coverage"]["positions"]


def check_rows(result: Result) -> None:
    """Rows are sorted, apart, on the grid, on their side of the mark, and summed outward."""
    rows, mark = result["buckets"], result["markPriceUsd"]
    keys = [(row["lowUsd"], row["side"]) for row in rows]
    assert keys == sorted(set(keys))
    for row in rows:
        is_above, is_inside = row["lowUsd"] > mark, row["lowUsd"] <= mark < row["highUsd"]
        is_ahead = is_above == (row["side"] == "short")
        distance = row["distancePercent"]
        assert distance == 0 if is_inside else distance >= 0 if is_ahead else distance <= 0
    for side in Side:
        outward = [row for row in rows if row["side"] == side]
        outward = outward[::-1] if side is Side.LONG else outward
        assert all(one["distancePercent"] <= other["distancePercent"] for one, other in pairwise(outward))
        for nearer, further in pairwise(row for row in outward if "cumulativeNotionalUsd" in row):
            gained = micro(further["cumulativeNotionalUsd"]) - micro(nearer["cumulativeNotionalUsd"])
            assert abs(gained - micro(further["notionalUsd"])) <= 2
