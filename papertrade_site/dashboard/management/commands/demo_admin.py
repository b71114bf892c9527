"""``manage.py demo_admin``: a user of the dashboard for trying it out on one's own machine."""

from __future__ import annotations

import secrets
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from papertrade_site.env import Environment, Source
from papertrade_site.ops.greeting import dashboard_url

NAME: Final = "demo"
PASSWORD_BYTES: Final = 15


class Command(BaseCommand):
    """Make the user ``demo``, or give him another password, and print the password this once."""

    help = "Makes the superuser `demo` with a random password; only where nobody else can reach the service."

    def handle(self, **_: object) -> None:
        """Make the user.

        Raises:
            CommandError: when the service may be reached from elsewhere, or serves the real venue's figures.
        """
        _refuse_where_public(settings.ENVIRONMENT)
        call_command("migrate", verbosity=0, interactive=False)
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        user, _is_new = get_user_model().objects.get_or_create(username=NAME)
        user.is_staff = user.is_superuser = user.is_active = True
        user.set_password(password)
        user.save()
        self.stdout.write(
            f"Sign in at {dashboard_url(settings.ENVIRONMENT)} as {NAME} with the password {password}"
        )
        self.stdout.write("It is shown this once; run this again for another.")


def _refuse_where_public(environment: Environment) -> None:
    reasons = [
        *(["PAPERTRADE_SOURCE is live"] if environment.source is Source.LIVE else []),
        *(["PAPERTRADE_PUBLIC_SCHEME is https"] if environment.public_scheme == "https" else []),
        *(f"{host} is a host of the service" for host in sorted(environment.public_hosts)),
    ]
    if reasons:
        raise CommandError(
            f"A demo user is for one's own machine alone, but {reasons[0]}. "
            "Make a user with: manage.py createsuperuser"
        )
