"""Where each thing of a server is, counted from where the server begins (see ``hosts.base_url``)."""

from __future__ import annotations

from typing import Final

HOME: Final = "/"
ENDPOINT: Final = "/mcp"
CARD: Final = "/.well-known/mcp/server-card.json"
CARD_OF_ITS_OWN_TYPE: Final = "/mcp/server-card"
CARD_ALIASES: Final = ("/.well-known/mcp.json", "/.well-known/mcp")
REGISTRY_ENTRY: Final = "/server.json"
ICON: Final = "/icon.svg"

# Of the documentation site
DOCS: Final = "/docs/mcp"
CONNECT: Final = "/docs/connect"
STATUS: Final = "/status"
LLMS: Final = "/llms.txt"
SEARCH: Final = "/search.json"

DIRECTORY: Final = "/.well-known/mcp.json"
"""The list of all servers, at the root of every host that stands for none of them."""
