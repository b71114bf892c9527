"""The methods of the protocol: from one message to the bytes of its answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from pydantic import BaseModel

from papertrade_site.mcp.admission import NOTIFICATION, OTHER_METHOD, Handled, Outcome
from papertrade_site.mcp.errors import (
    InvalidParamsError,
    McpError,
    MethodNotFoundError,
    ToolError,
    shown,
)
from papertrade_site.mcp.jsonrpc import (
    Call,
    Invalid,
    Message,
    Params,
    encode,
    error_message,
    result_message,
)
from papertrade_site.mcp.negotiation import PROTOCOL_VERSIONS, agree_on_version
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Answer, BadArgumentsError, Tool
from papertrade_site.memory import LruCache

_log = logging.getLogger(__name__)

UNFORESEEN: Final = (
    "The tool failed for a reason that lies in this server, not in your arguments; it has been recorded. "
    "Try again in a minute, or use another tool."
)


KEPT_BYTES: Final = 8_000_000
"""Bytes of tools' results that a process keeps per server: hundreds of usual ones, whoever asks for what."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a method as bytes, and what is told of it."""

    content: bytes
    outcome: Outcome = Outcome.OK
    reused: bool = False


@dataclass(frozen=True, slots=True)
class _Kept:
    """A result as it is sent again, and whether it may be."""

    result: _Result
    is_current: Callable[[], bool]


def _always_open(_: str) -> None:
    """Every tool can be called."""


