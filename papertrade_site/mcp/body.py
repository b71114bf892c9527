"""Reading a request's body: whole, as bytes, capped, and never inflated."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest

from papertrade_site.mcp.errors import InvalidRequestError, McpError
from papertrade_site.mcp.negotiation import JSON_TYPE, media_type


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
        RefusedRequestError: when it is not plain JSON by its headers, larger than ``most_bytes``, or
            broken off before its end.
    """
    _check_headers(request)
    length = _declared_length(request)
    if length is not None and length > most_bytes:
        raise _too_large(most_bytes)
    body = _read(request, most_bytes + 1 if length is None else length)
    if len(body) > most_bytes:
        raise _too_large(most_bytes)
    if length is not None and len(body) < length:
        raise _broken_off()
    return body


def _check_headers(request: HttpRequest) -> None:
    """Refuse what is not JSON, or is coded; parameters such as a charset mean nothing for JSON (RFC 8259)."""
    if media_type(request.META.get("CONTENT_TYPE", "")) != JSON_TYPE:
        raise RefusedRequestError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            InvalidRequestError(f"Send the body as Content-Type: {JSON_TYPE}, in UTF-8."),
        )
    content_coding = request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower()
    if content_coding not in {"", "identity"} or _transfer_coding(request) not in {"", "chunked"}:
        raise RefusedRequestError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            InvalidRequestError("Send the body uncompressed: it is never decompressed here."),
        )


def _declared_length(request: HttpRequest) -> int | None:
    """The length by the headers; None when the body comes in chunks and ends by itself.

    Django takes a body without a length for empty, so a chunked one has to be read past it. The length
    goes first: a server that puts chunks together before calling gives one.
    """
    text = request.META.get("CONTENT_LENGTH") or ""
    if not text and _transfer_coding(request):
        return None
    try:
        return max(int(text), 0)
    except ValueError:
        return 0


def _transfer_coding(request: HttpRequest) -> str:
    coding: str = request.META.get("HTTP_TRANSFER_ENCODING", "")
    return coding.strip().lower()


def _read(request: HttpRequest, size: int) -> bytes:
    try:
        body: bytes = request.META["wsgi.input"].read(size)
    except Exception:  # WSGI names none: it is OSError for a lost client, the server's own for a bad chunk
        raise _broken_off() from None
    return body


def _broken_off() -> RefusedRequestError:
    return RefusedRequestError(
        HTTPStatus.BAD_REQUEST, InvalidRequestError("The body could not be read to its end.")
    )


def _too_large(most_bytes: int) -> RefusedRequestError:
    return RefusedRequestError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        InvalidRequestError(f"The body is larger than {most_bytes} bytes, which is the most that is read."),
    )
