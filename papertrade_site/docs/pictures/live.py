"""A picture as pages show it: its address, what a reader may choose, and where its figures are in a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from papertrade_site.clock import iso
from papertrade_site.docs.links import page_link
from papertrade_site.docs.pictures.drawn import Drawing, draw
from papertrade_site.docs.pictures.registry import PICTURES, Choice, Picture
from papertrade_site.docs.pictures.results import process_results
from papertrade_site.docs.place import Place
from papertrade_site.mcp.schema import Schema
from papertrade_site.servers import SERVERS
from papertrade_site.upstream.process import process_sources


@dataclass(frozen=True, slots=True)
class Option:
    """One value that may be chosen.

    Attributes:
        label: what it is called.
        address: of the picture with it.
        query: of the page with it, wherever the picture stands; ``page_choices`` reads it.
    """

    label: str
    address: str
    query: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of one argument, and the arguments that a choice among them leaves out."""

    label: str
    argument: str
    drops: tuple[str, ...]
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


def page_choices(server: str, sent: Mapping[str, str]) -> dict[str, str]:
    """What the query of a page chooses of its server's pictures; whatever no page offers is left alone."""
    return {
        name: sent[name]
        for picture in PICTURES
        if picture.server == server
        for choice in picture.choices
        if (name := _page_name(picture, choice.argument)) in sent and _is_offered(picture, choice, sent[name])
    }


def with_choices(picture: Picture, query: Mapping[str, str], choices: Mapping[str, str]) -> dict[str, str]:
    """The arguments of a picture with what ``page_choices`` found; an empty one leaves its argument out."""
    chosen = {
        choice.argument: choices[name]
        for choice in picture.choices
        if (name := _page_name(picture, choice.argument)) in choices
    }
    return {name: value for name, value in {**query, **chosen}.items() if value}


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
    return process_sources.for_call().clock.now_ms() // 1000


def _file(picture: Picture, query: Mapping[str, str], ending: str) -> str:
    sent = f"?{urlencode(query)}" if query else ""
    return f"/pictures/{picture.name}.{ending}{sent}"


def _choices(drawing: Drawing, place: Place) -> Iterator[Choices]:
    """What applies to the drawing; where there is none, all choices that may mend it."""
    for choice in drawing.picture.choices:
        if all(choice.applies(figures) for figures in drawing.found[:1]):
            yield Choices(
                choice.label, choice.argument, choice.drops, tuple(_options(choice, drawing, place))
            )


def _values(picture: Picture, choice: Choice) -> tuple[str, ...]:
    return choice.values or tuple(_argument(picture, choice.argument)["enum"])


def _is_offered(picture: Picture, choice: Choice, value: str) -> bool:
    can_be_left_out = "default" in _argument(picture, choice.argument)
    return value in _values(picture, choice) or (not value and can_be_left_out)


def _argument(picture: Picture, name: str) -> Schema:
    tool = SERVERS[picture.server].tools_by_name[picture.readings[0].tool]
    argument: Schema = tool.input_schema["properties"][name]
    return argument


def _page_name(picture: Picture, argument: str) -> str:
    """What the argument of a picture is called in the query of a page, which has arguments of its own."""
    return f"{picture.name}-{argument}"


def _page_query(picture: Picture, query: Mapping[str, str]) -> str:
    sent = {
        _page_name(picture, choice.argument): query.get(choice.argument, "") for choice in picture.choices
    }
    return f"?{urlencode(sent)}#{picture.name}"


def _options(choice: Choice, drawing: Drawing, place: Place) -> Iterator[Option]:
    picture, name = drawing.picture, choice.argument
    argument = _argument(picture, name)
    current = drawing.query.get(name, str(argument.get("default", "")))
    kept = {key: value for key, value in drawing.query.items() if key != name and key not in choice.drops}
    for value in _values(picture, choice):
        query = {**kept, name: value} if value else kept
        yield Option(
            label=f"{value.replace('_', ' ')}{choice.unit}" if value else choice.left_out,
            address=picture_path(picture, query, place),
            query=_page_query(picture, query),
            is_current=value == current,
        )
