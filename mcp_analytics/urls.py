"""The addresses of the Analytics server, counted from its prefix or from the root of its own host."""

from __future__ import annotations

from mcp_analytics import views
from papertrade_site.discovery.addresses import server_addresses

app_name = "analytics"
urlpatterns = server_addresses(views.mcp, views.discovery)
