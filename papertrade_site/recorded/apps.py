"""Wiring of the recorded history into Django."""

from __future__ import annotations

from django.apps import AppConfig


class RecordedConfig(AppConfig):
    """The tables of recorded points, and the command that fills them."""

    name = "papertrade_site.recorded"
