"""Wiring of the operators' rooms into Django."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.contrib.admin.apps import AdminConfig
from django.db.models.signals import post_migrate


class SiteConfig(AdminConfig):
    """Django's admin, whose one site is ours."""

    default_site = "papertrade_site.dashboard.site.DashboardSite"


class DashboardConfig(AppConfig):
    """Our own part of the rooms: pages, styles, and the group of those who may change limits."""

    name = "papertrade_site.dashboard"

    def ready(self) -> None:
        """Have the group made whenever the tables of limits have been."""
        from papertrade_site.dashboard.groups import make_limits_editors

        post_migrate.connect(make_limits_editors, sender=apps.get_app_config("limits"))
