"""What every command of ``manage.py`` that works in the background has in common: its whole life.

Start such a command on as many machines as you like: one works, and another goes on when that one stops or
dies.
"""

from __future__ import annotations

import os
from threading import Event, Thread
from typing import Final

from django.conf import settings
from django.core.cache import cache

from papertrade_site.background.sole import Work, run_as_the_only_one
from papertrade_site.clock import SystemClock
from papertrade_site.stopping import stop_on_signals
from papertrade_site.upstream.process import process_sources

GRACE_S: Final = 0.8
"""Seconds that a round under way has to end before it is left behind."""


def run_until_stopped(name: str, *, every_s: float, work: Work) -> None:
    """Do the work in this process while no other one does, until SIGTERM or Ctrl-C.

    Does not return, but ends the process, when a round does not end soon after that: a source hangs.

    Args:
        name: of the work, without spaces. Processes of one name exclude each other where they read the same
            source at the same address.
        every_s: seconds from the end of a round to the next one.
        work: one round, in a thread of its own; see ``sole.Work``.
    """
    stop = stop_on_signals()
    worker = Thread(target=_work, args=(name, every_s, work, stop), name=name, daemon=True)
    worker.start()
    stop.wait()
    worker.join(GRACE_S)
    if worker.is_alive():
        os._exit(0)  # nothing here has to be saved, and the lease runs out by itself
    process_sources.close()


def _work(name: str, every_s: float, work: Work, stop: Event) -> None:
    of_venue = f"{name}:{settings.PAPERTRADE_SOURCE}:{settings.EXCHANGE_URL}"
    try:
        run_as_the_only_one(of_venue, every_s=every_s, work=work, stop=stop, cache=cache, clock=SystemClock())
    finally:
        stop.set()
