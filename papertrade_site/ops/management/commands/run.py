"""``manage.py run``: everything the service needs on this machine, in one command."""

from __future__ import annotations

import os

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.management.utils import get_random_secret_key
from django.db import DatabaseError, connections

from papertrade_site.env import Environment
from papertrade_site.ops.greeting import greeting
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
                self.stdout.write(_greeting(environment, is_ready=is_ready))
                self.stdout.flush()
            watch(parts, stop, self.stderr.write)
        except StartError as error:
            raise CommandError(str(error)) from error
        finally:
            stop_all(parts)
        clear_up(environment)


def _greeting(environment: Environment, *, is_ready: bool) -> str:
    operators = get_user_model().objects.filter(is_staff=True, is_active=True)
    has_operators = operators.exists()
    connections.close_all()  # from here on this process only watches the others
    return greeting(environment, is_ready=is_ready, has_operators=has_operators)


def _migrate() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        raise CommandError("The database cannot be opened or written; DATABASE_URL names it.") from error
