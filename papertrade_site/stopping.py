"""Being asked to stop, for every process of the project that serves until it is."""

from __future__ import annotations

import os
import signal
from threading import Event, Thread
from typing import Final

REQUESTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a supervisor's request, and a closed terminal."""


def stop_on_signals() -> Event:
    """An event that a request to stop sets instead of ending the process at once.

    Must be called from the main thread. A handler written in Python would not do: it runs in the main thread
    alone, so it waits for as long as that thread waits when another one was given the signal, and it must not
    set an event whose lock that very thread may hold. So the interpreter itself writes each signal to a pipe,
    and a thread that waits there sets the event.
    """
    stop = Event()
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for number in REQUESTS:
        signal.signal(number, _do_nothing)
    Thread(target=_set_once_told, args=(stop, told), name="requests to stop", daemon=True).start()
    return stop


def _do_nothing(*_: object) -> None:
    """Be a handler, since only signals that have one are written to the pipe."""


def _set_once_told(stop: Event, told: int) -> None:
    os.read(told, 1)
    stop.set()
