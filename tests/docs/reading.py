"""Pages as their readers have them: rendered over the embedded exchange, and taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from papertrade_site import servers
from papertrade_site.docs.pages import Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.text import html_page, markdown_page
from papertrade_site.mcp.server import Server
from tests.docs.markup import plain_words

SITE: Final = "http://testserver"
SERVERS: Final = tuple(servers.SERVERS.values())
PLACE: Final = Place(SITE, tuple((server.slug, f"{SITE}/{server.slug}") for server in SERVERS))
FORMS: Final = ("html", "md")
_FENCE: Final = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code, and the last line of words before it."""

    language: str
    code: str
    before: str


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
    return plain_words(text) if form == "html" else " ".join(re.sub(r"[`\\|]|\*\*", " ", text).split())


def all_twins() -> Iterator[tuple[Server, Page, str]]:
    """Every page of every server as a twin."""
    for server in SERVERS:
        for page in pages_of(server):
            yield server, page, markdown_page(server, page, PLACE)
