"""Cross-origin access: any page may read what is public, with no cookie or other credential taken along."""

from __future__ import annotations

import re
from functools import cached_property
from http import HTTPStatus

from corsheaders.conf import conf
from corsheaders.middleware import (
    ACCESS_CONTROL_ALLOW_HEADERS,
    ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS,
    ACCESS_CONTROL_MAX_AGE,
    CorsMiddleware,
)
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ANY_ORIGIN = "*"


class OpenCorsMiddleware(CorsMiddleware):
    """django-cors-headers for addresses that mean the same to every origin.

    The library adds its headers only for an origin that it can read, and has the answer vary by it. Here
    nobody looks at the origin, so nothing varies: who sends none, or nonsense, is told the same. A preflight
    is answered with 204, as ``OPTIONS`` of the endpoints is, and only on a host that is ours.
    """

    @cached_property
    def _exposed(self) -> str:
        return ", ".join(conf.CORS_EXPOSE_HEADERS)

    @cached_property
    def _open_addresses(self) -> re.Pattern[str]:
        return re.compile(conf.CORS_URLS_REGEX)

    def is_enabled(self, request: HttpRequest) -> bool:
        """Whether every page may read an address, which the settings alone say."""
        return self._open_addresses.match(request.path_info) is not None

    def check_preflight(self, request: HttpRequest) -> HttpResponseBase | None:
        """The answer to a preflight, or None when the request is not one or asks an unknown host."""
        answer = super().check_preflight(request)
        if answer is None or not _asks_known_host(request):
            return None
        answer.status_code = HTTPStatus.NO_CONTENT
        del answer["Content-Length"], answer["Content-Type"]
        return answer

    def add_response_headers(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Say what every page may do, where the settings allow it at all."""
        if self.is_enabled(request):
            response[ACCESS_CONTROL_ALLOW_ORIGIN] = ANY_ORIGIN
            response[ACCESS_CONTROL_EXPOSE_HEADERS] = self._exposed
            if request.method == "OPTIONS":
                response[ACCESS_CONTROL_ALLOW_HEADERS] = ", ".join(conf.CORS_ALLOW_HEADERS)
                response[ACCESS_CONTROL_ALLOW_METHODS] = ", ".join(conf.CORS_ALLOW_METHODS)
                response[ACCESS_CONTROL_MAX_AGE] = str(conf.CORS_PREFLIGHT_MAX_AGE)
        return response


def _asks_known_host(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True
