"""From a request for a picture to its SVG: the tools are called, shapes placed, a template filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from re import sub
from typing import Final

from django.template.loader import render_to_string

from papertrade_site.docs.pictures.frame import frame
from papertrade_site.docs.pictures.registry import Picture
from papertrade_site.docs.pictures.results import Result, Results
from papertrade_site.docs.pictures.shapes import Figures, Shapes
from papertrade_site.docs.pictures.style import file_style
from papertrade_site.docs.pictures.trouble import trouble
from papertrade_site.mcp.arguments import MAX_FAULTS, Fault
from papertrade_site.mcp.errors import ToolError, cut
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import BadArgumentsError

TROUBLE_TEMPLATE: Final = "pictures/trouble.svg"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture that was asked for, before it is written as SVG.

    Attributes:
        status: 200, 400 for arguments that are refused, 503 when a tool could not do it.
        found: the results that it is drawn of; none in trouble.
        words: it in sentences, or what is wrong.
    """

    status: HTTPStatus
    picture: Picture
    query: Mapping[str, str]
    template: str
    shapes: Shapes
    found: tuple[Figures, ...]
    words: str

    def svg(self, *, is_file: bool, now_s: int) -> str:
        """The SVG, as a file of its own or as a part of a page that has the style."""
        surroundings = frame(
            self.shapes,
            self.found,
            picture_id=_identifier(self.picture.name, self.query),
            words=self.words,
            is_file=is_file,
            now_s=now_s,
        )
        values = {"frame": surroundings, "shapes": self.shapes, "style": file_style() if is_file else ""}
        text = render_to_string(self.template, values)
        return "\n".join(line for row in text.splitlines() if (line := row.strip()))


def draw(picture: Picture, server: Server, query: Mapping[str, str], results: Results) -> Drawing:
    """Draw a picture, or what keeps it from being drawn.

    Args:
        picture: which one.
        server: the server whose tools it is drawn of.
        query: its arguments as they were sent.
        results: where tools are called.
    """
    try:
        found = _found(picture, server, query, results)
    except BadArgumentsError as error:
        return _trouble(picture, query, HTTPStatus.BAD_REQUEST, f"This picture cannot be drawn: {error}")
    except ToolError as error:
        return _trouble(picture, query, HTTPStatus.SERVICE_UNAVAILABLE, str(error))
    figures = tuple(result.figures for result in found)
    return Drawing(
        status=HTTPStatus.OK,
        picture=picture,
        query=query,
        template=f"pictures/{picture.name}.svg",
        shapes=picture.draw(*figures),
        found=figures,
        words=" ".join(result.summary for result in found),
    )


def _found(picture: Picture, server: Server, query: Mapping[str, str], results: Results) -> list[Result]:
    _check_names(picture, query)
    return [
        results.of(
            server.tools_by_name[reading.tool],
            {**{name: query[name] for name in reading.takes if name in query}, **reading.fixed},
        )
        for reading in picture.readings
    ]


def _check_names(picture: Picture, query: Mapping[str, str]) -> None:
    known = ", ".join(picture.takes) or "no arguments"
    problem = f"is not an argument of this picture, which takes {known}"
    faults = [Fault(cut(name), None, problem) for name in query if name not in picture.takes]
    if faults:
        raise BadArgumentsError(faults[:MAX_FAULTS])


def _trouble(picture: Picture, query: Mapping[str, str], status: HTTPStatus, message: str) -> Drawing:
    title = "No picture now" if status == HTTPStatus.SERVICE_UNAVAILABLE else "No such picture"
    return Drawing(
        status=status,
        picture=picture,
        query=query,
        template=TROUBLE_TEMPLATE,
        shapes=trouble(title, message),
        found=(),
        words=message,
    )


def _identifier(name: str, query: Mapping[str, str]) -> str:
    """An id of plain letters, the same for the same picture."""
    parts = [name, *(f"{key}-{value}" for key, value in sorted(query.items()))]
    return sub(r"[^a-z0-9]+", "-", "-".join(parts).casefold())[:60].strip("-")
