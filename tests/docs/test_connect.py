"""What clients are told of a server: every link and snippet is read back as its client would read it."""

from __future__ import annotations

import json
import shlex
import tomllib
from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import yaml
from django.test import Client as Browser
from pytest_django import Settings

from papertrade_site.docs import connect_links
from papertrade_site.docs.connect import clients, is_local
from papertrade_site.docs.connect_links import Entry
from papertrade_site.docs.connect_shapes import Client, Snippet
from papertrade_site.docs.samples import Sample, first_sample
from papertrade_site.servers import SERVERS
from tests.docs.markup import elements_of

SAMPLE: Final = Sample("get_bust_map", {"market": "BTC", "cascadePercent": 1, "history": True})
PLAIN: Final = Entry(
    "papertrade-liquidations",
    "https://papertrade-liquidations.pages.dev/mcp",
    "Where positions get liquidated.",
    SAMPLE,
)
ENTRIES: Final = [
    PLAIN,
    Entry("papertrade-analytics", "http://127.0.0.1:8000/analytics/mcp", "Figures of the protocol.", SAMPLE),
    Entry(
        'Papertrade\'s own (née 1) & 50%+"q"',
        "http://[::1]:8000/mcp?a=1&b=x%20y",
        'Q&A: 100% <b>"it\'s"</b>',
        SAMPLE,
    ),
]
BUTTONS: Final = [
    "cursor",
    "vs-code",
    "visual-studio",
    "goose",
    "lm-studio",
    "kiro",
    "claude-web-and-desktop",
]
CONFIGURATIONS: Final[dict[str, Callable[[Entry], dict[str, Any]]]] = {
    "claude-code .mcp.json": lambda at: {"mcpServers": {at.name: {"type": "http", "url": at.url}}},
    "cursor ~/.cursor/mcp.json": lambda at: {"mcpServers": {at.name: {"url": at.url}}},
    "vs-code .vscode/mcp.json": lambda at: {"servers": {at.name: {"type": "http", "url": at.url}}},
    "visual-studio .mcp.json": lambda at: {"servers": {at.name: {"type": "http", "url": at.url}}},
    "codex ~/.codex/config.toml": lambda at: {"mcp_servers": {at.name: {"url": at.url}}},
    "gemini-cli ~/.gemini/settings.json": lambda at: {"mcpServers": {at.name: {"httpUrl": at.url}}},
    "copilot-cli ~/.copilot/mcp-config.json": lambda at: {
        "mcpServers": {at.name: {"type": "http", "url": at.url, "tools": ["*"]}}
    },
    "windsurf-and-devin-desktop ~/.codeium/windsurf/mcp_config.json": lambda at: {
        "mcpServers": {at.name: {"serverUrl": at.url}}
    },
    "antigravity ~/.gemini/antigravity/mcp_config.json": lambda at: {
        "mcpServers": {at.name: {"serverUrl": at.url}}
    },
    "zed settings.json": lambda at: {"context_servers": {at.name: {"url": at.url}}},
    "goose ~/.config/goose/config.yaml": lambda at: {
        "extensions": {at.name: {"name": at.name, "type": "streamable_http", "uri": at.url, "enabled": True}}
    },
    "lm-studio ~/.lmstudio/mcp.json": lambda at: {"mcpServers": {at.name: {"url": at.url}}},
    "kiro ~/.kiro/settings/mcp.json": lambda at: {"mcpServers": {at.name: {"url": at.url}}},
    "opencode opencode.json": lambda at: {
        "mcp": {at.name: {"type": "remote", "url": at.url, "enabled": True, "oauth": False}}
    },
    "roo-code .roo/mcp.json": lambda at: {
        "mcpServers": {at.name: {"type": "streamable-http", "url": at.url}}
    },
    "cline-jetbrains-and-trae cline_mcp_settings.json": lambda at: {"mcpServers": {at.name: {"url": at.url}}},
}
"""What each file holds; the bridge of Claude's desktop app has a test of its own."""

