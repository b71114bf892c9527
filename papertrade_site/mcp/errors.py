"""What can go wrong in a call.

::

    McpError                        answered as a JSON-RPC error
    ├── ParseError          -32700  the body is not JSON
    ├── InvalidRequestError -32600  the JSON is not a JSON-RPC message, or a rule of HTTP was broken
    ├── MethodNotFoundError -32601
    ├── InvalidParamsError  -32602  parameters, an unknown tool, or arguments
    ├── TooManyRequestsError -32000 the caller has used up its limit
    └── BlockedError        -32000  the caller's network may send nothing
    RefusedRequestError             refused as a whole: an HTTP status with one of the above (``body.py``)
    BadArgumentsError               answered as -32602 or as ToolError, as the server declares (``tool.py``)
    ToolError                       answered as a result with ``isError: true``

Messages are shown to people and models: one for a model ends with a way on, and none repeats what the
caller sent but through ``shown`` and ``cut``. Whatever a tool raises beside the last two is a bug: it is
logged whole, and the caller gets a result with ``isError: true`` that tells none of it.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Final

SHOWN_CHARACTERS: Final = 60
"""The most of a caller's own text that a message repeats."""


class McpError(Exception):
    """A JSON-RPC error.

    Attributes:
        code: the JSON-RPC error code.
        message: one or more sentences for the caller.
        data: more for programs, or None.
    """

    code: ClassVar[int]

    def __init__(self, message: str, *, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class ParseError(McpError):
    """The body is not JSON that this server reads."""

    code = -32700


class InvalidRequestError(McpError):
    """The JSON is not a JSON-RPC message, or the request breaks a rule of the endpoint."""

    code = -32600


class MethodNotFoundError(McpError):
    """The method is not one that this server has."""

    code = -32601


class InvalidParamsError(McpError):
    """The parameters of a method, the name of a tool, or its arguments are wrong."""

    code = -32602


class TooManyRequestsError(McpError):
    """The caller has used up its limit for now."""

    code = -32000


class BlockedError(McpError):
    """The operator lets nothing in from the caller's network."""

    code = -32000


class ToolError(Exception):
    """A tool cannot do what was asked; its text says why, and how the caller can go on."""


def cut(text: str) -> str:
    """A caller's text as an error repeats it: at most ``SHOWN_CHARACTERS`` of it."""
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def shown(value: object) -> str:
    """A caller's JSON value as an error repeats it: as JSON in visible characters, cut short."""
    text = json.dumps(value, ensure_ascii=False)
    return cut("".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text))
