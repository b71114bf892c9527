"""Wiring of usage into Django."""

from __future__ import annotations

from django.apps import AppConfig


class UsageConfig(AppConfig):
    """The tables of what was used, kept for longer than Redis keeps it."""

    name = "papertrade_site.usage"
