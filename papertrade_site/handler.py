"""Django's WSGI handler, held to what HTTP says where Django is lax or fails.

Django reads the parameters of ``Content-Type`` while it makes the request object, outside of everything
that turns an exception into an answer: ``charset*=x''y`` would end as a bare HTTP 500.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase


class Request(WSGIRequest):
    """A request without senseless parameters of its content type, which knows its host and scheme."""

    def __init__(self, environ: dict[str, Any]) -> None:
        try:
            super().__init__(environ)
        except ValueError:
            environ["CONTENT_TYPE"] = environ["CONTENT_TYPE"].partition(";")[0].strip()
            super().__init__(environ)

    def _get_scheme(self) -> str | None:
        """The scheme as the client knows it: the one that is set for the proxy in front, if any.

        By it Django knows whether a form comes from the page that it stood on.
        """
        scheme: str | None = settings.PUBLIC_SCHEME or self.environ.get("wsgi.url_scheme")
        return scheme

    def get_host(self) -> str:
        """The host that is asked.

        Raises:
            DisallowedHost: when the site does not answer to it, or HTTP/1.1 comes without one (RFC 9112).
        """
        if "HTTP_HOST" not in self.META and self.META["SERVER_PROTOCOL"] == "HTTP/1.1":
            raise DisallowedHost("HTTP/1.1 without a Host header")
        return super().get_host()


class Handler(WSGIHandler):
    """Answers every request with its length where that is known, and HEAD with the headers of GET alone."""

    request_class = Request

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        """The answer; gunicorn would warn of every body that it has to drop."""
        response = super().get_response(request)
        if isinstance(response, HttpResponse):
            tell_length(response)
            if request.method == "HEAD":
                response.content = b""
        return response


def tell_length(response: HttpResponse) -> None:
    """Name the length of an answer's body, unless the answer does so itself."""
    response.headers.setdefault("Content-Length", str(len(response.content)))
