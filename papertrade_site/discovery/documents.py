"""The documents of a server: server card and registry entry as bytes, and the parts that lists show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.template.loader import render_to_string

from papertrade_site.discovery import paths
from papertrade_site.limits.policy import ServerLimits
from papertrade_site.mcp.jsonrpc import encode
from papertrade_site.mcp.negotiation import PROTOCOL_VERSIONS
from papertrade_site.mcp.server import Server

TRANSPORT: Final = "streamable-http"


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes that stay as they are until the next release, and the entity tag that tells them from others."""

    content: bytes
    etag: str

    @classmethod
    def of(cls, content: bytes) -> Document:
        """The bytes with a tag made from them."""
        return cls(content, f'"{sha256(content).hexdigest()[:32]}"')


def server_card(server: Server, base: str) -> Document:
    """The server card: one body in which readers of the current form and of the older one find theirs."""
    return _rendered("discovery/server-card.json", server, base)


def registry_entry(server: Server, base: str) -> Document:
    """The server as a registry of MCP servers takes it (``server.json``, schema 2025-12-11)."""
    return _rendered("discovery/server.json", server, base)


def icon(server: Server) -> Document:
    """The server's picture, an SVG of any size."""
    return Document.of(render_to_string(f"discovery/{server.slug}.svg").encode())


def directory(servers: Sequence[Server], bases: Sequence[str]) -> Document:
    """All servers, each beginning at its base: who it is, where it answers and where its card is."""
    rows = [_listed(server, base) for server, base in zip(servers, bases, strict=True)]
    return Document.of(encode({"servers": rows}))


def _listed(server: Server, base: str) -> dict[str, Any]:
    return {
        **_names(server),
        "websiteUrl": base + paths.HOME,
        "serverCard": base + paths.CARD,
        "remotes": [
            {
                "type": TRANSPORT,
                "url": base + paths.ENDPOINT,
                "supportedProtocolVersions": PROTOCOL_VERSIONS,
            }
        ],
    }


def description(
    server: Server, base: str, *, limits: ServerLimits, switched_off: str | None
) -> dict[str, Any]:
    """What a plain GET of the endpoint shows to whoever opens it without a client.

    Args:
        server: the server's declaration.
        base: where the server begins.
        limits: the limits in force now.
        switched_off: why no tool can be called now; None while they can.
    """
    return {
        **_names(server),
        "endpoint": base + paths.ENDPOINT,
        "transport": TRANSPORT,
        "protocolVersions": PROTOCOL_VERSIONS,
        "tools": [{"name": tool.name, "title": tool.title} for tool in server.tools],
        "switchedOff": switched_off,
        "limits": {
            "requestsPerMinute": limits.requests_per_minute,
            "bodyBytes": limits.body_bytes,
            "batchMessages": limits.batch_messages,
        },
        "links": {
            "docs": base + paths.DOCS,
            "connect": base + paths.CONNECT,
            "serverCard": base + paths.CARD,
            "llms": base + paths.LLMS,
            "status": base + paths.STATUS,
        },
    }


def _names(server: Server) -> dict[str, str]:
    return {
        "name": server.name,
        "title": server.title,
        "version": server.version,
        "description": server.description,
    }


def _rendered(template: str, server: Server, base: str) -> Document:
    text = render_to_string(
        template,
        {
            "server": server,
            "transport": TRANSPORT,
            "protocol_versions": PROTOCOL_VERSIONS,
            "endpoint": base + paths.ENDPOINT,
            "endpoint_path": urlsplit(base).path + paths.ENDPOINT,
            "website": base + paths.HOME,
            "icon": base + paths.ICON,
            "repository": settings.REPOSITORY_URL,
            "tools": [tool.listing() for tool in server.tools],
        },
    )
    return Document.of(encode(json.loads(text)))
