"""``manage.py run``: everything the service needs on this machine, in one command."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from papertrade_site.env import Environment
from papertrade_site.ops.greeting import greeting
from papertrade_site.ops.own_secret import SecretFileError, own_secret_key
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
            environ["PAPERTRADE_SECRET_KEY"] = _own_secret_key()
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
            self.stdout.write("Stopping, once the requests under way are answered.")
            self.stdout.flush()
        except StartError as error:
            raise CommandError(str(error)) from error
        finally:
            stop_all(parts)
        clear_up(environment)
        self.stdout.write("Everything has stopped.")


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


def _own_secret_key() -> str:
    database = settings.DATABASES["default"]
    is_file = database["ENGINE"] == "django.db.backends.sqlite3" and database["NAME"] != ":memory:"
    try:
        return own_secret_key(Path(database["NAME"]) if is_file else None)
    except SecretFileError as error:
        raise CommandError(f"{error}, or set PAPERTRADE_SECRET_KEY.") from error
