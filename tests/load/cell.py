"""What is measured of one server by one kind of call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

BARE: Final = "bare view"
OFF: Final = "site, off"
ON: Final = "site, on"
PYTHON: Final = "Python SDK"
TYPESCRIPT: Final = "TypeScript SDK"


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one kind of call to one server at so many connections.

    Attributes:
        answer_bytes: length of the site's answer; the other servers' are about as long.
        rate: answers per second.
        p50_ms: half of the answers took no longer than so many milliseconds; the median of the slices.
        p99_ms: as above, for 99 of 100 answers.
        cpu_us: what a request took of the server's own processes, in microseconds of processor time: it
            tells the work apart from the wait for a machine that others use too.
        load_cpu: how much of one processor the load generator took, 0 to 1. It has no more than one, so
            near 1 it is the generator that was measured.
        memory_mb: of all processes of the server at the end, in MiB; shared pages are counted once.
        wrong: answers that were not right, or did not come.
    """

    scenario: str
    connections: int
    server: str
    answer_bytes: int
    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    load_cpu: float
    memory_mb: float
    wrong: int


Row = Mapping[str, Cell]
"""The cells of one kind of call at one number of connections, by server."""
