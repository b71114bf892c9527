"""Wiring of operations into Django."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import Tags, register

from papertrade_site.checks import (
    check_environment,
    check_example_is_replaced,
    check_local_requests,
    check_secret_key,
)


class OpsConfig(AppConfig):
    """Registers the checks of the settings."""

    name = "papertrade_site.ops"
    verbose_name = "Operations"

    def ready(self) -> None:
        """Register each check once the apps are loaded."""
        register(check_environment, Tags.compatibility)
        for check in (check_secret_key, check_example_is_replaced, check_local_requests):
            register(check, Tags.security, deploy=True)
