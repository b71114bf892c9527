"""Every JSON-RPC error that a caller can meet: with which HTTP status it comes, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from papertrade_site.mcp.errors import (
    InvalidParamsError,
    InvalidRequestError,
    McpError,
    MethodNotFoundError,
    ParseError,
    TooManyRequestsError,
)
from papertrade_site.mcp.negotiation import ACCEPTED_IN_HEADER


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One way to be refused; ``status`` is the HTTP status that it comes with."""

    error: type[McpError]
    status: int
    why: str
    what_to_do: str

    @property
    def code(self) -> int:
        """The JSON-RPC code."""
        return self.error.code


ERROR_KINDS: Final = (
    ErrorKind(
        ParseError,
        400,
        "The body is not JSON, is not UTF-8, or is nested or repeats keys in a way that is not read.",
        "Send one JSON object, or an array of them.",
    ),
    ErrorKind(
        InvalidRequestError,
        400,
        "The JSON is no JSON-RPC message, the batch is empty or too long, or the header "
        "`MCP-Protocol-Version` names a version unknown here.",
        "Compare the message with the examples. Send fewer messages at once. Remove the header, or pin one of"
        f" {', '.join(sorted(ACCEPTED_IN_HEADER, reverse=True))}.",
    ),
    ErrorKind(
        InvalidRequestError,
        405,
        "The method of HTTP is not for this address: `DELETE`, or `GET` for an event stream.",
        "Nothing. There is no session to end and no stream to open; clients go on without.",
    ),
    ErrorKind(
        InvalidRequestError,
        413,
        "The body is larger than the limit.",
        "Send less at once.",
    ),
    ErrorKind(
        InvalidRequestError,
        415,
        "The body is not sent as `application/json`, or is compressed.",
        "Set `Content-Type: application/json`, and do not compress.",
    ),
    ErrorKind(
        MethodNotFoundError,
        200,
        "The server has no such method. The message lists those it has.",
        "Call one of the methods above.",
    ),
    ErrorKind(
        InvalidParamsError,
        200,
        "There is no such tool, or the parameters are of the wrong shape.",
        "Read the message: it names what is wrong, and what is allowed.",
    ),
    ErrorKind(
        TooManyRequestsError,
        429,
        "The client has used up its messages of this window.",
        "Wait for as many seconds as `Retry-After` says; `data.retryAfterSeconds` says the same.",
    ),
)
"""In the order of the codes, and of the statuses within one."""
