"""The addresses of the Liquidations server, counted from its prefix or from the root of its own host."""

from __future__ import annotations

from mcp_liquidations import views
from papertrade_site.discovery.addresses import server_addresses

app_name = "liquidations"
urlpatterns = server_addresses(views.mcp, views.discovery)
