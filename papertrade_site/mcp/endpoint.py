"""The endpoint: from an HTTP request to the answers of the messages in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from papertrade_site.mcp.admission import (
    CLIENT_TEXT_CHARACTERS,
    Admission,
    Exchange,
    Gate,
    Handled,
    Outcome,
    Record,
    Terms,
)
from papertrade_site.mcp.body import RefusedRequestError, read_body
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.errors import (
    BlockedError,
    InvalidRequestError,
    McpError,
    ParseError,
    TooManyRequestsError,
)
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

_log = logging.getLogger(__name__)

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
        """Whether its requests ask which version to speak, and nothing else."""
        methods = {message.method for message in self.messages if isinstance(message, Call)}
        return bool(methods) and methods <= VERSIONLESS_METHODS

    @property
    def client(self) -> tuple[str | None, str | None]:
        """Name and version of a client that connects, as it tells them."""
        for message in self.messages:
            if isinstance(message, Call) and message.method == "initialize":
                return _client_info(message.params)
        return None, None


@dataclass(frozen=True, slots=True)
class _Reply:
    """The answer to a POST, and what became of it."""

    response: HttpResponse
    outcome: Outcome
    handled: tuple[Handled, ...]


class Endpoint:
    """A Django view that serves one server.

    Args:
        server: the server's declaration.
        gate: its limits.
        describe: what a plain GET shows, given the request.
        record: is told of every POST, whatever came, exactly once. When it fails, that is logged and
            the client gets its answer.
    """

    def __init__(
        self,
        server: Server,
        *,
        gate: Gate,
        describe: Callable[[HttpRequest], dict[str, Any]],
        record: Record,
    ) -> None:
        self._dispatcher = Dispatcher(server, closed=gate.closed)
        self._gate = gate
        self._describe = describe
        self._record = record

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
        terms = self._gate.terms(request)
        blocked = terms.blocked
        if blocked is not None:
            return _blocked(blocked)
        admission = terms.admit_reader()
        if admission.retry_after_s is not None:
            response = _too_many(None, admission.retry_after_s, admission.reason)
            return _with_headers(response, OF_THE_MOMENT)
        content = encode(self._describe(request))
        return HttpResponse(content, content_type=JSON_TYPE, headers=OF_THE_MOMENT)

    def _post(self, request: HttpRequest) -> HttpResponse:
        terms = self._gate.terms(request)
        blocked = terms.blocked
        if blocked is not None:
            self._tell(request, Exchange((), Outcome.BLOCKED))
            return _blocked(blocked)
        refusal, body = None, _Body((), is_batch=False)
        try:
            body = _read(request, terms)
        except RefusedRequestError as error:
            refusal = error
        admission = terms.admit(cost=max(len(body.messages), 1))
        reply = self._reply(request, body, refusal=refusal, admission=admission)
        self._tell(request, Exchange(reply.handled, reply.outcome, *body.client))
        return _with_headers(reply.response, {**OF_THE_MOMENT, **admission.headers})

    def _reply(
        self, request: HttpRequest, body: _Body, *, refusal: RefusedRequestError | None, admission: Admission
    ) -> _Reply:
        if admission.retry_after_s is not None:
            response = _too_many(body.id, admission.retry_after_s, admission.reason)
            return self._turned_away(body, Outcome.LIMITED, response)
        if refusal is not None:
            return _Reply(_error(refusal.status, refusal.error), Outcome.REFUSED, ())
        try:
            if not body.finds_version:
                check_version_header(request.META.get("HTTP_MCP_PROTOCOL_VERSION"))
        except InvalidRequestError as error:
            response = _error(HTTPStatus.BAD_REQUEST, error, message_id=body.id)
            return self._turned_away(body, Outcome.REFUSED, response)
        return self._answer(request, body)

    def _turned_away(self, body: _Body, outcome: Outcome, response: HttpResponse) -> _Reply:
        handled = tuple(self._dispatcher.turned_away(message, outcome) for message in body.messages)
        return _Reply(response, outcome, handled)

    def _answer(self, request: HttpRequest, body: _Body) -> _Reply:
        with one_request():
            results = [self._dispatcher.handle(message) for message in body.messages]
        handled = tuple(row for _, row in results)
        answers = [answer for answer, _ in results if answer is not None]
        if not answers:
            return _Reply(_bare(HTTPStatus.ACCEPTED), Outcome.OK, handled)
        content = b"[%b]" % b",".join(answers) if body.is_batch else answers[0]
        if handled[0].outcome is Outcome.REFUSED and not body.is_batch:
            return _Reply(_json(HTTPStatus.BAD_REQUEST, content), Outcome.REFUSED, handled)
        is_stream = wants_stream(request.META.get("HTTP_ACCEPT", ""))
        response = _stream(content) if is_stream else _json(HTTPStatus.OK, content)
        first, *others = {row.outcome for row in handled}
        return _Reply(response, Outcome.FAILED if others else first, handled)

    def _tell(self, request: HttpRequest, exchange: Exchange) -> None:
        try:
            self._record(request, exchange)
        except Exception:  # to lose a count is better than to lose an answer
            _log.exception("an exchange could not be recorded")


def _read(request: HttpRequest, terms: Terms) -> _Body:
    raw = read_body(request, most_bytes=terms.body_bytes)
    try:
        document = parse_json(raw)
    except ParseError as error:
        raise RefusedRequestError(HTTPStatus.BAD_REQUEST, error) from None
    if not isinstance(document, list):
        return _Body((read_message(document),), is_batch=False)
    most = terms.batch_messages
    if not 1 <= len(document) <= most:
        wrong_size = f"A batch must hold 1 to {most} messages; this one holds {len(document)}."
        raise RefusedRequestError(HTTPStatus.BAD_REQUEST, InvalidRequestError(wrong_size))
    return _Body([read_message(entry) for entry in document], is_batch=True)


def _client_info(params: object) -> tuple[str | None, str | None]:
    info = params.get("clientInfo") if isinstance(params, dict) else None
    if not isinstance(info, dict):
        return None, None
    return _client_text(info.get("name")), _client_text(info.get("version"))


def _client_text(sent: object) -> str | None:
    return sent[:CLIENT_TEXT_CHARACTERS] if isinstance(sent, str) else None


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


def _blocked(reason: str) -> HttpResponse:
    """The answer to a blocked client, of whose request nothing is read."""
    return _with_headers(_error(HTTPStatus.FORBIDDEN, BlockedError(reason)), OF_THE_MOMENT)


def _too_many(message_id: Id | None, retry_after_s: int, reason: str) -> HttpResponse:
    error = TooManyRequestsError(
        f"{reason} Try again in {retry_after_s} s.", data={"retryAfterSeconds": retry_after_s}
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
