"""Realised result and volume of every wallet over the leaderboard's windows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, MINUTE_MS, Window


class Span(NamedTuple):
    """How long a bounded window is, and the width of the buckets that it forgets by."""

    window: Window
    length_ms: int
    bucket_ms: int


SPANS = (
    Span(Window.DAY, DAY_MS, 20 * MINUTE_MS),
    Span(Window.WEEK, 7 * DAY_MS, 3 * HOUR_MS),
    Span(Window.MONTH, 30 * DAY_MS, 12 * HOUR_MS),
)
"""The bounded windows, shortest first. Half a bucket, which is how far a window's edge can be off, is
less than a hundredth of every window; each width is a multiple of the one before."""


@dataclass(slots=True)
class Flow:
    """Dollars at 10^18 that a wallet realised and traded in some span."""

    realized: int = 0
    volume: int = 0

    def add(self, realized: int, volume: int) -> None:
        """Add signed amounts."""
        self.realized += realized
        self.volume += volume


NO_FLOW = Flow()
"""The flow of a wallet that did nothing in a window; never added to."""


class RollingFlows:
    """Flows of one window, forgotten bucket by bucket."""

    def __init__(self, span: Span) -> None:
        self._bucket_ms = span.bucket_ms
        self.length_ms = span.length_ms
        self._buckets: dict[int, dict[str, Flow]] = {}
        self.flows: dict[str, Flow] = defaultdict(Flow)

    def add(self, address: str, *, realized: int, volume: int, at_ms: int) -> None:
        """Count a leg at its time, which must lie inside the window."""
        self.flows[address].add(realized, volume)
        bucket = self._buckets.setdefault(at_ms // self._bucket_ms, defaultdict(Flow))
        bucket[address].add(realized, volume)

    def forget(self, now_ms: int) -> None:
        """Take out the buckets of which the window has left half behind."""
        middle = self._bucket_ms // 2
        start_ms = now_ms - self.length_ms
        for index in [i for i in self._buckets if i * self._bucket_ms + middle <= start_ms]:
            for address, gone in self._buckets.pop(index).items():
                self.flows[address].add(-gone.realized, -gone.volume)


class Flows:
    """The three bounded windows together."""

    def __init__(self) -> None:
        self._windows = {span.window: RollingFlows(span) for span in SPANS}

    def add(self, address: str, *, realized: int, volume: int, at_ms: int, now_ms: int) -> None:
        """Count a leg in every window that reaches back to its time."""
        for rolling in self._windows.values():
            if at_ms > now_ms - rolling.length_ms:
                rolling.add(address, realized=realized, volume=volume, at_ms=at_ms)

    def forget(self, now_ms: int) -> None:
        """Move all windows up to a time."""
        for rolling in self._windows.values():
            rolling.forget(now_ms)

    def of(self, window: Window) -> dict[str, Flow]:
        """The flows by wallet of a bounded window; wallets that did nothing may be missing."""
        return self._windows[window].flows
