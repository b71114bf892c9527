"""The two servers by their short names, for whatever tells about both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.server import Server

SERVERS: Final[Mapping[str, Server]] = {server.slug: server for server in (LIQUIDATIONS, ANALYTICS)}