COMMANDS: Final[dict[str, Callable[[Entry], list[list[str]]]]] = {
    "claude-code": lambda at: [
        ["claude", "mcp", "add", "--transport", "http", at.name, at.url],
        ["claude", "mcp", "add-json", at.name, _compact({"type": "http", "url": at.url})],
    ],
    "vs-code": lambda at: [
        ["code", "--add-mcp", _compact({"name": at.name, "type": "http", "url": at.url})],
    ],
    "codex": lambda at: [["codex", "mcp", "add", at.name, "--url", at.url]],
    "gemini-cli": lambda at: [["gemini", "mcp", "add", "--transport", "http", at.name, at.url]],
    "amp": lambda at: [["amp", "mcp", "add", at.name, at.url]],
    "mcp-inspector": lambda at: [
        [
            *("npx", "@modelcontextprotocol/inspector", "--cli", at.url),
            *("--transport", "http", "--method", "tools/list"),
        ],
        [
            *("npx", "@modelcontextprotocol/inspector", "--cli", at.url),
            *("--transport", "http", "--method", "tools/call", "--tool-name", "get_bust_map"),
            *("--tool-arg", "market=BTC", "--tool-arg", "cascadePercent=1", "--tool-arg", "history=true"),
        ],
        ["npx", "@modelcontextprotocol/inspector"],
    ],
}

entries = pytest.mark.parametrize("at", ENTRIES, ids=lambda at: at.name)


def _compact(config: object) -> str:
    return json.dumps(config, ensure_ascii=False, separators=(",", ":"))


def _fields(link: str) -> dict[str, str]:
    """The parameters of a link, none of which may be given twice."""
    found = parse_qs(link.partition("?")[2], keep_blank_values=True, strict_parsing=True)
    assert {len(values) for values in found.values()} == {1}
    return {name: values[0] for name, values in found.items()}


def _from_base64(link: str) -> tuple[str, str]:
    """Name and configuration of a link whose configuration is in the standard alphabet of base64."""
    fields = _fields(link)
    assert set(fields) == {"name", "config"}
    return fields["name"], b64decode(fields["config"], validate=True).decode()


def _without_spaces_where_json_needs_none(text: str) -> dict[str, Any]:
    config: dict[str, Any] = json.loads(text)
    assert text == _compact(config)
    return config


@entries
@pytest.mark.parametrize(
    ("link", "start"),
    [
        (connect_links.cursor, "cursor://anysphere.cursor-deeplink/mcp/install?"),
        (connect_links.cursor_web, "https://cursor.com/en/install-mcp?"),
        (connect_links.lm_studio, "lmstudio://add_mcp?"),
        (connect_links.lm_studio_web, "https://lmstudio.ai/install-mcp?"),
    ],
)
def test_a_link_in_base64_decodes_to_name_and_url(
    link: Callable[[Entry], str], start: str, at: Entry
) -> None:
    assert link(at).startswith(start)
    name, config = _from_base64(link(at))
    assert name == at.name
    assert _without_spaces_where_json_needs_none(config) == {"url": at.url}


def test_the_link_of_cursor_is_the_one_that_its_documentation_describes() -> None:
    assert connect_links.cursor(PLAIN) == (
        "cursor://anysphere.cursor-deeplink/mcp/install?name=papertrade-liquidations&config="
        "eyJ1cmwiOiJodHRwczovL3BhcGVydHJhZGUtbGlxdWlkYXRpb25zLnBhZ2VzLmRldi9tY3AifQ%3D%3D"
    )


@entries
@pytest.mark.parametrize(("insiders", "scheme"), [(False, "vscode"), (True, "vscode-insiders")])
def test_the_link_of_vs_code_is_its_configuration_alone(insiders: bool, scheme: str, at: Entry) -> None:
    start, _, config = connect_links.vscode(at, insiders=insiders).partition("?")
    assert start == f"{scheme}:mcp/install"
    expected = {"name": at.name, "type": "http", "url": at.url}
    assert _without_spaces_where_json_needs_none(unquote(config)) == expected


def test_the_link_of_vs_code_leaves_no_sign_of_the_configuration_as_it_is() -> None:
    assert connect_links.vscode(PLAIN) == (
        "vscode:mcp/install?%7B%22name%22%3A%22papertrade-liquidations%22%2C%22type%22%3A%22http%22%2C"
        "%22url%22%3A%22https%3A%2F%2Fpapertrade-liquidations.pages.dev%2Fmcp%22%7D"
    )


