"""Refusals, in JSON for programs and as a small page for browsers. None repeats anything of the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from papertrade_site.request_id import request_id

Rest = ParamSpec("Rest")

View = Callable[[HttpRequest], HttpResponseBase]
"""A view of an address that holds no arguments."""

READING_METHODS: Final = ("GET", "HEAD", "OPTIONS")


NO_STORE: Final = {"Cache-Control": "no-store"}

PAGE: Final = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark"><title>{title}</title><h1>{title}</h1><p>{text}</p>{name}'
)
"""Made of text alone, without templates, styles or scripts: whatever is broken, this is not."""


def refusal(status: HTTPStatus, message: str, *, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """An answer that says what is wrong.

    ``error`` is the status in words, ``message`` is for people, and by ``requestId`` the log tells more.
    """
    body = {"error": status.phrase, "message": message}
    name = request_id()
    if name is not None:
        body["requestId"] = name
    return JsonResponse(body, status=status, headers={**NO_STORE, **(headers or {})})


def refused(request: HttpRequest, status: HTTPStatus, message: str) -> HttpResponse:
    """The same as a page for whoever prefers HTML, and else in JSON."""
    if not prefers_page(request):
        return refusal(status, message)
    page = format_html(PAGE, title=status.phrase, text=message, name=request_name())
    return HttpResponse(page, status=status, headers=NO_STORE)


def prefers_page(request: HttpRequest) -> bool:
    """Whether the request comes from a browser, or another reader that prefers HTML to JSON."""
    return request.get_preferred_type(["application/json", "text/html"]) == "text/html"


def request_name() -> SafeString:
    """A paragraph with the request's name, for pages that tell of trouble; empty outside of a request."""
    name = request_id()
    return SafeString() if name is None else format_html("<p><small>Request {}</small></p>", name)


def read_only(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Let a view see GET and HEAD alone; OPTIONS gets the methods there are, every other one a refusal."""
    allow = ", ".join(READING_METHODS)

    @wraps(view)
    def reading(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if request.method == "OPTIONS":
            options = HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Allow": allow})
            del options["Content-Type"]
            return options
        if request.method not in READING_METHODS:
            message = f"This address can only be read; it takes {allow}."
            return refusal(HTTPStatus.METHOD_NOT_ALLOWED, message, headers={"Allow": allow})
        return view(request, *args, **kwargs)

    return reading


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django finds malformed before any view sees it."""
    del exception  # it quotes the request
    return refused(request, HTTPStatus.BAD_REQUEST, "This request is malformed.")


def not_found(_: HttpRequest, exception: Exception) -> JsonResponse:
    """Answer for an address where there is nothing."""
    del exception  # it quotes the address
    return refusal(HTTPStatus.NOT_FOUND, "There is nothing at this address; / shows what there is.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer when a view failed in a way that nobody foresaw; the log has the reason."""
    text = "Something went wrong here. Try again in a minute."
    return refused(request, HTTPStatus.INTERNAL_SERVER_ERROR, text)


def no_authorization(_: HttpRequest) -> JsonResponse:
    """Answer a client that looks for an authorization server: there is none, whatever page comes later."""
    return refusal(HTTPStatus.NOT_FOUND, "No authorization is needed or offered: connect without a token.")
