"""Pictures drawn as pages and other sites get them, and read back from their SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree

from papertrade_site.docs.pictures.drawn import Drawing
from papertrade_site.docs.pictures.live import drawing_now
from papertrade_site.docs.pictures.registry import PICTURES_BY_NAME
from papertrade_site.docs.pictures.scale import FILE_WIDTH
from tests.venue_bodies import NOW_MS, position_row

SVG: Final = "{http://www.w3.org/2000/svg}"

THREE_A_SIDE: Final[Sequence[list[Any]]] = (
    [
        position_row(1, bust="829999"),
        position_row(2, bust="828000", leverage=300),
        position_row(3, bust="822740"),
        position_row(4, is_long=False, bust="831999"),
        position_row(5, is_long=False, bust="833000", leverage=200),
        position_row(6, is_long=False, bust="838530"),
    ],
)
"""BTC positions of $10,000 to $30,000 around the mark of 83,065.5."""

DRAWABLE: Final[Sequence[tuple[str, dict[str, str]]]] = (
    ("ladder", {"market": "BTC"}),
    ("ladder", {"market": "ETH", "cascadePercent": "1"}),
    ("skew", {}),
    ("skew", {"market": "BTC"}),
    ("paper", {}),
    ("sparkline", {}),
    ("sparkline", {"symbol": "ETH"}),
    ("history", {"metric": "tvl"}),
    ("history", {"metric": "volume", "mode": "per_bucket"}),
)
"""Every picture, and every kind of it."""


class Parsed:
    """An SVG's elements by their class."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = ElementTree.fromstring(text)

    def of_class(self, name: str) -> list[ElementTree.Element]:
        """The elements of a class, in the order of drawing."""
        return [each for each in self.root.iter() if f"pic-{name}" in each.get("class", "").split()]

    def one(self, name: str) -> ElementTree.Element:
        """The only element of a class."""
        (found,) = self.of_class(name)
        return found

    @property
    def texts(self) -> list[str]:
        """Every text that is seen."""
        return [seen_of(each) for each in self.root.iter(f"{SVG}text")]


def words_of(element: ElementTree.Element) -> str:
    """All that an element says."""
    return "".join(element.itertext())


def seen_of(element: ElementTree.Element) -> str:
    """What of an element's words is seen without pointing at it."""
    said = words_of(element)
    title = element.find(f"{SVG}title")
    return said if title is None else said.replace(words_of(title), "", 1)


def title_of(element: ElementTree.Element) -> str:
    """What an element says to whoever points at it."""
    title = element.find(f"{SVG}title")
    assert title is not None
    return words_of(title)


def pixels(element: ElementTree.Element, name: str) -> float:
    """A length in pixels of a picture that stands alone."""
    text = element.attrib[name]
    return float(text[:-1]) * FILE_WIDTH / 100 if text.endswith("%") else float(text)


def drawing(name: str, query: Mapping[str, str] | None = None) -> Drawing:
    """A picture of what tools find."""
    return drawing_now(PICTURES_BY_NAME[name], query or {})


def parsed(drawn: Drawing, *, is_file: bool = True, seconds_later: int = 0) -> Parsed:
    """A picture's SVG as it is some time after the figures were read."""
    return Parsed(drawn.svg(is_file=is_file, now_s=NOW_MS // 1000 + seconds_later))