@entries
@pytest.mark.parametrize("insiders", [False, True])
def test_the_web_link_of_vs_code_names_the_server_beside_its_configuration(insiders: bool, at: Entry) -> None:
    link = connect_links.vscode_web(at, insiders=insiders)
    fields = _fields(link)
    assert link.startswith("https://insiders.vscode.dev/redirect/mcp/install?")
    assert fields.pop("quality", None) == ("insiders" if insiders else None)
    config = _without_spaces_where_json_needs_none(fields.pop("config"))
    assert (config, fields) == ({"type": "http", "url": at.url}, {"name": at.name})


@entries
def test_the_link_of_visual_studio_is_its_configuration_alone(at: Entry) -> None:
    start, _, config = connect_links.visual_studio(at).partition("?")
    assert start == "https://aka.ms/vs/mcp-install"
    assert json.loads(unquote(config)) == {"name": at.name, "type": "http", "url": at.url}


@entries
def test_the_link_of_kiro_holds_json(at: Entry) -> None:
    fields = _fields(connect_links.kiro(at))
    assert connect_links.kiro(at).startswith("https://kiro.dev/launch/mcp/add?")
    assert (fields["name"], json.loads(fields["config"])) == (at.name, {"url": at.url})


@entries
def test_the_link_of_goose_says_that_the_server_speaks_streamable_http(at: Entry) -> None:
    assert connect_links.goose(at).startswith("goose://extension?")
    assert _fields(connect_links.goose(at)) == {
        "url": at.url,
        "type": "streamable_http",
        "id": at.name,
        "name": at.name,
        "description": at.description,
    }


@entries
def test_no_link_holds_a_sign_that_ends_it_in_html_or_markdown(at: Entry) -> None:
    for client in clients(at):
        for button in client.buttons:
            for link in filter(None, (button.href, button.web)):
                assert not set(link) & set(" \"'<>()[]`|\\\n"), link
                assert link.isascii()


def test_every_link_that_opens_an_app_has_a_web_page_beside_it_where_the_client_offers_one() -> None:
    buttons = {client.slug: client.buttons for client in clients(PLAIN) if client.buttons}
    assert set(buttons) == set(BUTTONS)
    without = {slug for slug, all_of_it in buttons.items() if any(button.web is None for button in all_of_it)}
    assert without == {"goose"}
    webs = [button.web for all_of_it in buttons.values() for button in all_of_it if button.web]
    assert {urlsplit(web).scheme for web in webs} == {"https"}


@entries
def test_every_file_holds_what_its_client_reads(at: Entry) -> None:
    files = {
        f"{client.slug} {snippet.where}": _parsed(snippet)
        for client in clients(at)
        for snippet in client.snippets
        if snippet.is_file and snippet.where != "claude_desktop_config.json"
    }
    assert files == {name: config(at) for name, config in CONFIGURATIONS.items()}


def _parsed(snippet: Snippet) -> dict[str, Any]:
    if snippet.language == "toml":
        return tomllib.loads(snippet.code)
    config: dict[str, Any] = (json.loads if snippet.language == "json" else yaml.safe_load)(snippet.code)
    return config


@entries
def test_every_command_is_what_the_shell_makes_of_it(at: Entry) -> None:
    commands = {
        client.slug: [shlex.split(snippet.code) for snippet in client.snippets if snippet.language == "bash"]
        for client in clients(at)
    }
    others = {slug: words for slug, words in commands.items() if words and slug != "any-other-client"}
    assert others == {slug: command(at) for slug, command in COMMANDS.items()}


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("https://papertrade-analytics.pages.dev/mcp", []),
        ("http://127.0.0.1:8000/analytics/mcp", []),
        ("http://localhost:8000/analytics/mcp", []),
        ("http://analytics.localhost:8000/mcp", ["--allow-http"]),
        ("http://10.0.0.7/analytics/mcp", ["--allow-http"]),
    ],
)
def test_the_bridge_is_allowed_plain_http_where_it_would_refuse_it(url: str, more: list[str]) -> None:
    told = {client.slug: client for client in clients(Entry("analytics", url, "", SAMPLE))}
    bridge = ["npx", "-y", "mcp-remote", url, *more]
    config = _parsed(told["claude-web-and-desktop"].snippets[-1])
    assert config == {"mcpServers": {"analytics": {"command": bridge[0], "args": bridge[1:]}}}
    assert shlex.split(told["any-other-client"].snippets[-1].code) == bridge


