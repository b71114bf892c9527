"""Wiring of the documentation site into Django."""

from __future__ import annotations

from django.apps import AppConfig


class DocsConfig(AppConfig):
    """The documentation site's Django app: its template tags and its static files."""

    name = "papertrade_site.docs"
