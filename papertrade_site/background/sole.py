"""Work that runs in one place only, across processes and machines; ``command`` makes a process of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom
from threading import Event
from typing import Final, TypeAlias

from django.core.cache.backends.base import BaseCache

from papertrade_site.background.lease import Lease
from papertrade_site.clock import Clock
from papertrade_site.pause import Pause

MayGoOn: TypeAlias = Callable[[], bool]
"""False once the work has to stop: another process may be doing it, or this one was asked to end."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a round gives that could not do all of its work, and has told the log why.

    Attributes:
        retry_s: seconds to wait before the next round.
    """

    retry_s: float


Work: TypeAlias = Callable[[MayGoOn], Unfinished | None]
"""One round. It asks between its steps whether it may go on, so that it ends soon when it may not."""

TRY_S: Final = 1.0
"""Seconds between two tries of a process that waits for its turn."""

LONGEST_PAUSE_S: Final = 60.0
"""Seconds that failing rounds are apart at most, unless rounds are further apart anyway."""

JITTER: Final = (0.8, 1.2)
"""By how much a pause may differ, so that machines do not fall into step."""

_random = SystemRandom()
_log = logging.getLogger(__name__)


def run_as_the_only_one(
    name: str, *, every_s: float, work: Work, stop: Event, cache: BaseCache, clock: Clock
) -> None:
    """Do the work round after round while this process is the only one that does, until asked to stop.

    Stops within a second of ``stop`` or, when a round is under way, of that round's end.

    Args:
        name: of the work, without spaces. Those of one name exclude each other, so it also holds the source
            where services of two sources could share a cache.
        every_s: seconds from the end of a round to the next one.
        work: one round; see ``Work``. What it raises is logged, with the traceback unless the round before
            raised the same, and the rounds after it are further and further apart.
        stop: set by whoever wants this to return.
        cache: shared by all processes; while it fails, nobody works.
        clock: by which the lease is kept.
    """
    lease, rounds = Lease(name, cache, clock), _Rounds(name, work, every_s)

    def may_go_on() -> bool:
        return lease.is_ours() and not stop.is_set()

    with lease.kept():
        while not stop.is_set():
            pause_s = rounds.do_one(may_go_on) if lease.take() else TRY_S
            stop.wait(pause_s * _random.uniform(*JITTER))


class _Rounds:
    """The rounds of one process, and how far apart they have become by failing."""

    def __init__(self, name: str, work: Work, every_s: float) -> None:
        self._name = name
        self._work = work
        self._usual = self._pause = Pause(every_s, longest_s=max(every_s, LONGEST_PAUSE_S))
        self._failure: type[Exception] | None = None

    def do_one(self, may_go_on: MayGoOn) -> float:
        """Do one round, and give the seconds to wait before the next."""
        try:
            unfinished = self._work(may_go_on)
        except Exception as error:  # a bug in one round must not end the work for good
            return self._after(error)
        self._failure, self._pause = None, self._usual
        return self._usual.seconds if unfinished is None else unfinished.retry_s

    def _after(self, error: Exception) -> float:
        is_known, self._failure = type(error) is self._failure, type(error)
        self._pause = self._pause.longer()
        cause = None if is_known else error
        _log.error("A round failed (%s): %s.", type(error).__name__, self._name, exc_info=cause)
        return self._pause.seconds
