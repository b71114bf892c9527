"""What readers get, compressed for whoever takes it, as where no proxy stands in front that would do so."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from papertrade_site.discovery import paths
from papertrade_site.mcp.negotiation import JSON_TYPE
from papertrade_site.servers import SERVERS

TYPES: Final = frozenset(
    {
        "text/html",
        "text/markdown",
        "text/plain",
        "text/css",
        "text/javascript",
        "image/svg+xml",
        "application/xml",
        JSON_TYPE,
    }
)
"""Of what is read: pages and their kin for machines, pictures, static files; images are small as they are."""


ENDPOINTS: Final = frozenset({paths.ENDPOINT, *(f"/{slug}{paths.ENDPOINT}" for slug in SERVERS)})
"""On hosts of their own, and by path."""


class CompressionMiddleware(GZipMiddleware):
    """Compresses whole answers to GET, that hold no secrets; never an endpoint's, which may stream."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress the response if it is one to read."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        is_to_read = request.method in {"GET", "HEAD"} and request.path_info not in ENDPOINTS
        if not is_to_read or kind not in TYPES or response.status_code != HTTPStatus.OK:
            return response
        if response.headers.get("Cache-Control") == "no-store":
            return response  # it may hold secrets, which the length of what is compressed could give away
        return super().process_response(request, response)
