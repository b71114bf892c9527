"""What every process has counted since it began, in a file of each, so that any of them can tell of all.

Once a second a process writes its totals anew (``Totals``), away from requests. The files are small and stand
in memory where the system has such a folder. Those of processes that have ended stay, so that sums never go
back while the site runs; they are removed when it starts and when it has ended (``gunicorn.conf.py``).

``prometheus_client.multiprocess`` is not used: an environment variable, read when the library is imported,
switches it on for all that a process counts; it keeps a mapped file for each kind of metric, and changes it
in place with every number. Here a second's counts are added at once, and one file is replaced whole, so that
none is read half written.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

from papertrade_site.mcp.admission import Outcome
from papertrade_site.ops.folders import make_private_folder
from papertrade_site.ops.request_lines import Written
from papertrade_site.strict_json import Json
from papertrade_site.upstream.tally import SOURCE_NUMBERS
from papertrade_site.usage.buffer import Batch

Key = tuple[str | int, ...]
"""What a number is of: a name of this module's, then labels."""

MESSAGES: Final = "messages"
"""By server, method, tool or '', and outcome."""

REUSED: Final = "reused"
"""Calls that an earlier answer served, by server and tool."""

DURATIONS: Final = "durations"
"""Answered calls by server, tool and bucket of ``usage.durations``."""

MICROS: Final = "micros"
"""Microseconds that those took together, by server and tool."""

SOURCES: Final = "sources"
"""By source, and name of ``SourceCounts``."""

REDIS: Final = "redis"
UNCOUNTED: Final = "uncounted"
REQUESTS: Final = "requests"
"""HTTP requests by server or '', and status."""

UNLOGGED: Final = "unlogged"
"""Requests whose line was lost."""

LOST_LINES: Final = "lost_lines"
"""Lost lines of all else that is logged."""

ENDING: Final = ".json"


class Totals:
    """The totals of one process; one thread at a time adds and writes."""

    def __init__(self) -> None:
        self.forget()

    def add(self, batch: Batch, requests: Written, *, lost_lines: int) -> None:
        """Add what came together since the last time; ``lost_lines`` are those about no request."""
        counts = self.counts
        for subject, row in batch.messages.items():
            labels = (subject.server, subject.method, subject.tool)
            for outcome in Outcome:
                counts[MESSAGES, *labels, outcome.value] += getattr(row, outcome.value)
            if subject.tool:
                counts[REUSED, subject.server, subject.tool] += row.reused
                counts[MICROS, subject.server, subject.tool] += row.micros
                for bucket, count in row.durations.items():
                    counts[DURATIONS, subject.server, subject.tool, bucket] += count
        for (_, source), reads in batch.sources.items():
            for name in SOURCE_NUMBERS:
                counts[SOURCES, source, name] += getattr(reads, name)
        for (server, status), number in requests.requests.items():
            counts[REQUESTS, server, status] += number
        counts[REDIS,] += batch.redis_failures
        counts[UNCOUNTED,] += batch.lost
        counts[UNLOGGED,] += requests.lost
        counts[LOST_LINES,] += lost_lines

    def write(self, folder: Path) -> None:
        """Put all of it into this process's file, whole or not at all.

        Raises:
            FolderError: when the folder is not this user's alone.
            OSError: when the file cannot be written; the one before stays.
        """
        make_private_folder(folder)
        path = folder / f"{os.getpid()}-{self._token}{ENDING}"
        new = path.with_suffix(".new")
        rows = [[*key, count] for key, count in self.counts.items() if count]
        new.write_text(json.dumps(rows, separators=(",", ":")), encoding="ascii")
        new.replace(path)

    def forget(self) -> None:
        """Begin anew, as in a process that was just forked."""
        self.counts: Counter[Key] = Counter()
        self._token = uuid4().hex[:8]


def totals_of_all(folder: Path) -> Counter[Key]:
    """The sums over all processes; a file that cannot be read is left out."""
    sums: Counter[Key] = Counter()
    for path in folder.glob(f"*{ENDING}"):
        for key, count in _rows(path):
            sums[key] += count
    return sums


def _rows(path: Path) -> Iterator[tuple[Key, int]]:
    try:
        rows: Json = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, list) and row and type(row[-1]) is int:
            yield tuple(part for part in row[:-1] if isinstance(part, str | int)), row[-1]


process_totals = Totals()
"""This process's own."""

os.register_at_fork(after_in_child=process_totals.forget)
