"""Links that add a server to an AI client, in the exact encoding that each client decodes.

Three shapes are in use: JSON in base64 (the standard alphabet, then percent-encoded), percent-encoded JSON,
and plain query parameters. JSON is compact. Nothing is left unescaped that means anything in a link, in HTML
or in Markdown.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import quote

from papertrade_site.docs.notation import compact
from papertrade_site.docs.samples import Sample


@dataclass(frozen=True, slots=True)
class Entry:
    """A server as a client is told of it.

    Attributes:
        name: a short name.
        url: the address of its endpoint.
        description: what it is for.
        sample: a call to try it by, with arguments.
    """

    name: str
    url: str
    description: str
    sample: Sample


def cursor(at: Entry) -> str:
    """Opens Cursor on this machine."""
    return f"cursor://anysphere.cursor-deeplink/mcp/install?{_named_base64(at)}"


def cursor_web(at: Entry) -> str:
    """A web page that opens Cursor, for places that allow no other links."""
    return f"https://cursor.com/en/install-mcp?{_named_base64(at)}"


def vscode(at: Entry, *, insiders: bool = False) -> str:
    """Opens VS Code on this machine."""
    scheme = "vscode-insiders" if insiders else "vscode"
    return f"{scheme}:mcp/install?{_json(_named(at, type='http'))}"


def vscode_web(at: Entry, *, insiders: bool = False) -> str:
    """A web page that opens VS Code."""
    config = _json({"type": "http", "url": at.url})
    quality = "&quality=insiders" if insiders else ""
    return (
        f"https://insiders.vscode.dev/redirect/mcp/install?name={_encoded(at.name)}&config={config}{quality}"
    )


def visual_studio(at: Entry) -> str:
    """A web page that opens Visual Studio."""
    return f"https://aka.ms/vs/mcp-install?{_json(_named(at, type='http'))}"


def lm_studio(at: Entry) -> str:
    """Opens LM Studio on this machine."""
    return f"lmstudio://add_mcp?{_named_base64(at)}"


def lm_studio_web(at: Entry) -> str:
    """A web page that opens LM Studio."""
    return f"https://lmstudio.ai/install-mcp?{_named_base64(at)}"


def kiro(at: Entry) -> str:
    """A web page that opens Kiro."""
    config = _json({"url": at.url})
    return f"https://kiro.dev/launch/mcp/add?name={_encoded(at.name)}&config={config}"


def goose(at: Entry) -> str:
    """Opens Goose on this machine; without the type it would take the server for one of events (SSE)."""
    fields = {
        "url": at.url,
        "type": "streamable_http",
        "id": at.name,
        "name": at.name,
        "description": at.description,
    }
    return "goose://extension?" + "&".join(f"{key}={_encoded(value)}" for key, value in fields.items())


def _named(at: Entry, **more: str) -> dict[str, str]:
    return {"name": at.name, **more, "url": at.url}


def _named_base64(at: Entry) -> str:
    config = b64encode(compact({"url": at.url}).encode()).decode("ascii")
    return f"name={_encoded(at.name)}&config={_encoded(config)}"


def _json(config: dict[str, str]) -> str:
    return _encoded(compact(config))


def _encoded(text: str) -> str:
    return quote(text, safe="")
