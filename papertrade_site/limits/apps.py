"""Wiring of the limits into Django."""

from __future__ import annotations

from django.apps import AppConfig


class LimitsConfig(AppConfig):
    """What an operator may set, and the record of every change of it."""

    name = "papertrade_site.limits"
    label = "limits"
    verbose_name = "Limits"
