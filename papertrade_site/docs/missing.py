"""What is said where there is nothing: a page for people, JSON for programs."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from papertrade_site import refusals


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address where there is nothing, in HTML for whoever prefers that; it repeats nothing."""
    if not refusals.is_for_people(request):
        return refusals.not_found(request, exception)
    return refusals.refusal_page(HTTPStatus.NOT_FOUND, "docs/not_found.html")
