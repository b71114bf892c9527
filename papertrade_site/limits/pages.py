"""The limit of everything that is read with GET: pages, pictures, and what tells about a server.

It is counted apart, so that a reader of the site never takes anything from the allowance of an AI client at
the same address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from papertrade_site.limits.charge import Charge
from papertrade_site.limits.counter import count_request
from papertrade_site.limits.in_force import policy
from papertrade_site.patience import one_request
from papertrade_site.refusals import read_only, refusal

Rest = ParamSpec("Rest")

GROUP: Final = "pages"
READING_S: Final = 3.0
"""Seconds that one page may wait for sources in all; older copies and gaps stand in for the rest."""

PAGE: Final = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark"><title>Too many requests</title>'
    "<h1>Too many requests</h1><p>This address has read {limit} pages within a minute. "
    "Try again in {seconds} s. Calls of tools are not affected.</p>"
)


def reading(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Let a view see GET and HEAD alone, and only as many as one client may send in a minute.

    All that it reads of sources shares ``READING_S``: a reader would rather see a page with a gap than wait.
    """

    @read_only
    @wraps(view)
    def counted(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        limit = policy().pages_per_minute
        usage = count_request(request, group=GROUP, charge=Charge(1, limit))
        if usage is not None and usage.is_refused:
            return _refused(request, limit, usage.reset_s)
        with one_request(READING_S):
            return view(request, *args, **kwargs)

    return counted


def _refused(request: HttpRequest, limit: int, seconds: int) -> HttpResponse:
    """A small page for browsers, JSON for programs."""
    headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        page = PAGE.format(limit=limit, seconds=seconds)
        return HttpResponse(page, status=HTTPStatus.TOO_MANY_REQUESTS, headers=headers)
    message = f"Too many requests: {limit} a minute are allowed. Try again in {seconds} s."
    return refusal(HTTPStatus.TOO_MANY_REQUESTS, message, headers=headers)
