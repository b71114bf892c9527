"""HTML taken apart, as far as the tests of pages ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.core.signals import request_finished
from django.db import close_old_connections
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
    """The whole content of an answer, which may be a file that has to be closed.

    Closing ends the request, upon which Django looks after its database, which is out of bounds here.
    """
    assert isinstance(answer, HttpResponseBase)
    request_finished.disconnect(close_old_connections)
    try:
        content: bytes = answer.getvalue()
        answer.close()
    finally:
        request_finished.connect(close_old_connections)
    return content


def elements_of(html: str) -> list[Element]:
    """Every element of a page, in order."""
    reader = _Reader()
    reader.feed(html)
    return reader.elements
