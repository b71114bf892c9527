"""HTML taken apart, as far as the tests of pages ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.http import HttpResponseBase

Attributes = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with its attributes."""

    tag: str
    attributes: Attributes

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name) or ""


@dataclass(slots=True)
class _Reader(HTMLParser):
    elements: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))


def content_of(answer: object) -> bytes:
    """The whole content of an answer; a file is closed by having been read to its end."""
    assert isinstance(answer, HttpResponseBase)
    content: bytes = answer.getvalue()
    return content


def elements_of(html: str) -> list[Element]:
    """Every element of a page, in order."""
    reader = _Reader()
    reader.feed(html)
    return reader.elements
