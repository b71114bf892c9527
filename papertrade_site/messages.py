"""The short way of a message to an endpoint through Django; nearly all requests are one.

It passes the layers that every request passes, in the same order. What Django does besides for views in
general is left out: signals that look after connections to databases, which no endpoint has; a search of the
table of addresses for each request; transactions; and a guard around each single layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import cast
from wsgiref.types import StartResponse, WSGIEnvironment

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch, get_resolver
from django.utils.module_loading import import_string

from papertrade_site.docs.compression import ENDPOINTS
from papertrade_site.handler import Handler, Request, tell_length

_View = Callable[[HttpRequest], HttpResponse]


class Application:
    """Answers messages by the short way, and every other request by Django's own."""

    def __init__(self) -> None:
        self._django = Handler()
        outermost, *inner = map(import_string, settings.LAYERS_OF_ALL)
        way = _guarded(_answer)
        for layer in reversed(inner):
            way = layer(way)
        self._way: _View = outermost(_guarded(way))

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, as WSGI has it."""
        if environ["REQUEST_METHOD"] != "POST" or environ["PATH_INFO"] not in ENDPOINTS:
            return self._django(environ, start_response)
        response = self._way(Request(environ))
        tell_length(response)
        start_response(f"{response.status_code} {response.reason_phrase}", list(response.headers.items()))
        return [response.content]


def _guarded(view: _View) -> _View:
    """The view, whose every failure is an answer; no awaitable one, as the view's is none."""
    return cast(_View, convert_exception_to_response(view))


def _answer(request: HttpRequest) -> HttpResponse:
    match = _match(request.path_info, getattr(request, "urlconf", None))
    request.resolver_match = match
    return cast(HttpResponse, match.func(request))


@lru_cache
def _match(path: str, urlconf: str | None) -> ResolverMatch:
    """What stands at an endpoint's address, by the table of addresses of the host."""
    return get_resolver(urlconf).resolve(path)
