"""The Model Context Protocol over HTTP, and nothing else: no module here knows what any tool is about."""
