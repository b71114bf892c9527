"""What it costs to count usage: warm calls of tools with counting on and off, in one run.

Run by ``make bench``. Slices of one second go round the two, as in ``http_bench``; only their ratio means
anything. What is counted is flushed to Redis meanwhile, as always.
"""

from __future__ import annotations

import argparse
import sys
from itertools import cycle, islice
from typing import Any, Final

from tests.load.bench_servers import running_site
from tests.load.http_bench import Scenario, Target, cell, measure, open_wallet, scenarios

NAMES: Final = ("get_market_stats", "get_closest_to_bust")
CONNECTIONS: Final = 16


def compare(scenario: Scenario, *, on: Target, off: Target, seconds: int) -> bool:
    """Measure and print one kind of call, and say whether every answer was right."""
    targets = {"counting off": off, "counting on": on}
    slices: dict[str, list[dict[str, Any]]] = {name: [] for name in targets}
    for target in targets.values():
        measure(target, scenario, connections=CONNECTIONS)  # warms what can be warm
    for name in islice(cycle(targets), seconds * len(targets)):
        slices[name].append(measure(targets[name], scenario, connections=CONNECTIONS))
    without, counted = (cell(scenario, CONNECTIONS, name, slices[name]) for name in targets)
    print(
        f"{scenario.name:24} {without.rate:7.0f} per s off {counted.rate:7.0f} on"
        f"  rate x{counted.rate / without.rate:.3f}  CPU {without.cpu_us:.0f} and {counted.cpu_us:.0f} us",
        flush=True,
    )
    return without.wrong == counted.wrong == 0


def main() -> int:
    """Measure, print, and tell by the exit status whether every answer was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of each of the two")
    options = parser.parse_args()
    with running_site() as site:
        uncounted = site.serve("tests.load.uncounted_wsgi:application")
        kinds = {kind.name: kind for kind in scenarios(open_wallet(site))}
        rights = []
        for name in NAMES:
            kind, path = kinds[name], f"{kinds[name].server}/mcp"
            on, off = (Target(server, path, kind.expected) for server in (site.limited, uncounted))
            rights.append(compare(kind, on=on, off=off, seconds=options.seconds))
    return 0 if all(rights) else 1


if __name__ == "__main__":
    sys.exit(main())
