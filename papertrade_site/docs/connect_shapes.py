"""What a client is told of a server, and the makers of its parts: commands, files, texts to paste."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any, Final, TypedDict
from urllib.parse import urlsplit

from papertrade_site.docs.connect_links import Entry
from papertrade_site.docs.markdown import anchor_of

TERMINAL: Final = "In a terminal"
_FILE_LANGUAGES: Final = frozenset({"json", "toml", "yaml"})
_BRIDGED_HOSTS: Final = frozenset({"localhost", "127.0.0.1"})
"""Hosts that ``mcp-remote`` reaches by plain HTTP unasked."""


class Bridge(TypedDict):
    """A program that a client starts."""

    command: str
    args: list[str]


@dataclass(frozen=True, slots=True)
class Button:
    """A link that does the work.

    Attributes:
        label: what it does.
        href: the link; it may open an app of this machine (``cursor://``).
        web: the same by way of a web page, for Markdown readers that drop such links; None without one.
    """

    label: str
    href: str
    web: str | None


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text to copy.

    Attributes:
        where: the file it belongs in, the field it is for, or that it is for a terminal.
        language: ``json``, ``toml``, ``yaml``, ``bash``, or nothing for plain text.
        code: the text, without a line break at its end.
    """

    where: str
    language: str
    code: str

    @property
    def is_file(self) -> bool:
        """Whether ``where`` names a file, which may hold other things already."""
        return self.language in _FILE_LANGUAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One AI client, or several that read the same configuration.

    Attributes:
        title: for people.
        note: what to do or to mind, in Markdown; empty when buttons and snippets say it all.
        buttons: links that add the server.
        snippets: the ways by hand, the easiest first.
        check: how one sees in this client that the server is connected, in Markdown.
    """

    title: str
    check: str
    note: str = ""
    buttons: tuple[Button, ...] = ()
    snippets: tuple[Snippet, ...] = ()

    @property
    def slug(self) -> str:
        """The anchor of its section, by which pages name it."""
        return anchor_of(self.title)


def name_and_url(at: Entry) -> tuple[Snippet, Snippet]:
    """What a form of a client asks for."""
    return Snippet("Name", "", at.name), Snippet("URL", "", at.url)


def command(*words: str) -> Snippet:
    """A command for a terminal, of words that are quoted where they need it."""
    return Snippet(TERMINAL, "bash", " ".join(map(quote, words)))


def json_file(where: str, config: Mapping[str, Any]) -> Snippet:
    """A file of JSON."""
    return Snippet(where, "json", json.dumps(config, ensure_ascii=False, indent=2))


def url_file(where: str, at: Entry) -> Snippet:
    """The file that most clients read."""
    return json_file(where, {"mcpServers": {at.name: {"url": at.url}}})


def server_url_file(where: str, at: Entry) -> Snippet:
    """The file of clients that call the address ``serverUrl``."""
    return json_file(where, {"mcpServers": {at.name: {"serverUrl": at.url}}})


def bridge_config(at: Entry) -> Bridge:
    """How a client that only starts programs reaches the server: by a program that speaks HTTP for it."""
    address = urlsplit(at.url)
    is_allowed = address.scheme == "https" or address.hostname in _BRIDGED_HOSTS
    return {"command": "npx", "args": ["-y", "mcp-remote", at.url, *([] if is_allowed else ["--allow-http"])]}
