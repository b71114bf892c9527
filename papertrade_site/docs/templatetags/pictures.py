"""Live pictures within the text of a page."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.template import Context

from papertrade_site.docs.pictures.live import (
    LivePicture,
    drawing_now,
    live_picture,
    picture_url,
    with_choices,
)
from papertrade_site.docs.pictures.registry import PICTURES_BY_NAME
from papertrade_site.docs.rendering import Rendering

register = template.Library()


@register.simple_tag(takes_context=True)
def live(context: Context, name: str, query: Mapping[str, str | int]) -> LivePicture:
    """A picture of this moment, for people, as they have chosen it.

    Raises:
        KeyError: when there is no such picture.
    """
    picture, rendering = PICTURES_BY_NAME[name], Rendering.of(context)
    drawing = drawing_now(picture, with_choices(picture, _texts(query), rendering.choices))
    return live_picture(drawing, rendering.place)


@register.simple_tag(takes_context=True)
def first_picture(context: Context) -> bool:
    """Whether a picture is the first of its page, which brings what all of them need."""
    return Rendering.of(context).is_first("picture")


@register.simple_tag(takes_context=True)
def picture_address(context: Context, name: str, query: Mapping[str, str | int]) -> str:
    """The whole address of a picture, for readers of a page's twin.

    Raises:
        KeyError: when there is no such picture.
    """
    return picture_url(PICTURES_BY_NAME[name], _texts(query), Rendering.of(context).place)


def _texts(query: Mapping[str, str | int]) -> dict[str, str]:
    return {name: str(value) for name, value in query.items()}
