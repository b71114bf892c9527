"""The views of discovery: each document is prepared once for every address that its server is reached at."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from papertrade_site.discovery import documents
from papertrade_site.discovery.documents import Document
from papertrade_site.hosts import base_url
from papertrade_site.limits.in_force import policy
from papertrade_site.limits.pages import reading
from papertrade_site.limits.switches import server_off
from papertrade_site.mcp.negotiation import JSON_TYPE
from papertrade_site.mcp.server import Server

CARD_TYPE: Final = "application/mcp-server-card+json"
ICON_TYPE: Final = "image/svg+xml"
KEPT_ADDRESSES: Final = 32
"""Addresses whose documents are kept: a caller can make up ports, and so as many addresses as it likes."""
CACHED_FOR_AN_HOUR: Final = "public, max-age=3600"

Address = TypeVar("Address", str, tuple[str, ...])


class Discovery:
    """The discovery documents of one server, as Django views."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._card = _kept(partial(documents.server_card, server))
        self._registry_entry = _kept(partial(documents.registry_entry, server))
        self._icon = documents.icon(server)

    def describe(self, request: HttpRequest) -> dict[str, Any]:
        """What a plain GET of the endpoint shows, with the limits in force now."""
        server = self._server
        in_force = policy()
        return documents.description(
            server,
            self._base(request),
            limits=in_force.servers[server.slug],
            switched_off=server_off(in_force, server.slug),
        )

    def card(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the server card."""
        return _serve(request, self._card(self._base(request)))

    def card_of_its_own_type(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the same server card under the media type that is registered for cards."""
        return _serve(request, self._card(self._base(request)), content_type=CARD_TYPE)

    def registry_entry(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the registry's document."""
        return _serve(request, self._registry_entry(self._base(request)))

    def icon(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the server's picture."""
        return _serve(request, self._icon, content_type=ICON_TYPE)

    def _base(self, request: HttpRequest) -> str:
        return base_url(request, self._server.slug)


class Directory:
    """The view that lists all servers, on hosts that stand for none of them."""

    def __init__(self, *servers: Server) -> None:
        self._servers = servers
        self._document = _kept(partial(documents.directory, servers))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with one row a server."""
        bases = tuple(base_url(request, server.slug) for server in self._servers)
        return _serve(request, self._document(bases))


def _kept(make: Callable[[Address], Document]) -> Callable[[Address], Document]:
    return lru_cache(maxsize=KEPT_ADDRESSES)(make)


@reading
def _serve(request: HttpRequest, document: Document, *, content_type: str = JSON_TYPE) -> HttpResponseBase:
    """The document, or 304 for a reader that has it already."""
    headers = {"ETag": document.etag, "Cache-Control": CACHED_FOR_AN_HOUR}
    response = HttpResponse(document.content, content_type=content_type, headers=headers)
    return get_conditional_response(request, etag=document.etag, response=response) or response
