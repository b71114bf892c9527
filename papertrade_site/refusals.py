"""Refusals in JSON, for readers that are programs. None repeats anything of the request."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpRequest, JsonResponse


def refusal(status: HTTPStatus, message: str, *, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """An answer that says what is wrong; ``error`` is the status in words, ``message`` is for people."""
    body = {"error": status.phrase, "message": message}
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store", **(headers or {})})


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
