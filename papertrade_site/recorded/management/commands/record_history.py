"""``manage.py record_history``: keep the venue's past before the venue forgets it."""

from __future__ import annotations

from django.core.cache import cache
from django.core.management.base import BaseCommand

from papertrade_site.background.command import run_until_stopped
from papertrade_site.clock import SystemClock
from papertrade_site.recorded.key import origin
from papertrade_site.recorded.published import Published
from papertrade_site.recorded.recorder import EVERY_S, Recorder
from papertrade_site.upstream.process import process_sources


class Command(BaseCommand):
    """Record rounds until asked to stop; of all that run on all machines, one at a time works."""

    help = "Records hourly and daily history, which outlives the venue's, until Ctrl-C."

    def handle(self, **_: object) -> None:
        """Work until told to stop."""
        recorder = Recorder(origin(), process_sources.for_call, Published(cache, SystemClock()))
        run_until_stopped("record_history", every_s=EVERY_S, work=recorder.round)
