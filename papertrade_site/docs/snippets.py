"""A call of a tool as people write it down: a curl command, Python, TypeScript, and the bare message.

Each is a text with one gap, which the arguments fill as a literal of the language. The playground fills the
same texts in the browser, so that a copied call never differs from a printed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from papertrade_site.docs.notation import compact, spaced

GAP: Final = (
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}arguments\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"
)
"""Stands in a template where the arguments go; no address and no tool has it."""

Value = str | bool | int | float

_POST: Final = """\
curl -s {url} \\
  -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
  -d '{body}'"""

_CALL: Final = (
    '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{gap}}}}}'
)

_PYTHON: Final = """\
# pip install "mcp>=2"
import asyncio

from mcp import Client


async def main():
    async with Client("{url}") as client:
        result = await client.call_tool("{tool}", {gap})
        print(result.structured_content or result.content[0].text)


asyncio.run(main())"""

_TYPESCRIPT: Final = """\
// npm install @modelcontextprotocol/client
import {{ Client, StreamableHTTPClientTransport }} from "@modelcontextprotocol/client";

const client = new Client({{ name: "example", version: "1.0.0" }});
await client.connect(new StreamableHTTPClientTransport(new URL("{url}")));
const result = await client.callTool({{ name: "{tool}", arguments: {gap} }});
console.log(result.structuredContent ?? result.content);
await client.close();"""

_JSON_RPC: Final = """\
{{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {{
    "name": "{tool}",
    "arguments": {gap}
  }}
}}"""


@dataclass(frozen=True, slots=True)
class Language:
    """A way to write a call down.

    Attributes:
        slug: ``curl``, ``python``, ``typescript`` or ``json``; the playground's script knows it too.
        title: for people.
        lexer: what colours its code.
    """

    slug: str
    title: str
    lexer: str
    _text: str
    _literal: Callable[[Mapping[str, Value]], str]

    def template(self, url: str, tool: str) -> str:
        """The code of a call with ``GAP`` where its arguments go."""
        return self._text.format(url=url, tool=tool, gap=GAP)

    def code(self, url: str, tool: str, arguments: Mapping[str, Value]) -> str:
        """The code of a call, without a line break at its end.

        Args:
            url: the address of the endpoint.
            tool: the tool's name.
            arguments: its arguments by name.
        """
        return self.template(url, tool).replace(GAP, self._literal(arguments))


def curl(url: str, message: str) -> str:
    """A command that sends a message, or several as a batch, in JSON without single quotes."""
    return _POST.format(url=url, body=message)


def _in_shell_quotes(arguments: Mapping[str, Value]) -> str:
    return compact(arguments).replace("'", "'\\''")


def _python(arguments: Mapping[str, Value]) -> str:
    """A dict display: text and numbers are written as in JSON, truth values are not."""
    rows = (
        f"{spaced(name)}: {value if isinstance(value, bool) else spaced(value)}"
        for name, value in arguments.items()
    )
    return "{" + ", ".join(rows) + "}"


LANGUAGES: Final = (
    Language("curl", "curl", "bash", _POST.replace("{body}", _CALL), _in_shell_quotes),
    Language("python", "Python", "python", _PYTHON, _python),
    Language("typescript", "TypeScript", "typescript", _TYPESCRIPT, spaced),
    Language("json", "JSON-RPC", "json", _JSON_RPC, spaced),
)
"""Every way, in the order of their tabs."""
