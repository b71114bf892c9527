"""Counting with the shared counters while they answer, and with this process's own while they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from papertrade_site.clock import Clock
from papertrade_site.limits.charge import Charge
from papertrade_site.limits.local import LocalCounts
from papertrade_site.outage import Outage

FAILED: Final = "The shared counters failed (%s); each process limits clients on its own."


class Failover:
    """The counters of one process, which never fail and never let anybody through uncounted."""

    def __init__(self, clock: Clock) -> None:
        self._local = LocalCounts(clock)
        self._outage = Outage(clock, FAILED)

    def count(
        self, key: str, charge: Charge, *, seconds: int, shared: Callable[[], Sequence[int]]
    ) -> Sequence[int]:
        """What each counter has reached with the whole cost added; by the shared ones if they can be had.

        Args:
            key: of the charge's first counter.
            charge: what is added.
            seconds: how long the first counter lives.
            shared: adds the charge to the shared counters; may raise what the Redis client raises.
        """
        local = partial(self._local.add, key, charge, seconds=seconds)
        return self._outage.attempt(shared, otherwise=local)
