"""Refusals: JSON for programs, small pages for people. None repeats anything of the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.request_id import request_id

Rest = ParamSpec("Rest")

View = Callable[[HttpRequest], HttpResponseBase]
"""A view of an address that holds no arguments."""

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What every page carries."""

FAILURE_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Something went wrong · Papertrade MCP</title>
<main>
<h1>Something went wrong here</h1>
<p>The fault is not yours. Try again in a minute.</p>
<p><a href="/">See what there is</a></p>
{name}
</main>
</html>
"""

READING_METHODS: Final = ("GET", "HEAD", "OPTIONS")


NO_STORE: Final = {"Cache-Control": "no-store"}


def refusal(status: HTTPStatus, message: str, *, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """An answer that says what is wrong.

    ``error`` is the status in words, ``message`` is for people, and by ``requestId`` the log tells more.
    """
    body = {"error": status.phrase, "message": message}
    name = request_id()
    if name is not None:
        body["requestId"] = name
    return JsonResponse(body, status=status, headers={**NO_STORE, **(headers or {})})


def request_name() -> SafeString:
    """A paragraph with the request's name, for pages that tell of trouble; empty outside of a request."""
    name = request_id()
    return SafeString() if name is None else format_html("<p><small>Request {}</small></p>", name)


def refusal_page(
    status: HTTPStatus,
    template: str,
    values: Mapping[str, object] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """A page that says what is wrong, by a template that extends ``refusal.html``."""
    shown = {**(values or {}), "request_name": request_name()}
    return HttpResponse(
        render_to_string(template, shown).lstrip(),
        status=status,
        headers={**SECURITY_HEADERS, **NO_STORE, **(headers or {})},
    )


def refused(request: HttpRequest, status: HTTPStatus, message: str) -> HttpResponse:
    """A refusal that needs no words of its own for people: a page where one is asked for, else JSON."""
    if not asks_for_page(request):
        return refusal(status, message)
    return refusal_page(status, "refused.html", {"status": status, "message": message})


def is_for_people(request: HttpRequest) -> bool:
    """Whether the request would rather be answered with a page than with JSON, as only browsers say."""
    return request.get_preferred_type(["application/json", "text/html"]) == "text/html"


def asks_for_page(request: HttpRequest) -> bool:
    """The same at an address that has pages: no picture or other file, and no endpoint."""
    is_file = "." in request.path_info
    is_endpoint = request.resolver_match is not None and isinstance(request.resolver_match.func, Endpoint)
    return is_for_people(request) and not is_file and not is_endpoint


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
            return _cannot_be_written(request, allow)
        return view(request, *args, **kwargs)

    return reading


def _cannot_be_written(request: HttpRequest, allow: str) -> HttpResponse:
    headers = {"Allow": allow}
    if asks_for_page(request):
        return refusal_page(HTTPStatus.METHOD_NOT_ALLOWED, "read_only.html", headers=headers)
    message = f"This address can only be read; it takes {allow}."
    return refusal(HTTPStatus.METHOD_NOT_ALLOWED, message, headers=headers)


def malformed() -> JsonResponse:
    """An answer to a request that makes no sense, in whatever way."""
    return refusal(HTTPStatus.BAD_REQUEST, "This request is malformed.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django finds malformed before any view sees it."""
    del exception  # it quotes the request
    if asks_for_page(request):
        return refusal_page(HTTPStatus.BAD_REQUEST, "malformed.html")
    return malformed()


def not_found(_: HttpRequest, exception: Exception) -> JsonResponse:
    """Answer for an address where there is nothing."""
    del exception  # it quotes the address
    return refusal(HTTPStatus.NOT_FOUND, "There is nothing at this address; / shows what there is.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer when a view failed in a way that nobody foresaw; the log has the reason.

    Its page is here as it is sent: a template might be what failed.
    """
    if not asks_for_page(request):
        return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong here. Try again in a minute.")
    page = format_html(FAILURE_PAGE, name=request_name())
    return HttpResponse(
        page, status=HTTPStatus.INTERNAL_SERVER_ERROR, headers={**SECURITY_HEADERS, **NO_STORE}
    )


def no_authorization(_: HttpRequest) -> JsonResponse:
    """Answer a client that looks for an authorization server: there is none, whatever page comes later."""
    return refusal(HTTPStatus.NOT_FOUND, "No authorization is needed or offered: connect without a token.")
