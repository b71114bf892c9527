"""JSON-RPC 2.0 messages: what came in, and the bytes that go out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from papertrade_site.mcp.errors import InvalidParamsError, InvalidRequestError, McpError

VERSION: Final = "2.0"

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

Id: TypeAlias = str | int
Params: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A request that wants an answer. ``params`` is whatever was sent; ``named_params`` checks it."""

    id: Id
    method: str
    params: object

    def named_params(self) -> Params:
        """The parameters by name; absent and null count as none.

        Raises:
            InvalidParamsError: when they are not an object.
        """
        if self.params is None:
            return {}
        if not isinstance(self.params, dict):
            raise InvalidParamsError("The params of a request must be an object.")
        return self.params


@dataclass(frozen=True, slots=True)
class Silent:
    """A notification, or a response to a request that this server never makes: nothing is answered."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """Something that is no message; ``id`` is its id where it has a sound one."""

    id: Id | None
    error: InvalidRequestError


Message: TypeAlias = Call | Silent | Invalid


def read_message(document: object) -> Message:
    """Tell what one decoded JSON value is."""
    if not isinstance(document, dict):
        return Invalid(None, InvalidRequestError("A JSON-RPC message must be an object."))
    has_sound_id = _is_id(document.get("id"))
    message_id = document["id"] if has_sound_id else None
    if document.get("jsonrpc") != VERSION:
        return Invalid(message_id, InvalidRequestError('A JSON-RPC message must have "jsonrpc": "2.0".'))
    if "id" in document and not has_sound_id and "method" in document:
        return Invalid(None, InvalidRequestError("The id of a request must be a string or an integer."))
    if isinstance(document.get("method"), str):
        if "id" not in document:
            return Silent()
        return Call(document["id"], document["method"], document.get("params"))
    if "method" not in document and ("result" in document or "error" in document):
        return Silent()
    return Invalid(message_id, InvalidRequestError("A JSON-RPC request must name its method as a string."))


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def encode(value: object) -> bytes:
    """Compact JSON in ASCII, so that no text can break a line, a stream or a parser."""
    return _ENCODER.encode(value).encode("ascii")


def result_message(message_id: Id, result: bytes) -> bytes:
    """The answer to a request, from a result that is encoded already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(message_id), result)


def error_message(message_id: Id | None, error: McpError) -> bytes:
    """The answer that says what went wrong; the id is null when the request's is not known."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return encode({"jsonrpc": VERSION, "id": message_id, "error": body})
