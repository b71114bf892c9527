"""``manage.py roll_up_usage``: keep what was used for longer than Redis keeps it."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from papertrade_site.background.command import run_until_stopped
from papertrade_site.clock import SystemClock
from papertrade_site.usage.rollup import EVERY_S, Rollup


class Command(BaseCommand):
    """Take usage over until asked to stop; of all that run on all machines, one at a time works."""

    help = "Takes what was counted over from Redis into the database, until Ctrl-C."

    def handle(self, **_: object) -> None:
        """Work until told to stop."""
        run_until_stopped("roll_up_usage", every_s=EVERY_S, work=Rollup(SystemClock()).round)
