"""The addresses of the Liquidations server, counted from its prefix or from the root of its own host."""

from __future__ import annotations

from mcp_liquidations import views
from mcp_liquidations.server import SERVER
from papertrade_site.discovery.addresses import server_addresses
from papertrade_site.docs.addresses import page_addresses, redirect_addresses
from papertrade_site.docs.machine_views import server_files
from papertrade_site.docs.pictures.views import picture_addresses

app_name = "liquidations"
urlpatterns = [
    *server_addresses(views.mcp, views.discovery),
    *page_addresses(views.documentation),
    *redirect_addresses(SERVER),
    *server_files(SERVER),
    *picture_addresses("liquidations"),
]
