"""What of a record is of the same past as an answer of the venue, so that both may stand in one series.

An embedded exchange that is started anew has another past than before, and for up to a round of the
recorder the record still is that of the former one. So a record is left out when it contradicts the answer
in most of what both tell of; corrections that the venue makes to its own past are fewer, or stand in the
record themselves after the recorder's next round. And where a total that cannot fall would fall, the record
is left out from there back, whether or not the two overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from papertrade_site.recorded.buckets import Buckets
from papertrade_site.recorded.published import Recorded
from papertrade_site.upstream.models.history import NEVER_FALLING

LEAST_COMPARED: Final = 3
"""Figures that both must tell, for the record to be called another past's."""


def fitting(recorded: Recorded, told: Buckets) -> Recorded:
    """The newest part of a record that goes with what the venue tells: all of it, or less, or nothing."""
    if _is_of_another_past(recorded.buckets, told):
        return _after(recorded, recorded.buckets.starts_ms[-1])
    unsound = list(_unsound(recorded.buckets, told))
    return _after(recorded, max(unsound)) if unsound else recorded


def _is_of_another_past(recorded: Buckets, told: Buckets) -> bool:
    agree = [
        figure == now[start_ms]
        for name in told.columns
        for now in (told.known(name),)
        for start_ms, figure in recorded.known(name).items()
        if start_ms in now
    ]
    return len(agree) >= LEAST_COMPARED and 2 * agree.count(False) > len(agree)


def _unsound(recorded: Buckets, told: Buckets) -> Iterator[int]:
    """The starts of recorded buckets at which a running total would fall; what the venue tells stands."""
    for name in told.columns.keys() & NEVER_FALLING:
        now = told.known(name)
        figures = recorded.known(name) | now
        for earlier, later in pairwise(sorted(figures)):
            if figures[earlier] > figures[later]:
                yield from [start_ms for start_ms in (earlier, later) if start_ms not in now][:1]


def _after(recorded: Recorded, start_ms: int) -> Recorded:
    return Recorded(recorded.buckets.after(start_ms), dict.fromkeys(recorded.earlier, 0))
