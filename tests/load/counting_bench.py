"""What it costs to count usage: warm calls of tools with counting on and off, in one run.

Run by ``make bench``. Slices of one second go round the two, as in ``http_bench``, each first in turn; only
the ratio of two neighbours means anything, and the median of all such ratios is judged. What is counted is
flushed to Redis meanwhile, as always.

"Off" is the same site but that its endpoints tell nobody what they have answered. All else is on in both:
limits, which name each client; the name on each answer; the count of requests by status; what is counted of
upstreams; and the thread that flushes all of that. No line about a request is written in either.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from tests.load.bench_servers import running_site
from tests.load.http_bench import Scenario, Target, cell, measure, open_wallet, scenarios

NAMES: Final = ("get_market_stats", "get_closest_to_bust")
CONNECTIONS: Final = 16
LEAST_RATIO: Final = 0.95
"""What has to be left of the rate without counting."""

OFF, ON = "counting off", "counting on"
WRONG: Final = 1
SLOW: Final = 2


@dataclass(frozen=True, slots=True)
class Compared:
    """One kind of call: its rate with counting as a part of that without, and its wrong answers."""

    name: str
    ratio: float
    wrong: int


def compare(scenario: Scenario, *, on: Target, off: Target, seconds: int) -> Compared:
    """Measure and print one kind of call."""
    targets = {OFF: off, ON: on}
    slices: dict[str, list[dict[str, Any]]] = {name: [] for name in targets}
    for target in targets.values():
        measure(target, scenario, connections=CONNECTIONS)  # warms what can be warm
    for number in range(seconds):
        for name in (OFF, ON) if number % 2 else (ON, OFF):
            slices[name].append(measure(targets[name], scenario, connections=CONNECTIONS))
    ratio = median_ratio(slices[ON], slices[OFF])
    without, counted = (cell(scenario, CONNECTIONS, name, slices[name]) for name in targets)
    print(
        f"{scenario.name:24} {without.rate:7.0f} per s off {counted.rate:7.0f} on"
        f"  median x{ratio:.3f}  CPU {without.cpu_us:.0f} and {counted.cpu_us:.0f} us",
        flush=True,
    )
    return Compared(scenario.name, ratio, without.wrong + counted.wrong)


def median_ratio(on: Sequence[dict[str, Any]], off: Sequence[dict[str, Any]]) -> float:
    """The median of how the rates of neighbours compare: a busy second of the machine weighs little in it."""
    ratio: float = median(
        (counted["requests"] / counted["seconds"]) / (without["requests"] / without["seconds"])
        for counted, without in zip(on, off, strict=True)
    )
    return ratio


def verdict(compared: Sequence[Compared]) -> tuple[str, int]:
    """A sentence about all of it, and the exit status: 0, ``WRONG`` for wrong answers, else ``SLOW``."""
    if any(each.wrong for each in compared):
        return "WRONG: some answers were not right.", WRONG
    slow = [f"{each.name} (x{each.ratio:.3f})" for each in compared if each.ratio < LEAST_RATIO]
    if slow:
        return f"TOO SLOW: with counting on, less than x{LEAST_RATIO} is left of {', '.join(slow)}.", SLOW
    return f"Good: with counting on, at least x{LEAST_RATIO} is left of every rate.", 0


def main() -> int:
    """Measure, print, and tell by the exit status whether answers were right and the rate was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of each of the two")
    options = parser.parse_args()
    with running_site() as site:
        # Both are started alike, one after the other: the first server came out slower than a twin of itself.
        counted = site.serve("papertrade_site.wsgi:application")
        uncounted = site.serve("tests.load.uncounted_wsgi:application")
        kinds = {kind.name: kind for kind in scenarios(open_wallet(site))}
        compared = []
        for name in NAMES:
            kind, path = kinds[name], f"{kinds[name].server}/mcp"
            on, off = (Target(server, path, kind.expected) for server in (counted, uncounted))
            compared.append(compare(kind, on=on, off=off, seconds=options.seconds))
    sentence, status = verdict(compared)
    print(sentence)
    return status


if __name__ == "__main__":
    sys.exit(main())
