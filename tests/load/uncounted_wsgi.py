"""The site as it is, but that nobody's use of it is counted."""

from __future__ import annotations

from importlib import import_module

from papertrade_site.servers import SERVERS
from papertrade_site.wsgi import application

for slug in SERVERS:
    import_module(f"mcp_{slug}.views").mcp._record = lambda *_: None

__all__ = ["application"]
