"""The views of what machines read; each text is kept for a while for the place that it is read at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path

from papertrade_site.discovery import paths
from papertrade_site.discovery.documents import Document
from papertrade_site.docs import machines
from papertrade_site.docs.assets import STATIC
from papertrade_site.docs.kept import Kept
from papertrade_site.docs.pages import LANDING, Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.responses import page_response
from papertrade_site.limits.pages import reading
from papertrade_site.mcp.jsonrpc import encode
from papertrade_site.mcp.negotiation import JSON_TYPE
from papertrade_site.mcp.server import Server
from papertrade_site.refusals import View
from papertrade_site.servers import SERVERS

TEXT: Final = "text/plain; charset=utf-8"
XML: Final = "application/xml"
KEPT_S: Final = 60.0
"""Seconds for which a text is not made anew."""

KEPT_PLACES: Final = 16
"""Places for which each text is kept."""

CACHED_FOR_AN_HOUR: Final = "public, max-age=3600"


def server_files(server: Server) -> list[URLPattern]:
    """What machines read of one server."""
    pages = pages_of(server)
    views = {
        paths.LLMS: _text(lambda place: machines.llms(server, pages, place)),
        machines.LLMS_FULL: _text(lambda place: machines.llms_full(server, pages, place)),
        machines.SITEMAP: _text(lambda place: machines.sitemap(_rows(server, pages), place), XML),
        machines.ROBOTS: _text(lambda place: machines.robots(server, place)),
        machines.SECURITY: _text(lambda place: machines.security(server, place, datetime.now(UTC))),
        paths.SEARCH: _view(
            lambda place: encode(machines.search_index(server, place)), JSON_TYPE, is_anywhere=True
        ),
    }
    return _addresses(views)


def root_files() -> list[URLPattern]:
    """What machines read of the project."""
    views = {
        paths.LLMS: _text(machines.root_llms),
        machines.LLMS_FULL: _text(_everything),
        machines.SITEMAP: _text(lambda place: machines.sitemap(_all_rows(), place), XML),
        machines.ROBOTS: _text(lambda place: machines.robots(None, place)),
        machines.SECURITY: _text(lambda place: machines.security(None, place, datetime.now(UTC))),
    }
    return _addresses(views)


def _addresses(views: dict[str, View]) -> list[URLPattern]:
    with_aliases = views | {alias: views[of] for alias, of in machines.ALIASES.items()}
    pictures = {
        "/favicon.svg": ("favicon.svg", "image/svg+xml"),
        "/og.png": ("og.png", "image/png"),
    }
    with_aliases |= {address: _static(*picture) for address, picture in pictures.items()}
    return [path(address[1:], view) for address, view in with_aliases.items()]


def _text(make: Callable[[Place], str], content_type: str = TEXT) -> View:
    return _view(lambda place: make(place).encode(), content_type)


def _view(make: Callable[[Place], bytes], content_type: str, *, is_anywhere: bool = False) -> View:
    """The view of a text; one that names no host is the same on all of them, and made once."""
    kept: Kept[Document] = Kept(seconds=KEPT_S, capacity=KEPT_PLACES)

    @reading
    def view(request: HttpRequest) -> HttpResponseBase:
        place = Place.of(request)
        if is_anywhere:
            place = place.without_host()
        document = kept.get(place, lambda: Document.of(make(place)))
        return page_response(request, document, content_type=content_type)

    return view


def _static(name: str, content_type: str) -> View:
    """The view of a static file at an address of its own, which readers guess."""

    @reading
    def view(request: HttpRequest) -> HttpResponseBase:
        document = Document.of((STATIC / name).read_bytes())
        return page_response(request, document, content_type=content_type, cache_control=CACHED_FOR_AN_HOUR)

    return view


def _rows(server: Server, pages: Sequence[Page]) -> list[tuple[Server | None, Page]]:
    return [(server, page) for page in pages]


def _all_rows() -> list[tuple[Server | None, Page]]:
    return [(None, LANDING), *(row for server in SERVERS.values() for row in _rows(server, pages_of(server)))]


def _everything(place: Place) -> str:
    return "\n---\n\n".join(
        machines.llms_full(server, pages_of(server), place) for server in SERVERS.values()
    )
