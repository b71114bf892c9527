"""``manage.py run``: everything the service needs on this machine, in one command."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.management.utils import get_random_secret_key
from django.db import DatabaseError

from papertrade_site.env import Environment
from papertrade_site.ops.runner import (
    StartError,
    background_parts,
    clear_up,
    parts_of,
    site_answers,
    start,
    stop_all,
    watch,
)
from papertrade_site.stopping import stop_on_signals

WARM_UP_SECONDS = 15


class Command(BaseCommand):
    """Start the cache, the embedded exchange and the site; serve until Ctrl-C; leave nothing behind."""

    help = "Serves the site, with everything behind it, until Ctrl-C."

    def handle(self, **_: object) -> None:
        """Start the parts, watch them, and stop them in the reverse order."""
        environment: Environment = settings.ENVIRONMENT
        stop = stop_on_signals()
        _migrate()
        environ = dict(os.environ)
        if environment.secret_key is None:
            environ["PAPERTRADE_SECRET_KEY"] = get_random_secret_key()
        parts = []
        try:
            parts = parts_of(environment, environ)
            start(parts, stop)
            is_ready = site_answers(environment, "/readyz", seconds=WARM_UP_SECONDS)
            if not stop.is_set():
                background = background_parts(environ)
                parts += background
                start(background, stop)
                self.stdout.write(_welcome(environment, is_ready=is_ready))
                self.stdout.flush()
            watch(parts, stop, self.stderr.write)
        except StartError as error:
            raise CommandError(str(error)) from error
        finally:
            stop_all(parts)
        clear_up(environment)


def _migrate() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        raise CommandError("The database cannot be opened or written; DATABASE_URL names it.") from error


def _welcome(environment: Environment, *, is_ready: bool) -> str:
    site = f"http://127.0.0.1:{environment.port}"
    lines = [
        f"Papertrade MCP is serving {environment.source.value} data.",
        f"  liquidations  {site}/liquidations/mcp",
        f"  analytics     {site}/analytics/mcp",
        f"  site          {site}/",
        f"  readiness     {site}/readyz",
    ]
    if not is_ready:
        lines.insert(1, "No source could be read yet; the readiness address says why.")
    if environment.runs_exchange:
        lines.append(f"  exchange      {environment.exchange}  (embedded, simulated)")
    try_it = (
        f"Try: curl -s {site}/analytics/mcp -H 'content-type: application/json'"
        """ -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_market_stats"}}'"""
    )
    return "\n".join([*lines, try_it, "Ctrl-C stops everything."])
