"""``manage.py track_wallets``: keep fresh what tools read of the largest wallets."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from mcp_liquidations.tracking import EVERY_S, WalletTracker
from papertrade_site.background.command import run_until_stopped
from papertrade_site.clock import SystemClock
from papertrade_site.upstream.process import process_sources


class Command(BaseCommand):
    """Refresh copies before they are due, on one machine of all that run this, until SIGTERM or Ctrl-C."""

    help = "Keeps the largest wallets and the marks fresh, so that tool calls need not wait for them."

    def handle(self, **_: object) -> None:
        """Work until told to stop."""
        tracker = WalletTracker(process_sources.ahead(), SystemClock())
        run_until_stopped("track_wallets", every_s=EVERY_S, work=tracker.round)
