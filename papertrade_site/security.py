"""What answers of every kind carry for the safety of their readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware

SVG_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *; sandbox"
"""For pictures of the project's own that say nothing else: they are drawn, and do nothing."""


class AnswerSecurityMiddleware:
    """What Django's own middleware adds, for a service that stands behind what ends TLS.

    Django looks whether the request itself came by TLS, which here none does. Whether clients come by TLS is
    known from the setting of the public scheme, on which ``SECURE_HSTS_SECONDS`` stands. So nothing hangs on
    the request, and what is added to each answer is found once.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        bare = HttpResponse()
        del bare["Content-Type"]
        added = SecurityMiddleware(get_response).process_response(HttpRequest(), bare)
        self._headers = dict(added.items())
        if settings.SECURE_HSTS_SECONDS:
            self._headers["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Have browsers keep to TLS and to what was sent; pictures that are opened alone get no rights."""
        response = self._get_response(request)
        headers = response.headers
        for name, value in self._headers.items():
            headers.setdefault(name, value)
        if headers.get("Content-Type", "").startswith("image/svg+xml"):
            headers.setdefault("Content-Security-Policy", SVG_POLICY)
        return response
