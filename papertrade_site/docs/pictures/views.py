"""The addresses of pictures: as SVG for people and other sites, as JSON for programs and refreshing pages."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.cache import get_conditional_response

from papertrade_site.discovery.documents import Document
from papertrade_site.docs.pictures.drawn import Drawing
from papertrade_site.docs.pictures.live import as_json, drawing_now, live_picture, now_s
from papertrade_site.docs.pictures.registry import PICTURES_BY_NAME
from papertrade_site.docs.pictures.style import file_style_source
from papertrade_site.docs.place import Place
from papertrade_site.limits.pages import reading
from papertrade_site.mcp.jsonrpc import encode
from papertrade_site.mcp.negotiation import JSON_TYPE

SVG_TYPE: Final = "image/svg+xml"
KEPT: Final = "public, max-age=5"
"""A picture says how old its figures are, so a copy is of use for a few seconds only."""

NOT_KEPT: Final = "no-store"


def picture_addresses(server: str) -> list[URLPattern]:
    """The addresses of the pictures of a server, given by its short name."""
    return [
        path("pictures/<slug:name>.svg", svg, {"server": server}),
        path("pictures/<slug:name>.json", data, {"server": server}),
    ]


@reading
def svg(request: HttpRequest, name: str, server: str) -> HttpResponseBase:
    """Answer with a picture that stands alone; one that says what is wrong with 400 and 503."""
    drawing = _drawing(request, name, server)
    document = Document.of(drawing.svg(is_file=True, now_s=now_s()).encode())
    return _answer(request, drawing, document, content_type=SVG_TYPE)


@reading
def data(request: HttpRequest, name: str, server: str) -> HttpResponseBase:
    """Answer with what a picture is drawn of, and with the drawing and the choices as pages show them."""
    drawing = _drawing(request, name, server)
    live = live_picture(drawing, Place.of(request))
    choices = render_to_string("components/choices.html", {"live": live})
    body: dict[str, Any] = {**as_json(drawing), "svg": live.svg, "choices": choices}
    return _answer(request, drawing, Document.of(encode(body)), content_type=JSON_TYPE)


def _drawing(request: HttpRequest, name: str, server: str) -> Drawing:
    picture = PICTURES_BY_NAME.get(name)
    if picture is None or picture.server != server:
        raise Http404
    return drawing_now(picture, _query(request.GET))


def _query(sent: QueryDict) -> dict[str, str]:
    """The query's arguments; the last of several values stands."""
    return {name: value for name, value in sent.items() if isinstance(value, str)}


def _answer(
    request: HttpRequest, drawing: Drawing, document: Document, *, content_type: str
) -> HttpResponseBase:
    headers = {
        "Cache-Control": KEPT if drawing.status == HTTPStatus.OK else NOT_KEPT,
        "Content-Security-Policy": (
            f"default-src 'none'; style-src {file_style_source()}; frame-ancestors *; sandbox"
        ),
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-Content-Type-Options": "nosniff",
    }
    response = HttpResponse(
        document.content, status=drawing.status, content_type=content_type, headers=headers
    )
    if drawing.status != HTTPStatus.OK:
        return response
    response["ETag"] = document.etag
    return get_conditional_response(request, etag=document.etag, response=response) or response
