"""Room for callers who wait on sources: a few places, and a line for those who find none.

Half of a process's threads may wait on sources, so that one that hangs never takes all of them. A storm of
callers of one cold resource has more, and all could be answered once it is there. So a caller without a place
stands in line when everything he wants is being read by those who have one: he brings no work of his own.
Whoever wants something else stands there too, but for ``OTHERS_LINE_S`` only: a healthy source answers those
in places sooner than that. Nobody stands in line once the longest wait has lasted ``LINE_S``, for then a
source may be hanging. After a wait of ``SLOW_S`` nobody does for ``REST_S``, so that a slow source never
holds up all threads on and on.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import Final

from papertrade_site.clock import Clock

LINE_S: Final = 1.5
"""Seconds from when the first of those in places began to wait, after which nobody stands in line."""

OTHERS_LINE_S: Final = 0.3
"""The longest, in seconds, that a caller stands in line for what nobody in a place is reading."""

SLOW_S: Final = 1.0
"""Seconds that somebody had a place, after which sources count as slow."""

REST_S: Final = 5.0
"""Seconds without a line once sources were slow."""


@dataclass(frozen=True, slots=True, eq=False)
class _Guest:
    """Somebody who has a place: what he reads, and since when by the monotonic clock."""

    keys: Set[str]
    since_s: float


class WaitingRoom:
    """The places of one process; used by all of its threads.

    Args:
        places: how many callers may wait on sources at once.
        clock: tells how long they have been waiting.
    """

    def __init__(self, places: int, clock: Clock) -> None:
        self._places = places
        self._clock = clock
        self._guests: dict[_Guest, None] = {}
        self._changed = Condition()
        self._no_line_until_s = float("-inf")

    @contextmanager
    def place(self, keys: Set[str], *, seconds: float) -> Iterator[bool]:
        """Hold a place during the block, where one is to be had; gives whether it is.

        Args:
            keys: of what the caller wants to read.
            seconds: the longest that he stands in line, if he may.
        """
        guest = self._enter(keys, seconds)
        try:
            yield guest is not None
        finally:
            if guest is not None:
                self._leave(guest)

    def _enter(self, keys: Set[str], seconds: float) -> _Guest | None:
        with self._changed:
            if not self._changed.wait_for(self._has_room, min(seconds, self._line_s(keys))):
                return None
            guest = _Guest(keys, self._clock.monotonic())
            self._guests[guest] = None
            return guest

    def _leave(self, guest: _Guest) -> None:
        with self._changed:
            del self._guests[guest]
            now_s = self._clock.monotonic()
            if now_s - guest.since_s >= SLOW_S:
                self._no_line_until_s = now_s + REST_S
            self._changed.notify()

    def _has_room(self) -> bool:
        return len(self._guests) < self._places

    def _line_s(self, keys: Set[str]) -> float:
        """How long one who wants these may stand in line now; 0 or below when he may not."""
        being_read = set[str]().union(*(guest.keys for guest in self._guests))
        now_s = self._clock.monotonic()
        if now_s < self._no_line_until_s:
            return 0.0
        first = min((guest.since_s for guest in self._guests), default=0.0)
        left_s = first + LINE_S - now_s
        return left_s if keys <= being_read else min(left_s, OTHERS_LINE_S)
