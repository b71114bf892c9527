"""Whether a soak went well: what was asked was answered rightly, and nothing grew, leaked or stuck."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from papertrade_site.simulator.faults import FAULTS
from tests.soak.load import Tally
from tests.soak.watch import Sample

LEAST_ANSWERED: Final = 0.99
LEAST_FIGURES: Final = 0.5
"""Of the calls of tools; with fewer, hardly anything was judged."""

LEAST_SAMPLES: Final = 10
TENTH: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What may grow.

    Attributes:
        share: memory, as a share of what it was.
        least_mb: less than so many megabytes are no growth, whatever share of a small process that is.
        files: file descriptors, and threads as many.
    """

    share: float = 0.05
    least_mb: float = 1.0
    files: int = 16


@dataclass(frozen=True, slots=True)
class Change:
    """How something of a process changed: the medians of the first and the last tenth of its samples."""

    name: str
    first: float
    last: float

    @property
    def share(self) -> float:
        """The growth as a share of what there was."""
        return (self.last - self.first) / self.first if self.first else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Soaked:
    """All that a soak found.

    Attributes:
        samples: those from after the warm-up.
        wanted_s: for how long it was to be asked, and ``rate`` how much in a second.
        tally: what came of the requests, those of the warm-up included.
        faults_tried: faults of the exchange that were in force at some time.
        stuck: what was wrong with locks, and with what the cache holds.
        log: what the service said, as far as it tells of an error in the program.
    """

    samples: Sequence[Sample]
    wanted_s: float
    rate: float
    tally: Tally
    faults_tried: frozenset[str] = frozenset(FAULTS)
    stuck: Sequence[str] = ()
    log: Sequence[str] = ()
    bounds: Bounds = field(default_factory=Bounds)


def changes(samples: Iterable[Sample], of: str) -> list[Change]:
    """How the memory, the files or the threads of each process changed."""
    by_name: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        by_name[sample.name].append(float(getattr(sample, of)))
    return [_change(name, values) for name, values in by_name.items()]


def problems(soaked: Soaked) -> list[str]:
    """Everything that is wrong, in sentences; empty when the soak went well."""
    return [
        *_of_answers(soaked),
        *_of_samples(soaked),
        *(f"Lock: {each}." for each in soaked.stuck),
        *(f"Log: {each}" for each in soaked.log),
        *(f"The exchange never had the fault {name}." for name in sorted({*FAULTS} - soaked.faults_tried)),
    ]


def _of_answers(soaked: Soaked) -> Iterator[str]:
    tally, wanted = soaked.tally, round(soaked.wanted_s * soaked.rate)
    if min(tally.due, tally.answered) < wanted * LEAST_ANSWERED:
        yield f"Of {wanted} requests {tally.due} were sent and {tally.answered} answered."
    judged = sum(tally.statuses.values())
    if judged < tally.due:
        yield f"Of {tally.due} answers only {judged} could be judged."
    if tally.with_figures < tally.calls * LEAST_FIGURES:
        yield f"Of {tally.calls} calls only {tally.with_figures} brought figures."
    if tally.faulty:
        yield f"{tally.faulty} answers were wrong, the first of them:"
        yield from tally.faults


def _of_samples(soaked: Soaked) -> Iterator[str]:
    bounds = soaked.bounds
    counts: dict[str, int] = defaultdict(int)
    for sample in soaked.samples:
        counts[sample.name] += 1
    most = max(counts.values(), default=0)
    if most < LEAST_SAMPLES:
        yield f"There are only {most} samples."
    yield from (f"The process {name} was not there all the time." for name in counts if counts[name] < most)
    for change in changes(soaked.samples, "memory_mb"):
        if change.share >= bounds.share and change.last - change.first >= bounds.least_mb:
            yield f"{change.name} grew from {change.first:.1f} to {change.last:.1f} MB ({change.share:.1%})."
    for of in ("files", "threads"):
        for change in changes(soaked.samples, of):
            if change.last - change.first >= bounds.files:
                yield f"{change.name} went from {change.first:.0f} to {change.last:.0f} {of}."


def _change(name: str, values: list[float]) -> Change:
    tenth = max(len(values) // TENTH, 1)
    return Change(name, median(values[:tenth]), median(values[-tenth:]))
