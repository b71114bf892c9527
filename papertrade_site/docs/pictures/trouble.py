"""The picture of there being no picture: it says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from papertrade_site.docs.pictures.shapes import Note, Shapes

TOP: Final = 48
LINE: Final = 18
COLUMNS: Final = 46
"""Characters of a line, so that it fits the narrowest page."""

LINES: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble(Shapes):
    """A message in short lines, each with its place in pixels from the top."""

    lines: tuple[tuple[int, str], ...]


def trouble(title: str, message: str) -> Trouble:
    """Place a message; one that is too long is cut."""
    texts = wrap(_writable(message), COLUMNS, max_lines=LINES, placeholder=" …")
    return Trouble(
        title=title,
        headline=Note(""),
        foot=TOP + LINE * len(texts),
        lines=tuple((TOP + LINE * place, text) for place, text in enumerate(texts)),
    )


def _writable(text: str) -> str:
    """The text without signs that cannot stand in XML, escaped or not."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
