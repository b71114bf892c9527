"""The start page taken apart: the words of each of its sections, of its tables' rows, and of its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Final

VOID: Final = frozenset({"meta", "link", "input", "br", "img", "hr"})


@dataclass(slots=True)
class Node:
    """An element, with what is in it."""

    tag: str
    attributes: dict[str, str | None]
    parts: list[Node | str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """All of its words, single spaces between them."""
        return " ".join(" ".join(self._texts()).split())

    def all(self, tag: str, name: str = "") -> Iterator[Node]:
        """The elements within of this tag, and of this class if one is given."""
        for part in self.parts:
            if isinstance(part, Node):
                if part.tag == tag and (not name or name in (part.attributes.get("class") or "").split()):
                    yield part
                yield from part.all(tag, name)

    def by_id(self, wanted: str) -> Node:
        """The element with an id."""
        (found,) = (node for node in self.nodes() if node.attributes.get("id") == wanted)
        return found

    def rows(self) -> list[list[str]]:
        """The words of every cell of the bodies of all tables within."""
        bodies = (row for body in self.all("tbody") for row in body.all("tr"))
        return [
            [part.words for part in row.parts if isinstance(part, Node) and part.tag in {"th", "td"}]
            for row in bodies
        ]

    def figures(self) -> dict[str, list[str]]:
        """The words of every definition within, by its term."""
        found: dict[str, list[str]] = {}
        for group in self.all("dl"):
            term = ""
            for node in group.nodes():
                if node.tag == "dt":
                    term = node.words
                elif node.tag == "dd":
                    found.setdefault(term, []).append(node.words)
        return found

    def nodes(self) -> Iterator[Node]:
        """Every element within."""
        for part in self.parts:
            if isinstance(part, Node):
                yield part
                yield from part.nodes()

    def _texts(self) -> Iterator[str]:
        for part in self.parts:
            if isinstance(part, Node):
                yield from part._texts()
            else:
                yield part


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "wbr":  # where a word may break is no end of it
            return
        node = Node(tag, dict(attrs))
        self._open[-1].parts.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].parts.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1].tag != tag:
            self._open.pop()
        self._open.pop()

    def handle_data(self, data: str) -> None:
        parts = self._open[-1].parts
        if parts and isinstance(parts[-1], str):
            parts[-1] += data
        else:
            parts.append(data)


def shown(html: str) -> Node:
    """Take a page apart."""
    reader = _Reader()
    reader.feed(html)
    return reader.root


def titles_of_bars(chart: Node) -> list[str]:
    """What each bar of a chart says to who points at it."""
    return [unescape(re.sub(r"\s+", " ", title.words)) for title in chart.all("title")]
