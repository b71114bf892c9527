"""A clock that stands still until a test moves it."""

from __future__ import annotations

from threading import Lock


class ManualClock:
    """Wall and monotonic time that move together, by hand."""

    def __init__(self, now_ms: int = 1_796_040_000_000) -> None:
        self.ms = now_ms
        self.seconds = 1_000.0

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.ms += round(seconds * 1000)
        self.seconds += seconds


class Slowly:
    """What takes so long, of which so many go on at once; called by any thread, it moves the clock alone."""

    def __init__(self, clock: ManualClock, *, seconds: float, side_by_side: int) -> None:
        self._clock = clock
        self._share_s = seconds / side_by_side
        self._lock = Lock()

    def __call__(self) -> None:
        """Let one of them take its time."""
        with self._lock:
            self._clock.advance(self._share_s)
