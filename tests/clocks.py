"""A clock that stands still until a test moves it."""

from __future__ import annotations


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
