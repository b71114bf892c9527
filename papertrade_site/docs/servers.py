"""The servers that the site tells of; their apps stand on this one, so it knows them by name alone."""

from __future__ import annotations

from functools import cache
from typing import Final

from django.utils.module_loading import import_string

from papertrade_site.mcp.server import Server

SERVERS: Final = {
    "liquidations": "mcp_liquidations.server.SERVER",
    "analytics": "mcp_analytics.server.SERVER",
}
"""Where each server is declared, by its short name, in the order of the navigation."""


@cache
def server_named(slug: str) -> Server:
    """The server of a short name.

    Raises:
        KeyError: when there is none.
    """
    server: Server = import_string(SERVERS[slug])
    return server
