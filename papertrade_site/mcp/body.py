"""Reading a request's body: whole, as bytes, capped, and never inflated."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest

from papertrade_site.mcp.errors import InvalidRequestError, McpError
from papertrade_site.mcp.negotiation import JSON_TYPE, media_type

UTF8_NAMES = frozenset({"", "utf-8", "utf8", "us-ascii"})


class RefusedRequestError(Exception):
    """A request that is refused before any message in it is looked at.

    Attributes:
        status: the HTTP status that says so.
        error: what the body of the answer says.
    """

    def __init__(self, status: HTTPStatus, error: McpError) -> None:
        super().__init__(error.message)
        self.status = status
        self.error = error


def read_body(request: HttpRequest, *, most_bytes: int) -> bytes:
    """The body of a POST, sent with a length or in chunks.

    Raises:
        RefusedRequestError: when it is not plain JSON by its headers, or larger than ``most_bytes``.
    """
    _check_headers(request)
    stream = request.META["wsgi.input"]  # Django reads nothing of a body that came in chunks
    length = _declared_length(request)
    if length > most_bytes:
        raise _too_large(most_bytes)
    is_chunked = request.META.get("HTTP_TRANSFER_ENCODING", "").lower().endswith("chunked")
    body: bytes = stream.read(most_bytes + 1 if is_chunked else length)
    if len(body) > most_bytes:
        raise _too_large(most_bytes)
    return body


def _check_headers(request: HttpRequest) -> None:
    content_type = request.META.get("CONTENT_TYPE", "")
    charset = request.content_params.get("charset", "") if request.content_params else ""
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
    if media_type(content_type) != JSON_TYPE or charset.strip('"').lower() not in UTF8_NAMES:
        raise RefusedRequestError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            InvalidRequestError(f"Send the body as Content-Type: {JSON_TYPE}, in UTF-8."),
        )
    if encoding not in {"", "identity"}:
        raise RefusedRequestError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            InvalidRequestError("Send the body without Content-Encoding: it is never decompressed here."),
        )


def _declared_length(request: HttpRequest) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isascii() and text.isdigit() else 0


def _too_large(most_bytes: int) -> RefusedRequestError:
    return RefusedRequestError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        InvalidRequestError(f"The body is larger than {most_bytes} bytes, which is the most that is read."),
    )