@entries
def test_clients_with_a_form_are_given_what_to_paste(at: Entry) -> None:
    told = {client.slug: client for client in clients(at)}
    for slug in ("claude-web-and-desktop", "chatgpt"):
        assert [snippet.code for snippet in told[slug].snippets[:2]] == [at.name, at.url]
    assert told["any-other-client"].snippets[0].code == at.url


def test_every_client_says_how_one_sees_that_it_worked_and_has_an_anchor_of_its_own() -> None:
    told = clients(PLAIN)
    assert all(client.check.endswith(".") for client in told)
    assert len({client.slug for client in told}) == len(told)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8000/analytics/mcp", True),
        ("http://[::1]:8000/mcp", True),
        ("http://localhost:8000/analytics/mcp", True),
        ("http://analytics.localhost/mcp", True),
        ("http://192.168.1.20/analytics/mcp", True),
        ("http://10.1.2.3/mcp", True),
        ("http://papertrade/mcp", True),
        ("https://papertrade-analytics.pages.dev/mcp", False),
        ("https://8.8.8.8/mcp", False),
    ],
)
def test_an_address_is_local_when_the_world_cannot_reach_its_host(url: str, expected: bool) -> None:
    assert is_local(url) is expected


@pytest.mark.parametrize("server", SERVERS)
def test_the_page_shows_every_client_with_its_buttons_and_snippets(client: Browser, server: str) -> None:
    page = elements_of(client.get(f"/{server}/docs/connect").content.decode())
    anchors = {each["id"] for each in page}
    links = {(each.text, each["href"]) for each in page if each.tag == "a"}
    code = [each.text for each in page if each.tag == "pre"]
    for told in _told(server):
        assert told.slug in anchors
        assert (told.title, f"#{told.slug}") in links
        for button in told.buttons:
            assert (button.label, button.href) in links
        for snippet in told.snippets:
            assert snippet.code in code


@pytest.mark.parametrize("server", SERVERS)
def test_the_twin_links_to_web_pages_alone_and_has_every_snippet(client: Browser, server: str) -> None:
    twin = client.get(f"/{server}/docs/connect.md").content.decode()
    for told in _told(server):
        assert f"### {told.title}\n" in twin
        assert told.check in twin
        for snippet in told.snippets:
            assert f"\n{snippet.code}\n```" in twin
        for button in told.buttons:
            assert f"[{button.label}]({button.web})" in twin if button.web else f"\n{button.href}\n" in twin
    targets = (link.split(")")[0] for link in twin.split("](")[1:])
    assert {target.split(":")[0] for target in targets if not target.startswith("#")} <= {"http", "https"}


def _told(server: str) -> tuple[Client, ...]:
    declared = SERVERS[server]
    return clients(
        Entry(
            declared.info_name,
            f"http://testserver/{server}/mcp",
            declared.description,
            first_sample(declared.tools),
        )
    )


@pytest.mark.parametrize(
    ("host", "is_told"), [("127.0.0.1:8000", True), ("papertrade-analytics.pages.dev", False)]
)
@pytest.mark.parametrize("ending", ["", ".md"])
def test_a_site_at_a_local_address_says_that_hosted_clients_cannot_reach_it(
    client: Browser, settings: Settings, host: str, is_told: bool, ending: str
) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1", "papertrade-analytics.pages.dev"]
    page = client.get(f"/analytics/docs/connect{ending}", headers={"host": host}).content.decode()
    assert ("This site answers at a local address." in page) is is_told


def test_a_message_that_the_server_gives_is_found_among_the_troubles(
    client: Browser, settings: Settings
) -> None:
    twin = client.get("/analytics/docs/connect.md").content.decode()
    refused = client.get("/analytics/docs/connect", headers={"host": "somewhere.example"}).json()
    lost = client.get("/analytics/sse").json()
    for answer in (refused, lost):
        assert f"{answer['error']}, {answer['message'].partition(';')[0].removesuffix('.')}" in twin
