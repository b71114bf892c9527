"""The views of the Analytics server: its endpoint and its discovery documents."""

from __future__ import annotations

from mcp_analytics.server import SERVER
from papertrade_site.discovery.views import Discovery
from papertrade_site.limits.gate import ClientGate
from papertrade_site.mcp.endpoint import Endpoint

discovery = Discovery(SERVER)
mcp = Endpoint(SERVER, gate=ClientGate(SERVER.slug), describe=discovery.describe)
