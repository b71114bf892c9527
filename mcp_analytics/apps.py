"""Wiring of the Analytics server into Django."""

from __future__ import annotations

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    """The Analytics server's Django app."""

    name = "mcp_analytics"
