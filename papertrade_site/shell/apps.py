"""Wiring of the shell's command into Django."""

from __future__ import annotations

from django.apps import AppConfig


class ShellConfig(AppConfig):
    """The command that calls a tool of either server."""

    name = "papertrade_site.shell"
