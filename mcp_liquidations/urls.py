"""The addresses of the Liquidations server, counted from its prefix or from the root of its own host."""

from __future__ import annotations

from django.urls import path

from mcp_liquidations import views
from papertrade_site.discovery.addresses import server_addresses
from papertrade_site.ops import health

app_name = "liquidations"
urlpatterns = [
    path("", health.landing, name="home"),
    *server_addresses(views.mcp, views.discovery),
]
