"""Wiring of the Liquidations server into Django."""

from __future__ import annotations

from django.apps import AppConfig


class LiquidationsConfig(AppConfig):
    """The Liquidations server's Django app."""

    name = "mcp_liquidations"
