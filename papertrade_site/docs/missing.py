"""What is said where there is nothing: a page for people, JSON for programs."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from papertrade_site import refusals
from papertrade_site.docs.responses import SECURITY_HEADERS
from papertrade_site.mcp.negotiation import JSON_TYPE


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address where there is nothing, in HTML for whoever prefers that; it repeats nothing."""
    if request.get_preferred_type([JSON_TYPE, "text/html"]) != "text/html":
        return refusals.not_found(request, exception)
    return HttpResponse(
        render_to_string("docs/not_found.html").lstrip(),
        status=HTTPStatus.NOT_FOUND,
        headers={**SECURITY_HEADERS, "Cache-Control": "no-store"},
    )
