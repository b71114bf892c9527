"""Who of this process's threads is refreshing what, so that one thread does and the others wait."""

from __future__ import annotations

from threading import Event, Lock


class Flights:
    """Refreshes under way in this process, by key.

    Nothing but the end of a refresh is passed on: whoever waited looks at what was remembered, and
    takes the lead when that is nothing. So a leader that dies cannot strand its followers.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: dict[str, Event] = {}

    def join(self, key: str) -> Event | None:
        """None when the caller now leads and must call ``land``; else what the leader will set."""
        with self._lock:
            event = self._running.get(key)
            if event is None:
                self._running[key] = Event()
            return event

    def land(self, key: str) -> None:
        """End the refresh and wake everyone who waits for it."""
        with self._lock:
            event = self._running.pop(key)
        event.set()

    def is_running(self, key: str) -> bool:
        """Whether some thread is refreshing the key now."""
        return key in self._running
