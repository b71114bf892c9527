"""A picture as pages show it: its address, what a reader may choose, and where its figures are in a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from papertrade_site.clock import SystemClock, iso
from papertrade_site.docs.links import page_link
from papertrade_site.docs.pictures.drawn import Drawing, draw
from papertrade_site.docs.pictures.registry import Choice, Picture
from papertrade_site.docs.pictures.results import process_results
from papertrade_site.docs.place import Place
from papertrade_site.servers import SERVERS

clock = SystemClock()


@dataclass(frozen=True, slots=True)
class Option:
    """One value that may be chosen: what it is called, and the address of the picture with it."""

    label: str
    address: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of one argument."""

    argument: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class ToolLink:
    """A tool that the picture is drawn of, and its page."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class LivePicture:
    """All that the component's template shows; addresses are paths."""

    name: str
    svg: str
    address: str
    choices: tuple[Choices, ...]
    tools: tuple[ToolLink, ...]


def drawing_now(picture: Picture, query: Mapping[str, str]) -> Drawing:
    """A picture of what its tools find now."""
    return draw(picture, SERVERS[picture.server], query, process_results)


def live_picture(drawing: Drawing, place: Place) -> LivePicture:
    """A drawing as a page shows it, as old as it is now."""
    picture = drawing.picture
    return LivePicture(
        name=picture.name,
        svg=drawing.svg(is_file=False, now_s=now_s()),
        address=picture_path(picture, drawing.query, place),
        choices=tuple(_choices(drawing, place)),
        tools=tuple(
            ToolLink(
                reading.tool, page_link(place, picture.server, f"docs/tools/{reading.tool}", is_twin=False)
            )
            for reading in picture.readings
        ),
    )


def picture_path(picture: Picture, query: Mapping[str, str], place: Place, *, ending: str = "svg") -> str:
    """Where a picture is, counted from the site's root."""
    return place.path(picture.server, _file(picture, query, ending))


def picture_url(picture: Picture, query: Mapping[str, str], place: Place) -> str:
    """The whole address of a picture, for readers elsewhere."""
    return place.base(picture.server) + _file(picture, query, "svg")


def as_json(drawing: Drawing) -> dict[str, Any]:
    """What a picture is drawn of, for programs; what is wrong where it could not be drawn."""
    common = {
        "picture": drawing.picture.name,
        "arguments": dict(drawing.query),
        "drawnAt": iso(now_s() * 1000),
    }
    if not drawing.found:
        return {**common, "error": drawing.status.phrase, "message": drawing.words}
    results = zip(drawing.picture.readings, drawing.found, strict=True)
    return {
        **common,
        "summary": drawing.words,
        "results": {reading.tool: figures for reading, figures in results},
    }


def now_s() -> int:
    """The present in whole seconds since 1970."""
    return clock.now_ms() // 1000


def _file(picture: Picture, query: Mapping[str, str], ending: str) -> str:
    sent = f"?{urlencode(query)}" if query else ""
    return f"/pictures/{picture.name}.{ending}{sent}"


def _choices(drawing: Drawing, place: Place) -> Iterator[Choices]:
    """What applies to the drawing; where there is none, all choices that may mend it."""
    for choice in drawing.picture.choices:
        if all(choice.applies(figures) for figures in drawing.found[:1]):
            yield Choices(choice.argument, choice.label, tuple(_options(choice, drawing, place)))


def _options(choice: Choice, drawing: Drawing, place: Place) -> Iterator[Option]:
    picture, name = drawing.picture, choice.argument
    schema = SERVERS[picture.server].tools_by_name[picture.readings[0].tool].input_schema
    argument = schema["properties"][name]
    current = drawing.query.get(name, str(argument.get("default", "")))
    kept = {key: value for key, value in drawing.query.items() if key != name and key not in choice.drops}
    for value in choice.values or argument["enum"]:
        query = {**kept, name: value} if value else kept
        yield Option(
            label=f"{value.replace('_', ' ')}{choice.unit}" if value else "none",
            address=picture_path(picture, query, place),
            is_current=value == current,
        )
