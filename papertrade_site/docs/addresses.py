"""The address tables of the documentation site: those of one server, and of the project's root."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase, HttpResponsePermanentRedirect
from django.urls import URLPattern, path
from django.utils.encoding import iri_to_uri
from django.utils.http import MAX_URL_REDIRECT_LENGTH

from papertrade_site.discovery import paths
from papertrade_site.docs.links import page_link
from papertrade_site.docs.machine_views import server_files
from papertrade_site.docs.pages import HOME, pages_of
from papertrade_site.docs.pictures.views import picture_addresses
from papertrade_site.docs.place import Place
from papertrade_site.docs.views import Documentation
from papertrade_site.limits.pages import reading
from papertrade_site.mcp.server import Server
from papertrade_site.refusals import View


def home_of(server: str) -> View:
    """A view that sends whoever left out the slash to where a server begins."""
    return _redirect(server, HOME)


def root_redirects() -> list[URLPattern]:
    """``status`` of the project, which the landing page shows: the sources, and where each server's is."""
    return [path("status", _redirect(None, HOME))]


def page_addresses(documentation: Documentation) -> list[URLPattern]:
    """Every page and its Markdown twin."""
    return [
        pattern
        for page in documentation.pages
        for pattern in (
            path(page.path[1:], documentation.page(page)),
            path(page.twin_path[1:], documentation.twin(page)),
        )
    ]


def documentation_addresses(server: Server) -> list[URLPattern]:
    """All that the site has of one server: its pages, what machines read of it, and its pictures."""
    return [
        *page_addresses(Documentation(server, pages_of(server))),
        *_redirects(server),
        *server_files(server),
        *picture_addresses(server.slug),
    ]


def _redirects(server: Server) -> list[URLPattern]:
    """Addresses that people guess or mistype: ``docs`` alone, and pages with a slash at the end."""
    others = [page.slug for page in pages_of(server) if page.slug != HOME]
    pairs = [("docs", paths.DOCS[1:]), ("docs/", paths.DOCS[1:]), *((f"{slug}/", slug) for slug in others)]
    return [path(address, _redirect(server.slug, slug)) for address, slug in pairs]


def _redirect(server: str | None, slug: str) -> View:
    """A view that sends its readers to a page with what they ask of it, unless that is too long."""

    @reading
    def view(request: HttpRequest) -> HttpResponseBase:
        place = Place.of(request)
        address = page_link(place, server, slug, is_twin=False)
        query = iri_to_uri(request.META["QUERY_STRING"])
        if not query or len(address) + len(query) >= MAX_URL_REDIRECT_LENGTH:
            return HttpResponsePermanentRedirect(address)
        return HttpResponsePermanentRedirect(f"{address}?{query}")

    return view
