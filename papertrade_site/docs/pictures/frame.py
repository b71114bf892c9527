"""What stands around every drawing: words for readers who cannot see it, its age, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.clock import iso
from papertrade_site.docs.pictures import moments
from papertrade_site.docs.pictures.scale import FILE_WIDTH
from papertrade_site.docs.pictures.shapes import Figures, Note, Shapes

LINE: Final = 17
"""Pixels from one remark to the next."""

BELOW: Final = 10
MARGIN: Final = 16
"""What a picture that stands alone leaves free on every side, in pixels."""

PRICES: Final = "hyperliquid.book"
"""The source whose age is the age of prices."""


@dataclass(frozen=True, slots=True)
class Age:
    """How old something is: the words before its age, the age, and the instant that it is counted from."""

    before: str
    text: str
    since: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A note, ``y`` pixels from the top."""

    y: int
    note: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """All that the templates of pictures share.

    Attributes:
        id: begins the ids of the picture's words; one of its own within a page.
        words: the drawing in sentences.
        is_file: whether the picture stands alone, and so brings its own size and colours.
        ages: of prices, if there are any, and of the oldest input.
        ages_y: where they stand.
        now: the instant at which they are so old.
        now_text: its time of day.
    """

    id: str
    title: str
    detail: str
    headline: Note
    words: str
    is_file: bool
    is_simulated: bool
    is_degraded: bool
    remarks: tuple[Remark, ...]
    ages: tuple[Age, ...]
    ages_y: int
    now: str
    now_text: str
    height: int
    width: int = FILE_WIDTH
    margin: int = MARGIN

    @property
    def file_width(self) -> int:
        """Width of a picture that stands alone, its margins with it."""
        return self.width + 2 * self.margin

    @property
    def file_height(self) -> int:
        """Height of a picture that stands alone, its margins with it."""
        return self.height + 2 * self.margin


def frame(
    shapes: Shapes, found: Sequence[Figures], *, picture_id: str, words: str, is_file: bool, now_s: int
) -> Frame:
    """The frame of a drawing of these results, as old as they are now."""
    remarks = [*shapes.remarks]
    is_degraded = any(figures["freshness"]["degraded"] for figures in found)
    if is_degraded:
        remarks.append(Note("Some inputs are old or missing."))
    lines = tuple(Remark(shapes.foot + LINE * place, note) for place, note in enumerate(remarks))
    ages_y = shapes.foot + LINE * len(lines)
    ages = tuple(_ages(found, now_s=now_s))
    now = iso(now_s * 1000)
    return Frame(
        id=picture_id,
        title=shapes.title,
        detail=shapes.detail,
        headline=shapes.headline,
        words=words,
        is_file=is_file,
        is_simulated=any(figures["dataSource"] == "simulated" for figures in found),
        is_degraded=is_degraded,
        remarks=lines,
        ages=ages,
        ages_y=ages_y,
        now=now,
        now_text=moments.clock_time(now),
        height=ages_y + BELOW,
    )


def _ages(found: Sequence[Figures], *, now_s: int) -> Iterator[Age]:
    """The age of prices where they are an input, and of the oldest input; none where nothing was found."""
    prices = [row["fetchedAt"] for figures in found for row in _price_rows(figures) if row["fetchedAt"]]
    if prices:
        since = min(prices)
        yield Age("Prices ", moments.age(since, now_s=now_s), since)
    if found:
        since = min(figures["freshness"]["asOf"] for figures in found)
        yield Age("oldest input " if prices else "Data ", moments.age(since, now_s=now_s), since)


def _price_rows(figures: Figures) -> list[Mapping[str, Any]]:
    return [row for row in figures["freshness"]["sources"] if row["name"] == PRICES]
