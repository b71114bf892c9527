"""Calling the tools from the shell, above the servers that have them."""
