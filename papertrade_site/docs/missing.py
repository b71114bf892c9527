"""What is said where there is nothing: a page for people, JSON for programs."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from papertrade_site import refusals
from papertrade_site.docs.responses import SECURITY_HEADERS


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address where there is nothing, in HTML for whoever prefers that; it repeats nothing."""
    if not refusals.prefers_page(request):
        return refusals.not_found(request, exception)
    return HttpResponse(
        render_to_string("docs/not_found.html", {"request_name": refusals.request_name()}).lstrip(),
        status=HTTPStatus.NOT_FOUND,
        headers={**SECURITY_HEADERS, "Cache-Control": "no-store"},
    )
