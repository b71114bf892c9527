"""What a server is: a declaration that each app makes once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from papertrade_site.mcp.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Server:
    """One MCP server.

    Attributes:
        slug: the short name by which the rest of the site knows it, such as in paths and limits.
        name: the registry name.
        info_name: what it calls itself to a client that connects.
        title: for people.
        version: of the server, not of the protocol.
        description: at most 100 characters.
        instructions: what a model is told on connecting: what this is for, how to start, what to distrust.
        tools: in the order that lists show them.
        bad_arguments_are_results: answer bad arguments as a result with ``isError`` instead of -32602.
        repeats_json: send the JSON of a result as a second text block too.
    """

    slug: str
    name: str
    info_name: str
    title: str
    version: str
    description: str
    instructions: str
    tools: tuple[Tool[Any], ...]
    bad_arguments_are_results: bool
    repeats_json: bool

    @cached_property
    def tools_by_name(self) -> dict[str, Tool[Any]]:
        """The tools by name."""
        return {tool.name: tool for tool in self.tools}
