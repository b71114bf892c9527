"""How each AI client is told of a server: links, files and commands, and how one sees that it worked.

Every client reads a configuration of its own, and the differences are small enough to be missed: the key
above the servers, the key of the address, the word for the transport.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from papertrade_site.docs import connect_links
from papertrade_site.docs.connect_links import Entry
from papertrade_site.docs.connect_shapes import (
    Button,
    Client,
    Snippet,
    bridge_config,
    command,
    json_file,
    name_and_url,
    server_url_file,
    url_file,
)
from papertrade_site.docs.notation import compact, spaced
from papertrade_site.docs.samples import Sample

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
"""What TOML takes as a key without quotes."""

_LOCAL_SUFFIXES: Final = (".localhost", ".local", ".internal", ".test")


def clients(at: Entry) -> tuple[Client, ...]:
    """Every client that there are instructions for, the most used first."""
    return tuple(client(at) for client in _CLIENTS)


def is_local(url: str) -> bool:
    """Whether an address can be reached from this machine or its own network alone, as its host tells.

    A client that runs at its maker's (Claude's connectors, ChatGPT) cannot connect there.
    """
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_SUFFIXES)


def _claude_code(at: Entry) -> Client:
    config = {"type": "http", "url": at.url}
    return Client(
        title="Claude Code",
        note="Add `--scope user` to have the server in every project, or keep the file in a project for "
        "everybody who works on it.",
        snippets=(
            command("claude", "mcp", "add", "--transport", "http", at.name, at.url),
            command("claude", "mcp", "add-json", at.name, compact(config)),
            json_file(".mcp.json", {"mcpServers": {at.name: config}}),
        ),
        check="`claude mcp list` says *Connected* beside the name, and `/mcp` in a session lists the tools.",
    )


def _claude(at: Entry) -> Client:
    connectors = "https://claude.ai/customize/connectors?modal=add-custom-connector"
    return Client(
        title="Claude web and desktop",
        note="Open the connectors (in the desktop app: *Settings*, *Connectors*, *Add custom connector*), "
        "paste the name and the URL, and leave everything about authorization empty. Connectors are reached "
        "from Anthropic's servers, so the URL has to be public and `https`. The file is for the desktop app "
        "alone, which then starts a bridge on your machine; it needs Node.js, and a restart of the app.",
        buttons=(Button("Open Claude's connectors", connectors, connectors),),
        snippets=(
            *name_and_url(at),
            json_file("claude_desktop_config.json", {"mcpServers": {at.name: bridge_config(at)}}),
        ),
        check="The menu of tools below the message box lists the name, switched on.",
    )


def _chatgpt(at: Entry) -> Client:
    return Client(
        title="ChatGPT",
        note="Turn on developer mode (*Settings*, *Apps*, *Advanced*), create an app with the name and the "
        "URL and without authentication, and choose the app in a chat. ChatGPT connects from OpenAI's "
        "servers, so the URL has to be public and `https`. Without developer mode it takes only servers that "
        "search and fetch documents, which this one does not.",
        snippets=name_and_url(at),
        check="The app's page in the settings lists the tools, and the app can be chosen in a chat.",
    )


def _cursor(at: Entry) -> Client:
    return Client(
        title="Cursor",
        note="The file may also stand in a project, as `.cursor/mcp.json`.",
        buttons=(Button("Add to Cursor", connect_links.cursor(at), connect_links.cursor_web(at)),),
        snippets=(url_file("~/.cursor/mcp.json", at),),
        check="In Cursor's settings the list of MCP servers shows the name with a green dot and its tools.",
    )


def _vscode(at: Entry) -> Client:
    config = {"name": at.name, "type": "http", "url": at.url}
    return Client(
        title="VS Code",
        note="The key is `servers` here, not `mcpServers`.",
        buttons=(
            Button("Add to VS Code", connect_links.vscode(at), connect_links.vscode_web(at)),
            Button(
                "Add to VS Code Insiders",
                connect_links.vscode(at, insiders=True),
                connect_links.vscode_web(at, insiders=True),
            ),
        ),
        snippets=(
            command("code", "--add-mcp", compact(config)),
            json_file(".vscode/mcp.json", {"servers": {at.name: {"type": "http", "url": at.url}}}),
        ),
        check="*MCP: List Servers* in the command palette says *Running*, and the chat's agent mode offers "
        "the tools.",
    )


def _visual_studio(at: Entry) -> Client:
    link = connect_links.visual_studio(at)
    return Client(
        title="Visual Studio",
        note="The file stands beside the solution. The key is `servers` here, not `mcpServers`.",
        buttons=(Button("Add to Visual Studio", link, link),),
        snippets=(json_file(".mcp.json", {"servers": {at.name: {"type": "http", "url": at.url}}}),),
        check="Copilot's agent mode offers the tools.",
    )


def _codex(at: Entry) -> Client:
    key = at.name if _BARE_KEY.fullmatch(at.name) else spaced(at.name)
    return Client(
        title="Codex",
        snippets=(
            command("codex", "mcp", "add", at.name, "--url", at.url),
            Snippet("~/.codex/config.toml", "toml", f"[mcp_servers.{key}]\nurl = {spaced(at.url)}"),
        ),
        check="`codex mcp list` shows the name as enabled, and `/mcp` in a session lists the tools.",
    )


def _gemini(at: Entry) -> Client:
    return Client(
        title="Gemini CLI",
        note="The key is `httpUrl`: with `url` Gemini takes the server for one of the older kind (SSE), and "
        "gets a 405.",
        snippets=(
            command("gemini", "mcp", "add", "--transport", "http", at.name, at.url),
            json_file("~/.gemini/settings.json", {"mcpServers": {at.name: {"httpUrl": at.url}}}),
        ),
        check="`gemini mcp list` says *Connected* beside the name, and `/mcp` in a session lists the tools.",
    )


def _copilot_cli(at: Entry) -> Client:
    config = {"type": "http", "url": at.url, "tools": ["*"]}
    return Client(
        title="Copilot CLI",
        snippets=(json_file("~/.copilot/mcp-config.json", {"mcpServers": {at.name: config}}),),
        check="`/mcp show` in a session lists the name.",
    )


def _windsurf(at: Entry) -> Client:
    return Client(
        title="Windsurf and Devin Desktop",
        note="The key is `serverUrl`.",
        snippets=(server_url_file("~/.codeium/windsurf/mcp_config.json", at),),
        check="The assistant's list of MCP servers shows the tools once it is refreshed.",
    )


def _antigravity(at: Entry) -> Client:
    return Client(
        title="Antigravity",
        note="The key is `serverUrl`.",
        snippets=(server_url_file("~/.gemini/antigravity/mcp_config.json", at),),
        check="The agent's list of MCP servers shows the name with its tools.",
    )


def _zed(at: Entry) -> Client:
    return Client(
        title="Zed",
        note="The key is `context_servers`.",
        snippets=(json_file("settings.json", {"context_servers": {at.name: {"url": at.url}}}),),
        check="The settings of the agent panel show the name with a green dot.",
    )


def _goose(at: Entry) -> Client:
    name, url = spaced(at.name), spaced(at.url)  # YAML reads text in the quotes of JSON
    lines = (
        "extensions:",
        f"  {name}:",
        f"    name: {name}",
        "    type: streamable_http",
        f"    uri: {url}",
        "    enabled: true",
    )
    return Client(
        title="Goose",
        note="The type has to be `streamable_http`; without it Goose takes the server for one of the older "
        "kind (SSE).",
        buttons=(Button("Add to Goose", connect_links.goose(at), None),),
        snippets=(Snippet("~/.config/goose/config.yaml", "yaml", "\n".join(lines)),),
        check="The list of extensions shows the name, switched on.",
    )


def _lm_studio(at: Entry) -> Client:
    return Client(
        title="LM Studio",
        buttons=(Button("Add to LM Studio", connect_links.lm_studio(at), connect_links.lm_studio_web(at)),),
        snippets=(url_file("~/.lmstudio/mcp.json", at),),
        check="The integrations of a chat list the name; switched on, it shows its tools.",
    )


def _kiro(at: Entry) -> Client:
    link = connect_links.kiro(at)
    return Client(
        title="Kiro",
        buttons=(Button("Add to Kiro", link, link),),
        snippets=(url_file("~/.kiro/settings/mcp.json", at),),
        check="Kiro's panel lists the name among its MCP servers as connected.",
    )


def _opencode(at: Entry) -> Client:
    config = {"type": "remote", "url": at.url, "enabled": True, "oauth": False}
    return Client(
        title="opencode",
        note="`oauth` is off so that opencode does not look for an authorization server, because there is "
        "none.",
        snippets=(json_file("opencode.json", {"mcp": {at.name: config}}),),
        check="`opencode mcp list` shows the name as connected.",
    )


def _roo_code(at: Entry) -> Client:
    config = {"type": "streamable-http", "url": at.url}
    return Client(
        title="Roo Code",
        note="The type is written with a hyphen.",
        snippets=(json_file(".roo/mcp.json", {"mcpServers": {at.name: config}}),),
        check="The view of MCP servers shows the name with a green dot.",
    )


def _cline(at: Entry) -> Client:
    return Client(
        title="Cline, JetBrains and Trae",
        note="Each takes this in its MCP settings; Cline keeps it in the file named here.",
        snippets=(url_file("cline_mcp_settings.json", at),),
        check="The client's list of MCP servers shows the name as connected.",
    )


def _amp(at: Entry) -> Client:
    return Client(
        title="Amp",
        snippets=(command("amp", "mcp", "add", at.name, at.url),),
        check="`amp tools list` names the tools.",
    )


def _inspector(at: Entry) -> Client:
    inspector = ("npx", "@modelcontextprotocol/inspector")
    terminal = (*inspector, "--cli", at.url, "--transport", "http", "--method")
    return Client(
        title="MCP Inspector",
        note="The tool that the protocol's authors look at servers with. It needs Node.js. The first command "
        "lists the tools in the terminal, the second calls one; for another put in its name and its "
        "arguments, with one `--tool-arg` each. The third opens a page in the browser, in which you choose "
        "*Streamable HTTP* and paste the URL.",
        snippets=(
            command(*terminal, "tools/list"),
            command(*terminal, "tools/call", "--tool-name", at.sample.tool, *_tool_arguments(at.sample)),
            command(*inspector),
            Snippet("URL", "", at.url),
        ),
        check="The terminal shows the tools as JSON; the page says *Connected*.",
    )


def _tool_arguments(sample: Sample) -> Iterator[str]:
    for name, value in sample.arguments.items():
        yield from ("--tool-arg", f"{name}={value if isinstance(value, str) else spaced(value)}")


def _any(at: Entry) -> Client:
    bridge = bridge_config(at)
    return Client(
        title="Any other client",
        note="The transport is *streamable HTTP*, and there is no authorization. The first command asks "
        "which of the clients on your machine to add the server to. A client that can only start programs "
        "starts the second one, a bridge. Both need Node.js.",
        snippets=(
            Snippet("URL", "", at.url),
            command("npx", "add-mcp", at.url),
            command(bridge["command"], *bridge["args"]),
        ),
        check="The client lists the tools.",
    )


_CLIENTS: Final[tuple[Callable[[Entry], Client], ...]] = (
    *(_claude_code, _claude, _chatgpt, _cursor, _vscode, _codex, _gemini, _copilot_cli, _visual_studio),
    *(_windsurf, _antigravity, _zed, _goose, _lm_studio, _kiro, _opencode, _roo_code, _cline, _amp),
    *(_inspector, _any),
)
