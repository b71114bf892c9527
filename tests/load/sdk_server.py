"""The official Python SDK's server: stateless, with plain JSON answers as long as ours.

It runs in an environment of its own, and is told by ``SDK_BENCH`` the arguments of each tool and how long
each answer shall be.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any

from mcp.server.mcpserver import MCPServer

TOLD: dict[str, Any] = json.loads(os.environ["SDK_BENCH"])


def answering(size: int, arguments: Mapping[str, object]) -> Callable[..., str]:
    """A function that takes arguments of these names and types and gives a text of so many characters."""

    def answer(**_: object) -> str:
        return "x" * size

    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=type(value)) for name, value in arguments.items()
    ]
    answer.__signature__ = Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    return answer


server = MCPServer("bench", instructions="x" * TOLD["initialize"], log_level="ERROR")
for name, tool in TOLD["tools"].items():
    # The descriptions make up nearly all of the list's length.
    description = "x" * (TOLD["tools/list"] // len(TOLD["tools"]))
    server.add_tool(
        answering(tool["size"], tool["arguments"]),
        name=name,
        description=description,
        structured_output=False,
    )
app = server.streamable_http_app(stateless_http=True, json_response=True)
