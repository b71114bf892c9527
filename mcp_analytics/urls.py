"""The addresses of the Analytics server, counted from its prefix or from the root of its own host."""

from __future__ import annotations

from django.urls import path

from mcp_analytics import views
from papertrade_site.discovery.addresses import server_addresses
from papertrade_site.ops import health

app_name = "analytics"
urlpatterns = [
    path("", health.landing, name="home"),
    *server_addresses(views.mcp, views.discovery),
]
