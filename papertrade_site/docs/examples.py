"""A call of a tool as people copy it: for the shell, Python, TypeScript, and as bare JSON-RPC."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from papertrade_site.docs.markdown import fence


def message(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON-RPC message that calls a tool."""
    params = {"name": tool, "arguments": dict(arguments)}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def curl(endpoint: str, body: Mapping[str, Any]) -> str:
    """A message as a command for the shell."""
    text = json.dumps(body).replace("'", "'\\''")
    return (
        f"curl -s {endpoint} \\\n"
        "  -H 'content-type: application/json' -H 'accept: application/json' \\\n"
        f"  -d '{text}'"
    )


def python(endpoint: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """A call in Python, which needs ``httpx`` alone."""
    return (
        "import httpx\n\n"
        f"message = {_literal(message(tool, arguments))}\n"
        f'answer = httpx.post("{endpoint}", json=message).json()\n'
        'print(answer["result"]["structuredContent"])'
    )


def typescript(endpoint: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """A call in TypeScript or JavaScript, which needs ``fetch`` alone."""
    return (
        f"const message = {json.dumps(message(tool, arguments))};\n"
        f'const response = await fetch("{endpoint}", {{\n'
        '  method: "POST",\n'
        '  headers: { "content-type": "application/json" },\n'
        "  body: JSON.stringify(message),\n"
        "});\n"
        "const answer = await response.json();\n"
        "console.log(answer.result.structuredContent);"
    )


def all_forms(endpoint: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """The call in every form, as fences that name their tabs."""
    body = message(tool, arguments)
    blocks = (
        fence(curl(endpoint, body), 'bash title="curl"'),
        fence(python(endpoint, tool, arguments), 'python title="Python"'),
        fence(typescript(endpoint, tool, arguments), 'typescript title="TypeScript"'),
        fence(json.dumps(body, indent=2), 'json title="JSON-RPC"'),
    )
    return "\n\n".join(blocks)


def _literal(value: object) -> str:
    """A JSON value as Python writes it, with the double quotes of JSON."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(name)}: {_literal(each)}' for name, each in value.items())}}}"
    return str(value) if isinstance(value, bool) else json.dumps(value)