class Dispatcher:
    """Answers messages for one server; used by all threads of a process.

    What does not depend on the message is encoded once, here. A tool's result is kept, and sent again for
    the same arguments as long as the tool would find the very same.

    Args:
        server: the server's declaration.
        closed: why a tool cannot be called now, in sentences for the caller; None when it can.
    """

    def __init__(self, server: Server, *, closed: Callable[[str], str | None] = _always_open) -> None:
        self._server = server
        self._closed = closed
        self._kept: LruCache[_Kept] = LruCache(KEPT_BYTES, weigh=lambda kept: len(kept.result.content))
        self._initialize_results = {
            version: _Result(encode(_initialize_result(server, version))) for version in PROTOCOL_VERSIONS
        }
        pong = _Result(b"{}")
        self._methods: dict[str, Callable[[Params], _Result]] = {
            "initialize": self._initialize,
            "ping": lambda _: pong,
            "tools/list": _single_page({"tools": [tool.listing() for tool in server.tools]}),
            "tools/call": self._call_tool,
            "resources/list": _single_page({"resources": []}),
            "resources/templates/list": _single_page({"resourceTemplates": []}),
            "prompts/list": _single_page({"prompts": []}),
        }

    def answer(self, message: Message) -> bytes | None:
        """The answer to one message, or None when it wants none."""
        return self.handle(message)[0]

    def handle(self, message: Message) -> tuple[bytes | None, Handled]:
        """The answer to one message, or None when it wants none, and what became of it."""
        started = perf_counter()
        content, outcome, reused = self._answered(message)
        method, tool = self._named(message)
        return content, Handled(method, tool, outcome, perf_counter() - started, reused)

    def turned_away(self, message: Message, outcome: Outcome) -> Handled:
        """What becomes of a message of a request that is turned away as a whole."""
        method, tool = self._named(message)
        return Handled(method, tool, outcome, 0.0, reused=False)

    def _answered(self, message: Message) -> tuple[bytes | None, Outcome, bool]:
        if isinstance(message, Call):
            try:
                result = self._result(message)
            except McpError as error:
                return error_message(message.id, error), Outcome.FAILED, False
            return result_message(message.id, result.content), result.outcome, result.reused
        if isinstance(message, Invalid):
            return error_message(message.id, message.error), Outcome.REFUSED, False
        return None, Outcome.OK, False

    def _named(self, message: Message) -> tuple[str, str | None]:
        """The method and the tool of a message, as far as the server has them."""
        if not isinstance(message, Call):
            return OTHER_METHOD if isinstance(message, Invalid) else NOTIFICATION, None
        if message.method not in self._methods:
            return OTHER_METHOD, None
        tool = message.params.get("name") if isinstance(message.params, dict) else None
        is_call = message.method == "tools/call" and isinstance(tool, str)
        return message.method, tool if is_call and tool in self._server.tools_by_name else None

    def _result(self, call: Call) -> _Result:
        method = self._methods.get(call.method)
        if method is None:
            known = ", ".join(self._methods)
            raise MethodNotFoundError(f"There is no method {shown(call.method)}; this server has {known}.")
        return method(call.named_params())

    def _initialize(self, params: Params) -> _Result:
        return self._initialize_results[agree_on_version(params.get("protocolVersion"))]

    def _call_tool(self, params: Params) -> _Result:
        tool = self._tool_named(params.get("name"))
        closed = self._closed(tool.name)
        if closed is not None:
            return _failure(tool.preface + closed, Outcome.BLOCKED)
        sent = params.get("arguments")
        if sent is not None and not isinstance(sent, dict):
            raise InvalidParamsError("The arguments of a tool must be an object.")
        try:
            return self._found(tool, tool.checked(sent or {}))
        except BadArgumentsError as error:
            return self._bad_arguments(tool, error)
        except ToolError as error:
            return _failure(f"{tool.preface}{error}")
        except Exception:  # a bug in one tool must cost neither the batch it stands in nor an HTTP 500
            _log.exception("the tool %s raised what it should not", tool.name)
            return _failure(tool.preface + UNFORESEEN)

    def _tool_named(self, name: object) -> Tool[Any]:
        tool = self._server.tools_by_name.get(name) if isinstance(name, str) else None
        if tool is None:
            known = ", ".join(self._server.tools_by_name)
            wrong = (
                f"There is no tool {shown(name)}" if isinstance(name, str) else "A tool's name must be text"
            )
            raise InvalidParamsError(f"{wrong}; this server has {known}.")
        return tool

    def _bad_arguments(self, tool: Tool[Any], error: BadArgumentsError) -> _Result:
        text = f"{tool.preface}Wrong arguments for {tool.name}: {error}"
        if self._server.bad_arguments_are_results:
            return _failure(text)
        raise InvalidParamsError(text, data={"errors": [fault.json() for fault in error.faults]}) from None

    def _found(self, tool: Tool[Any], arguments: BaseModel) -> _Result:
        key = (tool.name, arguments.model_dump_json())
        kept = self._kept.get(key)
        if kept is not None and kept.is_current():
            return kept.result
        answer = tool.answer(arguments)
        content = self._success(answer)
        if answer.is_current():
            self._kept.put(key, _Kept(_Result(content, reused=True), answer.is_current))
        return _Result(content)

    def _success(self, answer: Answer) -> bytes:
        structured = answer.result.model_dump_json(by_alias=True, ensure_ascii=True)
        texts = [answer.summary, structured] if self._server.repeats_json else [answer.summary]
        return b'{"content":%b,"structuredContent":%b,"isError":false}' % (
            encode([_text(text) for text in texts]),
            structured.encode("ascii"),
        )


def _initialize_result(server: Server, version: str) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": server.info_name, "title": server.title, "version": server.version},
        "instructions": server.instructions,
    }


def _single_page(page: dict[str, Any]) -> Callable[[Params], _Result]:
    """A method that answers a list whole, and so never gave anybody a cursor."""
    result = _Result(encode(page))

    def whole_list(params: Params) -> _Result:
        if params.get("cursor") is not None:
            raise InvalidParamsError("There is one page only; leave cursor out.")
        return result

    return whole_list


def _failure(text: str, outcome: Outcome = Outcome.FAILED) -> _Result:
    return _Result(encode({"content": [_text(text)], "isError": True}), outcome)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
