"""The soak as a program, see ``make soak``: a line a minute, a table at the end, and a verdict.

The exit status is 0 when the soak went well, and 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.soak.load import Tally, percentile
from tests.soak.soaking import Soak, Tick, soak
from tests.soak.verdict import Soaked, changes, problems

MINUTE_S = 60
WARM_UP_SHARE = 0.5
"""Of the time: caches fill up meanwhile, of which the slowest takes the ten minutes that a copy lives."""


class Table:
    """Prints how a soak goes, once a minute."""

    def __init__(self) -> None:
        self._printed = 0
        print(
            f"{'min':>3} {'asked':>7} {'answered':>8} {'figures':>8} {'degraded':>8} {'wrong':>5}  p95 ms  MB"
        )

    def __call__(self, tick: Tick) -> None:
        """Print a line when a minute is over."""
        if tick.seconds < (self._printed + 1) * MINUTE_S:
            return
        self._printed += 1
        with tick.load.lock:
            tally = tick.load.tally
            took = [value for values in tally.took_s.values() for value in values]
            row = (tally.due, tally.answered, tally.with_figures, tally.degraded, tally.faulty)
        parts = ", ".join(f"{each.name.split()[0]} {each.memory_mb:.0f}" for each in tick.samples)
        print(
            "{:3} {:7} {:8} {:8} {:8} {:5}".format(self._printed, *row),
            f"{percentile(took, 95) * 1000:7.0f}  {parts}",
            flush=True,
        )


def print_summary(soaked: Soaked) -> None:
    """Print how long answers took, and what processes took at first and at last."""
    tally = soaked.tally
    print(f"\n{'':28} {'count':>7} {'p50 ms':>7} {'p95 ms':>7} {'p99 ms':>7} {'max ms':>7}")
    for kind, took in sorted(tally.took_s.items()):
        _print_took(kind, took)
    _print_took("all", [value for values in tally.took_s.values() for value in values])
    print(f"\n{'after the warm-up':24} {'MB':>15} {'change':>8} {'files':>10} {'threads':>10}")
    rows = zip(*(changes(soaked.samples, of) for of in ("memory_mb", "files", "threads")), strict=True)
    for memory, files, threads in rows:
        print(
            f"{memory.name:24} {memory.first:7.1f} {memory.last:7.1f} {memory.share:8.1%}"
            f" {files.first:5.0f} {files.last:4.0f} {threads.first:5.0f} {threads.last:4.0f}"
        )
    _print_answers(tally, soaked)


def _print_took(kind: str, took: list[float]) -> None:
    figures = " ".join(f"{percentile(took, percent) * 1000:7.1f}" for percent in (50, 95, 99, 100))
    print(f"{kind:28} {len(took):7} {figures}")


def _print_answers(tally: Tally, soaked: Soaked) -> None:
    statuses = ", ".join(f"{count} of {status}" for status, count in sorted(tally.statuses.items()))
    print(f"\nHTTP statuses: {statuses}.")
    print(
        f"{tally.with_figures} of {tally.calls} sound calls of tools brought figures, {tally.degraded} of"
        f" them degraded. {len(soaked.faults_tried)} faults of sources came and went."
    )


def main() -> int:
    """Soak, print, and tell by the exit status whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=100.0, help="requests in a second")
    options = parser.parse_args()
    seconds = options.minutes * MINUTE_S
    wanted = Soak(seconds=seconds, rate=options.rate, warm_up_s=seconds * WARM_UP_SHARE)
    print(f"Asking {options.rate:g} times a second for {options.minutes:g} minutes, while sources flap.")
    with TemporaryDirectory(prefix="pt-") as folder:
        soaked = soak(wanted, Path(folder), Table())
    print_summary(soaked)
    used_s = sum(os.times()[:2])
    print(f"The asking itself took {used_s / seconds:.2f} of a core.")
    wrong = problems(soaked)
    print("\n".join(["\nNOT WELL:", *wrong] if wrong else ["\nAll is well."]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
