"""Papertrade MCP: two read-only MCP servers over the Papertrade exchange, and what serves them."""
