"""Refusals: JSON for programs, small pages for people. None repeats anything of the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, Final, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string

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

READING_METHODS: Final = ("GET", "HEAD", "OPTIONS")


def refusal(status: HTTPStatus, message: str, *, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """An answer that says what is wrong; ``error`` is the status in words, ``message`` is for people."""
    body = {"error": status.phrase, "message": message}
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store", **(headers or {})})


def refusal_page(
    status: HTTPStatus,
    template: str,
    values: Mapping[str, object] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """A page that says what is wrong, by a template that extends ``refusal.html``."""
    return HttpResponse(
        render_to_string(template, values).lstrip(),
        status=status,
        headers={**SECURITY_HEADERS, "Cache-Control": "no-store", **(headers or {})},
    )


def is_for_people(request: HttpRequest) -> bool:
    """Whether the request would rather be answered with a page than with JSON, as only browsers say."""
    return request.get_preferred_type(["application/json", "text/html"]) == "text/html"


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


def bad_request(_: HttpRequest, exception: Exception) -> JsonResponse:
    """Answer a request that Django finds malformed before any view sees it."""
    del exception  # it quotes the request
    return refusal(HTTPStatus.BAD_REQUEST, "This request is malformed.")


def not_found(_: HttpRequest, exception: Exception) -> JsonResponse:
    """Answer for an address where there is nothing."""
    del exception  # it quotes the address
    return refusal(HTTPStatus.NOT_FOUND, "There is nothing at this address; / shows what there is.")


def server_error(_: HttpRequest) -> JsonResponse:
    """Answer when a view failed in a way that nobody foresaw; the log has the reason."""
    return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong here. Try again in a minute.")


def no_authorization(_: HttpRequest) -> JsonResponse:
    """Answer a client that looks for an authorization server: there is none, whatever page comes later."""
    return refusal(HTTPStatus.NOT_FOUND, "No authorization is needed or offered: connect without a token.")
