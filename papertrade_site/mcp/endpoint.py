"""The endpoint: from an HTTP request to the answers of the messages in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from papertrade_site.mcp.admission import Gate
from papertrade_site.mcp.body import RefusedRequestError, read_body
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.errors import InvalidRequestError, McpError, ParseError, TooManyRequestsError
from papertrade_site.mcp.jsonrpc import Call, Id, Invalid, Message, encode, error_message, read_message
from papertrade_site.mcp.negotiation import (
    JSON_TYPE,
    STREAM_TYPE,
    check_version_header,
    lists_stream,
    wants_stream,
)
from papertrade_site.mcp.parsing import parse_json
from papertrade_site.mcp.server import Server
from papertrade_site.patience import one_request

ALLOWED: Final = "GET, HEAD, OPTIONS, POST"
OF_THE_MOMENT: Final = {"Cache-Control": "no-store", "Vary": "Accept"}
VERSIONLESS_METHODS: Final = frozenset({"initialize", "server/discover"})
"""Methods that find out which version to speak, so that the version header means nothing yet."""


@dataclass(frozen=True, slots=True)
class _Body:
    """The messages of a body, and whether they came as an array."""

    messages: Sequence[Message]
    is_batch: bool

    @property
    def id(self) -> Id | None:
        """The id that an answer to the whole body carries: its only message's, else null."""
        only = None if self.is_batch or not self.messages else self.messages[0]
        return only.id if isinstance(only, Call | Invalid) else None

    @property
    def finds_version(self) -> bool:
        """Whether a message asks which version to speak."""
        return any(
            isinstance(message, Call) and message.method in VERSIONLESS_METHODS for message in self.messages
        )


class Endpoint:
    """A Django view that serves one server.

    Args:
        server: the server's declaration.
        gate: its limits.
        describe: what a plain GET shows, given the request.
    """

    def __init__(
        self, server: Server, *, gate: Gate, describe: Callable[[HttpRequest], dict[str, Any]]
    ) -> None:
        self._dispatcher = Dispatcher(server)
        self._gate = gate
        self._describe = describe

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer one HTTP request, whatever it is."""
        match request.method:
            case "POST":
                return self._post(request)
            case "GET" | "HEAD":
                return self._get(request)
            case "OPTIONS":
                return _with_headers(_bare(HTTPStatus.NO_CONTENT), {"Allow": ALLOWED})
            case _:
                return _not_allowed(ALLOWED)

    def _get(self, request: HttpRequest) -> HttpResponse:
        if lists_stream(request.META.get("HTTP_ACCEPT", "")):
            return _not_allowed("POST")
        content = encode(self._describe(request))
        return HttpResponse(content, content_type=JSON_TYPE, headers=OF_THE_MOMENT)

    def _post(self, request: HttpRequest) -> HttpResponse:
        refusal, body = None, _Body((), is_batch=False)
        try:
            body = self._read(request)
        except RefusedRequestError as error:
            refusal = error
        admission = self._gate.admit(request, cost=max(len(body.messages), 1))
        if admission.retry_after_s is not None:
            response = _too_many(body.id, admission.retry_after_s)
        elif refusal is not None:
            response = _error(refusal.status, refusal.error)
        else:
            response = self._answer(request, body)
        return _with_headers(response, {**OF_THE_MOMENT, **admission.headers})

    def _read(self, request: HttpRequest) -> _Body:
        raw = read_body(request, most_bytes=self._gate.body_bytes)
        try:
            document = parse_json(raw)
        except ParseError as error:
            raise RefusedRequestError(HTTPStatus.BAD_REQUEST, error) from None
        if not isinstance(document, list):
            return _Body((read_message(document),), is_batch=False)
        most = self._gate.batch_messages
        if not 1 <= len(document) <= most:
            wrong_size = f"A batch must hold 1 to {most} messages; this one holds {len(document)}."
            raise RefusedRequestError(HTTPStatus.BAD_REQUEST, InvalidRequestError(wrong_size))
        return _Body([read_message(entry) for entry in document], is_batch=True)

    def _answer(self, request: HttpRequest, body: _Body) -> HttpResponse:
        try:
            if not body.finds_version:
                check_version_header(request.META.get("HTTP_MCP_PROTOCOL_VERSION"))
        except InvalidRequestError as error:
            return _error(HTTPStatus.BAD_REQUEST, error, message_id=body.id)
        with one_request():
            answers = [answer for message in body.messages if (answer := self._dispatcher.answer(message))]
        if not answers:
            return _bare(HTTPStatus.ACCEPTED)
        content = b"[%b]" % b",".join(answers) if body.is_batch else answers[0]
        if isinstance(body.messages[0], Invalid) and not body.is_batch:
            return _json(HTTPStatus.BAD_REQUEST, content)
        if wants_stream(request.META.get("HTTP_ACCEPT", "")):
            return _stream(content)
        return _json(HTTPStatus.OK, content)


def _json(status: HTTPStatus, content: bytes) -> HttpResponse:
    return HttpResponse(content, status=status, content_type=JSON_TYPE)


def _stream(content: bytes) -> HttpResponse:
    event = b"event: message\ndata: %b\n\n" % content
    return HttpResponse(event, content_type=STREAM_TYPE, headers={"X-Accel-Buffering": "no"})


def _bare(status: HTTPStatus) -> HttpResponse:
    """An answer without a body, and so without a content type."""
    response = HttpResponse(status=status)
    del response["Content-Type"]
    return response


def _error(status: HTTPStatus, error: McpError, *, message_id: Id | None = None) -> HttpResponse:
    return _json(status, error_message(message_id, error))


def _too_many(message_id: Id | None, retry_after_s: int) -> HttpResponse:
    error = TooManyRequestsError(
        f"Too many requests. Try again in {retry_after_s} s.", data={"retryAfterSeconds": retry_after_s}
    )
    response = _error(HTTPStatus.TOO_MANY_REQUESTS, error, message_id=message_id)
    response["Retry-After"] = str(retry_after_s)
    return response


def _not_allowed(allow: str) -> HttpResponse:
    error = InvalidRequestError(f"This method is not for this address; it takes {allow}.")
    response = _error(HTTPStatus.METHOD_NOT_ALLOWED, error)
    return _with_headers(response, {**OF_THE_MOMENT, "Allow": allow})


def _with_headers(response: HttpResponse, headers: Mapping[str, str]) -> HttpResponse:
    for name, value in headers.items():
        response[name] = value
    return response
