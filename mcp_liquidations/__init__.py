"""The Papertrade Liquidations MCP server."""
