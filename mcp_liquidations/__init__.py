"""The Papertrade Liquidations MCP server."""

from __future__ import annotations

from typing import Final

SLUG: Final = "liquidations"
"""The short name by which the rest of the site knows the server."""
