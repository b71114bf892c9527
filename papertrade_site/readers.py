"""What only people need who read pages or work in the operators' rooms, and no endpoint does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from papertrade_site.dashboard.middleware import AdminMiddleware
from papertrade_site.discovery import paths
from papertrade_site.docs.assets import StaticFilesMiddleware
from papertrade_site.docs.compression import CompressionMiddleware
from papertrade_site.servers import SERVERS

ENDPOINTS: Final = frozenset({paths.ENDPOINT, *(f"/{slug}{paths.ENDPOINT}" for slug in SERVERS)})
"""On hosts of their own, and by path."""

_View = Callable[[HttpRequest], HttpResponseBase]


class ReadersMiddleware:
    """Compression, static files and the operators' rooms, for every address but the endpoints'.

    They stand within this one, so that a message to an endpoint, as nearly all requests are, passes one check
    in place of three.
    """

    def __init__(self, get_response: _View) -> None:
        self._get_response = get_response
        self._admin = AdminMiddleware(get_response)
        rooms = StaticFilesMiddleware(convert_exception_to_response(self._admin))
        self._readers = cast(_View, CompressionMiddleware(rooms))  # no awaitable, as the view is none

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Let the request on, or answer with a file."""
        if request.path_info in ENDPOINTS:
            return self._get_response(request)
        return self._readers(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say so where the database failed the operators' rooms."""
        return self._admin.process_exception(request, exception)
