"""``manage.py track_wallets``: keep fresh what tools read of the largest wallets."""

from __future__ import annotations

import os
from threading import Event, Thread
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.core.management.base import BaseCommand

from mcp_liquidations.tracking import EVERY_S, WalletTracker
from papertrade_site.background.sole import run_as_the_only_one
from papertrade_site.clock import SystemClock
from papertrade_site.stopping import stop_on_signals
from papertrade_site.upstream.process import process_sources

GRACE_S: Final = 0.8
"""Seconds that a round under way has to end before it is left behind."""


class Command(BaseCommand):
    """Refresh copies before they are due, on one machine of all that run this, until SIGTERM or Ctrl-C."""

    help = "Keeps the largest wallets and the marks fresh, so that tool calls need not wait for them."

    def handle(self, **_: object) -> None:
        """Work until told to stop."""
        stop = stop_on_signals()
        tracker = Thread(target=_track, args=(stop,), daemon=True)
        tracker.start()
        stop.wait()
        tracker.join(GRACE_S)
        if tracker.is_alive():
            os._exit(0)  # a source hangs: nothing here has to be saved, and the lease runs out by itself
        process_sources.close()


def _track(stop: Event) -> None:
    clock = SystemClock()
    tracker = WalletTracker(process_sources.ahead(), clock)
    name = f"track_wallets:{settings.PAPERTRADE_SOURCE}:{settings.EXCHANGE_URL}"
    try:
        run_as_the_only_one(name, every_s=EVERY_S, work=tracker.round, stop=stop, cache=cache, clock=clock)
    finally:
        stop.set()
