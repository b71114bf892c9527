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
from papertrade_site.limits.policy import PAGES_PER_MINUTE
from papertrade_site.patience import one_request
from papertrade_site.refusals import is_for_people, read_only, refusal, refusal_page

Rest = ParamSpec("Rest")

GROUP: Final = "pages"
READING_S: Final = 3.0
"""Seconds that one page may wait for sources in all; older copies and gaps stand in for the rest."""


def reading(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Let a view see GET and HEAD alone, and only as many as one client may send in a minute.

    All that it reads of sources shares ``READING_S``: a reader would rather see a page with a gap than wait.
    """

    @read_only
    @wraps(view)
    def counted(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        usage = count_request(request, group=GROUP, charge=Charge(1, PAGES_PER_MINUTE))
        if usage is not None and usage.is_refused:
            return _refused(request, usage.reset_s)
        with one_request(READING_S):
            return view(request, *args, **kwargs)

    return counted


def _refused(request: HttpRequest, seconds: int) -> HttpResponse:
    """A small page for browsers, JSON for programs."""
    headers = {"Retry-After": str(seconds)}
    if is_for_people(request):
        values = {"limit": PAGES_PER_MINUTE, "seconds": seconds}
        return refusal_page(HTTPStatus.TOO_MANY_REQUESTS, "limits/too_many.html", values, headers=headers)
    message = f"Too many requests: {PAGES_PER_MINUTE} a minute are allowed. Try again in {seconds} s."
    return refusal(HTTPStatus.TOO_MANY_REQUESTS, message, headers=headers)
