"""The limit of everything that is read with GET: pages, pictures, and what tells about a server.

It is counted apart, so that a reader of the site never takes anything from the allowance of an AI client at
the same address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from papertrade_site.limits.applied import blocked_text, rule_for_request
from papertrade_site.limits.bounds import WINDOW_S
from papertrade_site.limits.counter import Allowance, count_request
from papertrade_site.limits.in_force import policy
from papertrade_site.patience import one_request
from papertrade_site.refusals import asks_for_page, read_only, refusal, refusal_page, refused

Rest = ParamSpec("Rest")

NAME: Final = "pages"
READING_S: Final = 3.0
"""Seconds that one page may wait for sources in all; older copies and gaps stand in for the rest."""


@dataclass(frozen=True, slots=True)
class PageRefusal:
    """That a client has read too much.

    Attributes:
        limit: pages that it may read in a minute.
        reset_s: whole seconds, at least 1, until it may read again.
    """

    limit: int
    reset_s: int

    @property
    def reason(self) -> str:
        """Why, in a sentence."""
        return f"Too many requests: {self.limit} a minute are allowed."


def reading(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Let a view see GET and HEAD alone, and only as many as one client may send in a minute.

    All that it reads of sources shares ``READING_S``: a reader would rather see a page with a gap than wait.
    """

    @read_only
    @wraps(view)
    def counted(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        rule = rule_for_request(policy().networks, request, None)
        blocked = None if rule is None else blocked_text(rule)
        if blocked is not None:
            return refused(request, HTTPStatus.FORBIDDEN, blocked)
        too_many = count_page(request)
        if too_many is not None:
            return too_many_pages(request, too_many)
        with one_request(READING_S):
            return view(request, *args, **kwargs)

    return counted


def count_page(request: HttpRequest, *, allowance: str = NAME) -> PageRefusal | None:
    """Count a page that the request's client reads; None when it may.

    Whatever is counted by another name has as large an allowance, and takes nothing from that of pages.
    """
    limit = policy().pages_per_minute
    standings = count_request(request, cost=1, allowances=[Allowance(allowance, limit, WINDOW_S)])
    if standings is None or not standings[0].is_refused:
        return None
    return PageRefusal(limit, standings[0].reset_s)


def too_many_pages(request: HttpRequest, refused_page: PageRefusal) -> HttpResponse:
    """A small page for browsers, JSON for programs and where a picture is asked for."""
    seconds = refused_page.reset_s
    headers = {"Retry-After": str(seconds)}
    if asks_for_page(request):
        values = {"limit": refused_page.limit, "seconds": seconds}
        return refusal_page(HTTPStatus.TOO_MANY_REQUESTS, "limits/too_many.html", values, headers=headers)
    message = f"{refused_page.reason} Try again in {seconds} s."
    return refusal(HTTPStatus.TOO_MANY_REQUESTS, message, headers=headers)
