"""What it costs to count usage: warm calls of tools with counting on and off, in one run.

Run by ``make bench``. Four servers take turns of two seconds, in an order that is drawn for each round: two
that count, and two that do not. From a round comes one ratio of the rates with counting to those without,
and one of each kind's first server to its twin. The second is 1 in truth, so it shows what the first is
worth. Each is told with the interval in which it lies; what is judged is whether that interval is above or
below the least ratio.

Each server has one worker process, since connections fall unevenly on several, which moves the rate of two
seconds more than all that is measured here; workers share nothing that counting touches but Redis.

"Off" is the same site but that its endpoints tell nobody what they have answered. All else is on in both:
limits, which name each client; the name on each answer; the count of requests by status; what is counted of
upstreams; and the thread that flushes all of that once a second. Neither writes a line about a request.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.load.bench_servers import Site, running_site
from tests.load.http_bench import Scenario, Target, measure, open_wallet, scenarios
from tests.load.intervals import interval

NAMES: Final = ("get_market_stats", "get_closest_to_bust")
CONNECTIONS: Final = 16
LEAST_RATIO: Final = 0.95
"""What has to be left of the rate without counting."""

ROUNDS: Final = 10
TURN_S: Final = 2
"""Seconds that a server has the machine; it flushes what it counted each second, so most of it meanwhile."""

ON, OFF = "papertrade_site.wsgi:application", "tests.load.uncounted_wsgi:application"
SERVED: Final = {"on 1": ON, "off 1": OFF, "off 2": OFF, "on 2": ON}
WRONG: Final = 1
SLOW: Final = 2

Round = Mapping[str, Mapping[str, Any]]
"""What wrk reported of each server's turn."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One kind of call: for each round what counting left of its rate, and its wrong answers.

    ``twins`` are the ratios of servers that are the same, for each round too.
    """

    name: str
    ratios: Sequence[float]
    twins: Sequence[float]
    wrong: int


def compared(name: str, rounds: Sequence[Round]) -> Compared:
    """One kind of call, from what was measured of it."""
    rates = [{server: turn["requests"] / turn["seconds"] for server, turn in each.items()} for each in rounds]
    return Compared(
        name,
        [math.sqrt(rate["on 1"] * rate["on 2"] / (rate["off 1"] * rate["off 2"])) for rate in rates],
        [math.sqrt(rate["on 1"] * rate["off 1"] / (rate["on 2"] * rate["off 2"])) for rate in rates],
        sum(turn["wrong"] + turn["broken"] for each in rounds for turn in each.values()),
    )


def compare(scenario: Scenario, targets: Mapping[str, Target]) -> Compared:
    """Measure and print one kind of call."""
    for target in targets.values():
        measure(target, scenario, connections=CONNECTIONS)  # warms what can be warm
    measured = []
    for _ in range(ROUNDS):
        turns = random.sample(list(targets), len(targets))
        measured.append(
            {
                server: measure(targets[server], scenario, connections=CONNECTIONS, seconds=TURN_S)
                for server in turns
            }
        )
    result = compared(scenario.name, measured)
    print(f"{scenario.name:24} {mean_rates(measured)}  {in_words(result.ratios, result.twins)}", flush=True)
    return result


def mean_rates(rounds: Sequence[Round]) -> str:
    """Calls per second with and without counting, and the processor time of the server for each."""
    words = []
    for kind in ("off", "on"):
        turns = [turn for each in rounds for server, turn in each.items() if server.startswith(kind)]
        requests = sum(turn["requests"] for turn in turns)
        rate = requests / sum(turn["seconds"] for turn in turns)
        cpu_us = 1e6 * sum(turn["cpu_s"] for turn in turns) / max(requests, 1)
        words.append(f"{rate:6.0f} per s {cpu_us:5.0f} us CPU {kind}")
    return "  ".join(words)


def in_words(ratios: Sequence[float], twins: Sequence[float]) -> str:
    """What is left of the rate, and how alike the twins came out."""
    return f"left {interval(ratios)}  twins {interval(twins)}"


def verdict(all_compared: Sequence[Compared]) -> tuple[str, int]:
    """A sentence about all of it, and the exit status: 0, ``WRONG`` for wrong answers, else ``SLOW``.

    It is too slow when that is known of one kind of call, or of all together. What is not known after so
    many rounds fails nothing.
    """
    if any(each.wrong for each in all_compared):
        return "WRONG: some answers were not right.", WRONG
    together = interval([ratio for each in all_compared for ratio in each.ratios])
    known = [(each.name, interval(each.ratios)) for each in all_compared] + [("all together", together)]
    slow = [f"{name} {left}" for name, left in known if left.high < LEAST_RATIO]
    if slow:
        return f"TOO SLOW: with counting on, less than x{LEAST_RATIO} is left of {', '.join(slow)}.", SLOW
    if together.low < LEAST_RATIO:
        return (
            f"UNDECIDED: with counting on, {together} is left: x{LEAST_RATIO} is within, measure again.",
            0,
        )
    return f"Good: with counting on, {together} is left of the rate: at least x{LEAST_RATIO}.", 0


def served_side_by_side(site: Site, path: str, expected: str) -> dict[str, Target]:
    """The four servers, as targets of one kind of call."""
    return {
        name: Target(site.serve(application, "--workers", "1"), path, expected)
        for name, application in SERVED.items()
    }


def main() -> int:
    """Measure, print, and tell by the exit status whether answers were right and the rate was kept."""
    with running_site() as site:
        kinds = {kind.name: kind for kind in scenarios(open_wallet(site))}
        # Servers of its own for each kind: two that are the same differ a little for as long as they live.
        results = [
            compare(kind, served_side_by_side(site, f"{kind.server}/mcp", kind.expected))
            for kind in (kinds[name] for name in NAMES)
        ]
    sentence, status = verdict(results)
    twins = interval([ratio for each in results for ratio in each.twins])
    print(f"Of servers that are the same, one is {twins} of its twin.\n{sentence}")
    return status


if __name__ == "__main__":
    sys.exit(main())
