"""Pages as their readers have them: rendered over the embedded exchange, and taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from papertrade_site import servers
from papertrade_site.docs.pages import Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.text import html_page, markdown_page
from papertrade_site.mcp.server import Server

SITE: Final = "http://testserver"
SERVERS: Final = tuple(servers.SERVERS.values())
PLACE: Final = Place(SITE, tuple((server.slug, f"{SITE}/{server.slug}") for server in SERVERS))
FORMS: Final = ("html", "md")
_FENCE: Final = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


_APART: Final = frozenset({"code", "em", "strong", "td", "th", "tr", "p", "li", "pre", "a"})
"""Tags that begin or end a word, as their signs do in a twin."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code, and the last line of words before it."""

    language: str
    code: str
    before: str


class _Text(HTMLParser):
    """The words of a page's content, its anchors and where it links to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in {"href", "src"} and value:
                self.links.append(value)
        if tag in _APART:
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _APART:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@dataclass(slots=True)
class Html:
    """A page for people: its words on one line, its anchors, and all addresses in it."""

    words: str
    anchors: set[str]
    links: list[str] = field(default_factory=list)


def html_of(text: str) -> Html:
    """Take a page for people apart."""
    found = _Text(text)
    return Html(" ".join("".join(found.words).split()), found.anchors, found.links)


def blocks_of(twin: str) -> list[Block]:
    """The blocks of code of a twin."""
    return [
        Block(match[2], match[3], twin[: match.start()].rstrip().rpartition("\n")[2])
        for match in _FENCE.finditer(twin)
    ]


def links_of(twin: str) -> list[str]:
    """The addresses that a twin links to, outside of its code."""
    return re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", twin))


def page_of(server: Server, slug: str) -> Page:
    """The page of a server at an address."""
    return {page.slug: page for page in pages_of(server)}[slug]


def twin_of(server: Server, slug: str) -> str:
    """A page's twin."""
    return markdown_page(server, page_of(server, slug), PLACE)


def words_of(server: Server, slug: str, form: str) -> str:
    """The words of a page in one of its forms, without the signs of Markdown around them."""
    return words_in(text_of(server, slug, form), form)


def text_of(server: Server, slug: str, form: str) -> str:
    """A page in one of its forms; of the one for people what is its own."""
    if form == "md":
        return twin_of(server, slug)
    return html_page(server, page_of(server, slug), PLACE).partition("<main")[2].partition("</main>")[0]


def words_in(text: str, form: str) -> str:
    """The words of a text of a form on one line."""
    return html_of(text).words if form == "html" else " ".join(re.sub(r"[`\\|]|\*\*", " ", text).split())


def all_twins() -> Iterator[tuple[Server, Page, str]]:
    """Every page of every server as a twin."""
    for server in SERVERS:
        for page in pages_of(server):
            yield server, page, markdown_page(server, page, PLACE)
