"""The one maker of links to pages."""

from __future__ import annotations

from functools import cache

from papertrade_site.docs.pages import LANDING, Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.servers import SERVERS


def page_link(place: Place, server: str | None, slug: str, *, is_twin: bool) -> str:
    """The address of a page, perhaps with ``#anchor``: a path, or the whole address of its Markdown twin.

    Args:
        place: where the reader is.
        server: the server's short name, or None for the project's landing page.
        slug: the page's.
        is_twin: whether the reader reads Markdown.

    Raises:
        LookupError: when there is no such page.
    """
    name, sign, anchor = slug.partition("#")
    page = _pages(server)[name]
    if is_twin:
        return f"{place.base(server)}{page.twin_path}{sign}{anchor}"
    return f"{place.path(server, page.path)}{sign}{anchor}"


@cache
def _pages(server: str | None) -> dict[str, Page]:
    pages = (LANDING,) if server is None else pages_of(SERVERS[server])
    return {page.slug: page for page in pages}
