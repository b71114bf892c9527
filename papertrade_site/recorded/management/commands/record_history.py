"""``manage.py record_history``: keep the venue's past before the venue forgets it."""

from __future__ import annotations

from threading import Event, Thread

from django.core.cache import cache
from django.core.management.base import BaseCommand

from papertrade_site.background.sole import run_as_the_only_one
from papertrade_site.clock import SystemClock
from papertrade_site.recorded.key import origin
from papertrade_site.recorded.published import Published
from papertrade_site.recorded.recorder import EVERY_S, Recorder
from papertrade_site.stopping import stop_on_signals
from papertrade_site.upstream.process import process_sources

LAST_ROUND_S = 0.8
"""How long a round under way may take once the command is asked to stop; a source that hangs takes longer."""


class Command(BaseCommand):
    """Record rounds until asked to stop; of all that run on all machines, one at a time works."""

    help = "Records hourly and daily history, which outlives the venue's, until Ctrl-C."

    def handle(self, **_: object) -> None:
        """Work in a thread that a hanging source cannot make this process wait for."""
        stop = stop_on_signals()
        work = Thread(target=_record, args=(stop,), name="record_history", daemon=True)
        work.start()
        stop.wait()
        work.join(LAST_ROUND_S)


def _record(stop: Event) -> None:
    clock = SystemClock()
    recorder = Recorder(origin(), process_sources.for_call, Published(cache, clock))
    try:
        run_as_the_only_one(
            f"record_history:{origin().replace(' ', ':')}",
            every_s=EVERY_S,
            work=recorder.round,
            stop=stop,
            cache=cache,
            clock=clock,
        )
    finally:
        stop.set()
