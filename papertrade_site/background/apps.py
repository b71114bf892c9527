"""Wiring of the background work into Django."""

from __future__ import annotations

from django.apps import AppConfig


class BackgroundConfig(AppConfig):
    """The command that takes usage over into the database; the other jobs stand with what they work on."""

    name = "papertrade_site.background"
