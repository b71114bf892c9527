"""What happens to requests below ``/admin/`` alone: everywhere else there is no session and no cookie."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, cast

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import ValidationError
from django.core.handlers.exception import convert_exception_to_response
from django.db import DataError, Error as DatabaseFailure, IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase

from papertrade_site.dashboard.refusals import changed_meanwhile, no_database, session_lost

ROOM: Final = "/admin"

OVERTAKEN: Final = (IntegrityError, ValidationError)
"""How a change fails that a form found good: somebody else was quicker."""

_log = logging.getLogger(__name__)

_View = Callable[[HttpRequest], HttpResponseBase]

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Robots-Tag": "noindex",
}
"""On every answer; nothing of these rooms is kept by a browser or proxy, or shown within another page."""


def is_admin(request: HttpRequest) -> bool:
    """Whether a request is for the operators' rooms."""
    path = request.path_info
    return path.startswith(ROOM) and path[len(ROOM) :][:1] in {"", "/"}


class AdminMiddleware:
    """Sessions, users and messages below ``/admin/``, which hosts that are not for it seem not to have.

    Django's own middlewares stand within this one, so that a request for anything else, as nearly all are,
    passes one check. Forms need none here: each view of Django's admin looks for their tokens itself.
    """

    def __init__(self, get_response: _View) -> None:
        self._get_response = get_response
        room = SessionMiddleware(AuthenticationMiddleware(MessageMiddleware(get_response)))
        self._session = cast(_View, room)  # no awaitable, as get_response is none
        self._room = cast(_View, convert_exception_to_response(self._with_session))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Let the request on, or say as of any other address that there is nothing.

        Raises:
            Http404: when the request's host does not show the admin.
        """
        if not is_admin(request):
            return self._get_response(request)
        if not _is_shown_on(request.get_host()):
            raise Http404
        response = self._room(request)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say so where the database is away, or holds what somebody else has put there meanwhile."""
        if not is_admin(request):
            return None
        return changed_meanwhile() if isinstance(exception, OVERTAKEN) else _told(exception)

    def _with_session(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self._session(request)
        except SessionInterrupted:  # Django tells it so that also the database failed it
            return session_lost()


def _told(exception: Exception) -> HttpResponse | None:
    """What is told of a database that is out of reach, locked, read-only or spoiled, or lacks a table."""
    if not isinstance(exception, DatabaseFailure) or isinstance(exception, DataError):
        return None
    _log.warning("The database failed the admin (%s).", type(exception).__name__)
    return no_database()


def _is_shown_on(host: str) -> bool:
    """Whether a host shows the admin: the one set for it; while none is, each that is no server's own."""
    domain, _ = split_domain_port(host)
    if settings.ADMIN_HOST is not None:
        return bool(domain == settings.ADMIN_HOST)
    return domain not in settings.SERVER_HOSTS
