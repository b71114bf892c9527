"""The methods of the protocol: from one message to the bytes of its answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from papertrade_site.mcp.errors import InvalidParamsError, McpError, MethodNotFoundError, ToolError
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
from papertrade_site.mcp.tool import Answer, BadArgumentsError


class Dispatcher:
    """Answers messages for one server; thread-safe, as it keeps nothing between them."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._methods: dict[str, Callable[[Params], bytes]] = {
            "initialize": self._initialize,
            "ping": lambda _: b"{}",
            "tools/list": self._list(encode({"tools": [tool.listing() for tool in server.tools]})),
            "tools/call": self._call_tool,
            "resources/list": self._list(b'{"resources":[]}'),
            "resources/templates/list": self._list(b'{"resourceTemplates":[]}'),
            "prompts/list": self._list(b'{"prompts":[]}'),
        }

    def answer(self, message: Message) -> bytes | None:
        """The answer to one message, or None when it wants none."""
        if isinstance(message, Invalid):
            return error_message(message.id, message.error)
        if not isinstance(message, Call):
            return None
        try:
            return result_message(message.id, self._result(message))
        except McpError as error:
            return error_message(message.id, error)

    def _result(self, call: Call) -> bytes:
        method = self._methods.get(call.method)
        if method is None:
            known = ", ".join(self._methods)
            raise MethodNotFoundError(f"There is no method {call.method[:60]!r}; this server has {known}.")
        return method(call.named_params())

    @cached_property
    def _initialize_results(self) -> dict[str, bytes]:
        server = self.server
        about = {"name": server.slug, "title": server.title, "version": server.version}
        return {
            version: encode(
                {
                    "protocolVersion": version,
                    "capabilities": {"tools": {"listChanged": False}},
                    "serverInfo": about,
                    "instructions": server.instructions,
                }
            )
            for version in PROTOCOL_VERSIONS
        }

    def _initialize(self, params: Params) -> bytes:
        return self._initialize_results[agree_on_version(params.get("protocolVersion"))]

    @staticmethod
    def _list(result: bytes) -> Callable[[Params], bytes]:
        def whole_list(params: Params) -> bytes:
            if params.get("cursor") is not None:
                raise InvalidParamsError("There is one page only; leave cursor out.")
            return result

        return whole_list

    def _call_tool(self, params: Params) -> bytes:
        name, sent = params.get("name"), params.get("arguments")
        tool = self.server.tools_by_name.get(name) if isinstance(name, str) else None
        if tool is None:
            known = ", ".join(self.server.tools_by_name)
            what = f"no tool {name[:60]!r}" if isinstance(name, str) else "no tool without a name"
            raise InvalidParamsError(f"There is {what}; this server has {known}.")
        if sent is not None and not isinstance(sent, dict):
            raise InvalidParamsError("The arguments of a tool must be an object.")
        try:
            return self._success(tool.answer(sent or {}))
        except BadArgumentsError as error:
            text = f"Wrong arguments for {tool.name}: {error}"
            if self.server.bad_arguments_are_results:
                return _failure(text)
            data = {"errors": [fault.json() for fault in error.faults]}
            raise InvalidParamsError(text, data=data) from None
        except ToolError as error:
            return _failure(str(error))

    def _success(self, answer: Answer) -> bytes:
        structured = answer.result.model_dump_json(by_alias=True)
        texts = [answer.summary, structured] if self.server.repeats_json else [answer.summary]
        return b'{"content":%b,"structuredContent":%b,"isError":false}' % (
            encode([_text(text) for text in texts]),
            structured.encode(),
        )


def _failure(text: str) -> bytes:
    return encode({"content": [_text(text)], "isError": True})


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
