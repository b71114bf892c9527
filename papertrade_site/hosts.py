"""Which server an address belongs to, and every absolute address that the service gives out.

A server is reached by its path on any host (``/analytics/mcp``) and, where a host name is set for it,
at the root of that host (``/mcp``). The answers are the same, but for the addresses in them: those
stay in the form that the request came in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase
from django.http.request import split_domain_port

from papertrade_site.env import Environment
from papertrade_site.env_values import MAX_PORT
from papertrade_site.refusals import malformed, refusal

DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
POSSIBLE_PORT: Final = re.compile("[1-9][0-9]{0,4}")


def own_server(request: HttpRequest) -> str | None:
    """The server, by its short name, that the request's host stands for, or None on every other host.

    Raises:
        DisallowedHost: when the site does not answer to the host.
    """
    domain, _ = _read(request.get_host())
    server: str | None = settings.SERVER_HOSTS.get(domain)
    return server


def site_url(request: HttpRequest) -> str:
    """Scheme and host as the client knows them, without a slash at the end; the host is an allowed one.

    The scheme is the setting's, or the one that the service itself speaks: whatever a request says of it may
    be a stranger's word, and pages with addresses in them are kept for others.
    """
    scheme: str = settings.PUBLIC_SCHEME or "http"
    domain, port = split_domain_port(request.get_host())
    suffix = "" if port in {"", DEFAULT_PORTS[scheme]} else f":{port}"
    return f"{scheme}://{domain}{suffix}"


def base_url(request: HttpRequest, server: str) -> str:
    """Where a server begins, without a slash at the end, in the form that the request came in."""
    prefix = "" if own_server(request) == server else f"/{server}"
    return f"{site_url(request)}{prefix}"


def own_host_url(environment: Environment, server: str) -> str | None:
    """Where a server begins at the host name of its own, without a slash at the end; None if it has none."""
    host = next((host for host, named in environment.server_hosts.items() if named == server), None)
    return None if host is None else host_url(environment, host)


def host_url(environment: Environment, host: str) -> str:
    """Scheme, host and port by which one of the service's hosts is reached, without a slash at the end.

    A public scheme that is set stands for a proxy in front, at its usual port; else the service's own counts.
    """
    if environment.public_scheme:
        return f"{environment.public_scheme}://{host}"
    return f"http://{host}:{environment.port}"


class ServerHostMiddleware:
    """Refuses requests for hosts that are not ours, and opens a server's own host at that server.

    The refusal is made here, so that Django neither logs a traceback for each nor shows a page of its own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Let the request on with the addresses of its host, or refuse it."""
        try:
            host = request.get_host()
        except DisallowedHost:
            return _foreign_host()
        domain, has_possible_port = _read(host)
        if not has_possible_port:
            return malformed()
        if not _names_its_host(request, host):
            return _foreign_host()
        server = settings.SERVER_HOSTS.get(domain)
        if server is not None:
            request.urlconf = f"papertrade_site.host_urls.{server}"
        return self._get_response(request)


@lru_cache
def _read(host: str) -> tuple[str, bool]:
    """The domain of a host that is ours, and whether its port is one that can be."""
    domain, port = split_domain_port(host)
    return domain, port == "" or (POSSIBLE_PORT.fullmatch(port) is not None and int(port) <= MAX_PORT)


def _foreign_host() -> HttpResponseBase:
    return refusal(HTTPStatus.BAD_REQUEST, "This request is meant for a host that is not here.")


def _names_its_host(request: HttpRequest, host: str) -> bool:
    """Whether a request line with a whole address (``GET http://host/path``) names the Host header's."""
    target = request.META.get("RAW_URI", "/")
    if target.startswith("/"):
        return True
    try:
        return split_domain_port(urlsplit(target).netloc) == split_domain_port(host)
    except ValueError:
        return False
