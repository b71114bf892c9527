"""Wiring of the operators' rooms into Django."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class SiteConfig(AdminConfig):
    """Django's admin, whose one site is ours."""

    default_site = "papertrade_site.dashboard.site.DashboardSite"


class DashboardConfig(AppConfig):
    """Our own part of the rooms: pages, styles, and the group of those who may change limits."""

    name = "papertrade_site.dashboard"
