"""HTML taken apart, as far as the tests of pages ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from django.http import HttpResponseBase

Attributes = dict[str, str | None]

_APART: Final = frozenset({"code", "em", "strong", "td", "th", "tr", "p", "li", "pre", "a"})
"""Tags that begin or end a word, as their signs do in a twin."""

_EMPTY: Final = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "wbr"})
"""Tags that hold nothing and have no end."""


@dataclass(slots=True)
class Element:
    """A tag with its attributes and all text within it."""

    tag: str
    attributes: Attributes
    parts: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name) or ""

    @property
    def text(self) -> str:
        """What stands between its tags, as it stands there but for spaces at either end."""
        return "".join(self.parts).strip()


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.root = Element("", {})
        self.elements: list[Element] = []
        self._open = [self.root]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part(tag)
        self.elements.append(Element(tag, dict(attrs)))
        if tag not in _EMPTY:
            self._open.append(self.elements[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self._part(tag)
        while tag in (each.tag for each in self._open) and self._open.pop().tag != tag:
            pass  # an end that was left out, such as an option's

    def handle_data(self, data: str) -> None:
        for each in self._open:
            each.parts.append(data)

    def _part(self, tag: str) -> None:
        if tag in _APART:
            self.handle_data(" ")


def content_of(answer: object) -> bytes:
    """The whole content of an answer; a file is closed by having been read to its end."""
    assert isinstance(answer, HttpResponseBase)
    content: bytes = answer.getvalue()
    return content


def elements_of(html: str) -> list[Element]:
    """Every element of a page, in order."""
    return _Reader(html).elements


def plain_words(html: str) -> str:
    """The words of a page on one line."""
    return " ".join(_Reader(html).root.text.split())
