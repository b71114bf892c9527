"""What answers of every kind carry for the safety of their readers."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware

SVG_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *; sandbox"
"""For pictures of the project's own that say nothing else: they are drawn, and do nothing."""


class AnswerSecurityMiddleware(SecurityMiddleware):
    """Django's own, for a service that stands behind what ends TLS.

    Django looks whether the request itself came by TLS, which here none does. Whether clients come by TLS is
    known from the setting of the public scheme, on which ``SECURE_HSTS_SECONDS`` stands.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Have browsers keep to TLS, and leave pictures that are opened alone no rights."""
        if settings.SECURE_HSTS_SECONDS:
            response["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"
        if response.headers.get("Content-Type", "").startswith("image/svg+xml"):
            response.headers.setdefault("Content-Security-Policy", SVG_POLICY)
        return super().process_response(request, response)
