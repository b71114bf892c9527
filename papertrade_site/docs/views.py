"""The views of the pages: each page in the form that its reader takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.http import HttpRequest, HttpResponseBase

from papertrade_site.discovery import paths
from papertrade_site.discovery.documents import Document
from papertrade_site.docs.kept import Kept
from papertrade_site.docs.pages import Page
from papertrade_site.docs.pictures.live import page_choices
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form
from papertrade_site.docs.responses import CACHED_FOR_A_MINUTE, CACHED_FOR_SECONDS, Link, page_response
from papertrade_site.docs.text import canonical, html_page, markdown_page, twin
from papertrade_site.limits.pages import reading
from papertrade_site.mcp.negotiation import JSON_TYPE
from papertrade_site.mcp.server import Server
from papertrade_site.refusals import View

TYPES: Final = {Form.HTML: "text/html; charset=utf-8", Form.MARKDOWN: "text/markdown; charset=utf-8"}

KEPT_S: Final = 10.0
"""Seconds for which a page is not made anew: to make one takes 30 ms, and limits may change meanwhile."""

KEPT_DOCUMENTS: Final = 64
"""Documents that are kept per server: all of its pages in both forms, at one or two addresses."""


class Documentation:
    """The pages of one server, or of the project for None, as Django views."""

    def __init__(self, server: Server | None, pages: tuple[Page, ...]) -> None:
        self.pages = pages
        self._server = server
        self._kept: Kept[Document] = Kept(seconds=KEPT_S, capacity=KEPT_DOCUMENTS)

    def page(self, page: Page) -> View:
        """The view of a page, which answers in Markdown to whoever would rather have that than HTML."""

        @reading
        def view(request: HttpRequest) -> HttpResponseBase:
            best = request.get_preferred_type([TYPES[Form.HTML], TYPES[Form.MARKDOWN]])
            form = Form.MARKDOWN if best == TYPES[Form.MARKDOWN] else Form.HTML
            response = self._answer(request, page, form)
            response["Vary"] = "Accept"
            return response

        return view

    def twin(self, page: Page) -> View:
        """The view of a page's Markdown twin."""

        @reading
        def view(request: HttpRequest) -> HttpResponseBase:
            return self._answer(request, page, Form.MARKDOWN)

        return view

    def _answer(self, request: HttpRequest, page: Page, form: Form) -> HttpResponseBase:
        place = Place.of(request)
        document = self._document(page, form, place, self._choices(request))
        links = links_of(self._server, page, place)
        cache_control = CACHED_FOR_SECONDS if page.is_of_the_moment else CACHED_FOR_A_MINUTE
        return page_response(
            request, document, content_type=TYPES[form], links=links, cache_control=cache_control
        )

    def _document(self, page: Page, form: Form, place: Place, choices: Mapping[str, str]) -> Document:
        def document() -> Document:
            if form is Form.MARKDOWN:
                return Document.of(markdown_page(self._server, page, place).encode())
            return Document.of(html_page(self._server, page, place, choices).encode())

        if page.is_of_the_moment:
            return document()
        return self._kept.get((page.slug, form, place, *sorted(choices.items())), document)

    def _choices(self, request: HttpRequest) -> Mapping[str, str]:
        """What the reader has chosen of pictures, without scripts."""
        return page_choices(self._server.slug, request.GET.dict()) if self._server else {}


def links_of(server: Server | None, page: Page, place: Place) -> list[Link]:
    """What a page points machines to: itself, its twin, llms.txt, and the server card."""
    base = place.base(server.slug if server else None)
    links = [
        Link(canonical(server, page, place), "canonical"),
        Link(twin(server, page, place), "alternate", "text/markdown"),
        Link(base + paths.LLMS, "describedby", "text/plain"),
    ]
    if server is not None:
        links.append(Link(base + paths.CARD, "mcp-server-card", JSON_TYPE))
    return links
