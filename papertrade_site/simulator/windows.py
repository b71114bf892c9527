"""Realised result and volume of every wallet over the leaderboard's windows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Window

_BUCKETS = {Window.DAY: HOUR_MS, Window.WEEK: DAY_MS, Window.MONTH: DAY_MS}


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
    """Flows of one window, forgotten bucket by bucket: hours for a day, days for longer windows."""

    def __init__(self, window: Window) -> None:
        self._bucket_ms = _BUCKETS[window]
        self.length_ms = window.length_ms or 0
        self._buckets: dict[int, dict[str, Flow]] = {}
        self.flows: dict[str, Flow] = defaultdict(Flow)

    def add(self, address: str, *, realized: int, volume: int, at_ms: int) -> None:
        """Count a leg at its time, which must lie inside the window."""
        self.flows[address].add(realized, volume)
        bucket = self._buckets.setdefault(at_ms // self._bucket_ms, defaultdict(Flow))
        bucket[address].add(realized, volume)

    def forget(self, now_ms: int) -> None:
        """Take out the buckets that have left the window whole."""
        for index in [i for i in self._buckets if (i + 1) * self._bucket_ms <= now_ms - self.length_ms]:
            for address, gone in self._buckets.pop(index).items():
                self.flows[address].add(-gone.realized, -gone.volume)


class Flows:
    """The three bounded windows together."""

    def __init__(self) -> None:
        self._windows = {window: RollingFlows(window) for window in _BUCKETS}

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
