"""Being asked to stop, for every process of the project that serves until it is."""

from __future__ import annotations

import signal
from threading import Event


def stop_on_signals() -> Event:
    """An event that Ctrl-C, SIGTERM and a closed terminal set instead of ending the process at once.

    Must be called from the main thread.
    """
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    return stop
