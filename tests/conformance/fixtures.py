"""The tools that the conformance suite asks for, on a server of the project's own kernel.

The project's tools answer in text and data alone. The fixtures of other kinds of content are what the
suite has to see from any server, so this one's dispatcher, and no other, passes their blocks on as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from pydantic import BaseModel

from papertrade_site.mcp.admission import Admission
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.jsonrpc import encode
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Answer, Tool

PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
SILENCE: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
IMAGE: Final = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO: Final = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


class Nothing(BaseModel):
    """No arguments, and a result without fields."""


@dataclass(frozen=True, slots=True)
class Blocks(Answer):
    """An answer whose content is these blocks instead of its summary."""

    blocks: tuple[dict[str, Any], ...] = ()


class BlocksDispatcher(Dispatcher):
    """A dispatcher that knows ``Blocks``."""

    def _success(self, answer: Answer) -> bytes:
        if isinstance(answer, Blocks):
            return encode({"content": answer.blocks, "structuredContent": {}, "isError": False})
        return super()._success(answer)


@dataclass(frozen=True, slots=True)
class NoGate:
    """Lets everything in: what is tested is not the limits."""

    body_bytes: int = 65_536
    batch_messages: int = 5

    blocked: str | None = None

    def terms(self, _: HttpRequest) -> NoGate:
        """Hold everybody to the same."""
        return self

    def closed(self, _: str) -> str | None:
        """Every tool can be called."""
        return None

    def admit_reader(self) -> Admission:
        """Count nothing."""
        return Admission({})

    def admit(self, *, cost: int) -> Admission:
        """Count nothing."""
        del cost
        return Admission({})


def _fail(_: Nothing) -> Answer:
    raise ToolError("This tool intentionally returns an error for testing")


def _answering(*blocks: dict[str, Any]) -> Callable[[Nothing], Answer]:
    return lambda _: Blocks(Nothing(), "", blocks=blocks)


def _tool(name: str, call: Callable[[Nothing], Answer]) -> Tool[Nothing]:
    title = name.replace("_", " ").capitalize()
    return Tool(name=name, title=title, description=title, arguments=Nothing, result=Nothing, call=call)


def _resource(uri: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}}


SERVER: Final = Server(
    slug="conformance",
    name="org.example/conformance",
    info_name="example",
    title="Conformance",
    version="0.0.0",
    description="Fixtures of the conformance suite.",
    instructions="For tests alone.",
    tools=(
        _tool("test_simple_text", lambda _: Answer(Nothing(), "This is a simple text response for testing.")),
        _tool("test_error_handling", _fail),
        _tool("test_image_content", _answering(IMAGE)),
        _tool("test_audio_content", _answering(AUDIO)),
        _tool(
            "test_embedded_resource",
            _answering(
                _resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
            ),
        ),
        _tool(
            "test_multiple_content_types",
            _answering(
                {"type": "text", "text": "Multiple content types test:"},
                IMAGE,
                _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
            ),
        ),
    ),
    bad_arguments_are_results=False,
    repeats_json=False,
)

endpoint = Endpoint(SERVER, gate=NoGate(), describe=lambda _: {}, record=lambda _, __: None)
endpoint._dispatcher = BlocksDispatcher(SERVER)
