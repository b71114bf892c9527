"""What every command of ``manage.py`` that works in the background has in common: its whole life.

Start such a command on as many machines as you like: one works, and another goes on when that one stops or
dies.
"""

from __future__ import annotations

import logging
import os
from threading import Event, Thread
from typing import Final

from django.core.cache import cache

from papertrade_site.background.sole import MayGoOn, Unfinished, Work, run_as_the_only_one
from papertrade_site.clock import SystemClock
from papertrade_site.ops.jobs import JobNotes, work_of
from papertrade_site.ops.pulse import process_pulse
from papertrade_site.stopping import stop_on_signals
from papertrade_site.upstream.process import process_sources

GRACE_S: Final = 0.8
"""Seconds that a round under way has to end before it is left behind."""


def run_until_stopped(name: str, *, every_s: float, work: Work) -> None:
    """Do the work in this process while no other one does, until SIGTERM or Ctrl-C.

    Does not return, but ends the process, when a round does not end soon after that: a source hangs.

    Args:
        name: of the work, one of ``ops.jobs.JOBS``. Processes of one name exclude each other where they read
            the same source at the same address.
        every_s: seconds from the end of a round to the next one.
        work: one round, in a thread of its own; see ``sole.Work``.
    """
    stop, pulse = stop_on_signals(), process_pulse()
    pulse.start()
    worker = Thread(target=_work, args=(name, every_s, work, stop), name=name, daemon=True)
    worker.start()
    stop.wait()
    worker.join(GRACE_S)
    pulse.stop()
    if worker.is_alive():
        logging.shutdown()
        os._exit(0)  # nothing here has to be saved, and the lease runs out by itself
    process_sources.close()


def noted(work: Work, notes: JobNotes) -> Work:
    """The same work, whose rounds are noted where the dashboard and others find them."""

    def round_(may_go_on: MayGoOn) -> Unfinished | None:
        try:
            unfinished = work(may_go_on)
        except Exception as error:
            notes.failed(type(error).__name__)
            raise
        if unfinished is None:
            notes.succeeded()
        else:
            notes.failed(type(unfinished).__name__)
        return unfinished

    return round_


def _work(name: str, every_s: float, work: Work, stop: Event) -> None:
    clock, of_venue = SystemClock(), work_of(name)
    told = noted(work, JobNotes(of_venue, cache, clock))
    try:
        run_as_the_only_one(of_venue, every_s=every_s, work=told, stop=stop, cache=cache, clock=clock)
    finally:
        stop.set()
