"""The views of the pages: each page in the form that its reader takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponseBase

from papertrade_site.discovery.documents import Document
from papertrade_site.docs.pages import Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form
from papertrade_site.docs.responses import page_response
from papertrade_site.docs.text import canonical, html_page, markdown_page
from papertrade_site.limits.pages import reading
from papertrade_site.mcp.server import Server
from papertrade_site.memory import LruCache

View = Callable[[HttpRequest], HttpResponseBase]

TYPES: Final = {Form.HTML: "text/html; charset=utf-8", Form.MARKDOWN: "text/markdown; charset=utf-8"}

KEPT_S: Final = 10.0
"""Seconds for which a page is not made anew: to make one takes 30 ms, and limits may change meanwhile."""

KEPT_DOCUMENTS: Final = 64
"""Documents that are kept per server: all of its pages in both forms, at one or two addresses."""


@dataclass(frozen=True, slots=True)
class _Kept:
    document: Document
    until: float


class Documentation:
    """The pages of one server, or of the project for None, as Django views."""

    def __init__(self, server: Server | None, pages: tuple[Page, ...]) -> None:
        self.pages = pages
        self._server = server
        self._kept: LruCache[_Kept] = LruCache(KEPT_DOCUMENTS)

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
        document = self._document(page, form, place)
        links = {"canonical": canonical(self._server, page, place)}
        return page_response(request, document, content_type=TYPES[form], links=links)

    def _document(self, page: Page, form: Form, place: Place) -> Document:
        key, now = (page.slug, form, place), time.monotonic()
        kept = self._kept.get(key)
        if kept is not None and now < kept.until and not page.is_of_the_moment:
            return kept.document
        make = html_page if form is Form.HTML else markdown_page
        document = Document.of(make(self._server, page, place).encode())
        self._kept.put(key, _Kept(document, now + KEPT_S))
        return document


def documentation_of(server: Server) -> Documentation:
    """All pages of a server."""
    return Documentation(server, pages_of(server))
