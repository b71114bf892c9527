"""What is said where there is nothing: a page for people, JSON for programs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse

from papertrade_site import refusals
from papertrade_site.docs.pages import Page
from papertrade_site.docs.place import Place
from papertrade_site.docs.text import furniture
from papertrade_site.mcp.server import Server
from papertrade_site.servers import SERVERS

NOTHING: Final = Page("404", "There is nothing here", "There is nothing at this address.", "")
"""Stands for the page that does not exist among those that do."""


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address where there is nothing, in HTML for whoever prefers that; it repeats nothing.

    Below a server's address it has that server's pages at its side.
    """
    if not refusals.is_for_people(request):
        return refusals.not_found(request, exception)
    place = Place.of(request)
    shown = furniture(_server_of(request, place), NOTHING, place)
    return refusals.refusal_page(HTTPStatus.NOT_FOUND, "docs/not_found.html", shown)


def _server_of(request: HttpRequest, place: Place) -> Server | None:
    """The server below whose address the request's lies, the longest of them first."""
    roots = {place.path(slug, "/"): server for slug, server in SERVERS.items()}
    below = [root for root in roots if request.path.startswith(root)]
    return roots[max(below, key=len)] if below else None
