"""The Papertrade Analytics MCP server."""
