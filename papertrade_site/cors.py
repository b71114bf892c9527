"""Cross-origin access: any page may read what is public, with no cookie or other credential taken along."""

from __future__ import annotations

from collections.abc import Awaitable
from http import HTTPStatus
from typing import Final

from corsheaders.middleware import CorsMiddleware
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ANY_ORIGIN: Final = "null"


class OpenCorsMiddleware(CorsMiddleware):
    """django-cors-headers, but saying what is allowed to those too who send no origin.

    The answer is the same for everyone, so tools that only look (and caches) get it as well. A preflight
    is answered with 204, as the servers' own ``OPTIONS`` is, and only on a host that is ours.
    """

    async_capable = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer a preflight, or add the headers to whatever else is answered."""
        request.META.setdefault("HTTP_ORIGIN", ANY_ORIGIN)
        return super().__call__(request)

    def check_preflight(self, request: HttpRequest) -> HttpResponseBase | None:
        """The answer to a preflight, or None when the request is not one or asks an unknown host."""
        answer = super().check_preflight(request)
        if answer is None or not _asks_known_host(request):
            return None
        answer.status_code = HTTPStatus.NO_CONTENT
        del answer["Content-Length"], answer["Content-Type"]
        return answer


def _asks_known_host(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True
