"""The links around a page: the pages of its server, its neighbours among them, and the other server."""

from __future__ import annotations

from dataclasses import dataclass

from papertrade_site.docs.links import page_link
from papertrade_site.docs.pages import HOME, Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.mcp.server import Server
from papertrade_site.servers import SERVERS


@dataclass(frozen=True, slots=True)
class NavLink:
    """A link of the navigation; ``is_code`` when its title is a name as programs write it."""

    title: str
    address: str
    is_here: bool = False
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class NavSection:
    """A heading of the navigation with its links."""

    title: str
    links: tuple[NavLink, ...]


def sections(server: Server, here: Page, place: Place) -> tuple[NavSection, ...]:
    """The headings and links at the side of every page of a server."""
    links: dict[str, list[NavLink]] = {}
    for page in pages_of(server):
        if page.section:
            links.setdefault(page.section, []).append(_nav_link(server, page, here, place))
    return tuple(NavSection(section, tuple(rows)) for section, rows in links.items())


def neighbours(server: Server, here: Page, place: Place) -> tuple[NavLink | None, NavLink | None]:
    """The pages before and after one, as the navigation lists them; the home page has none."""
    links = [link for section in sections(server, here, place) for link in section.links]
    at = next((index for index, link in enumerate(links) if link.is_here), None)
    if at is None:
        return None, None
    return links[at - 1] if at else None, links[at + 1] if at + 1 < len(links) else None


def server_links(here: Server | None, page: Page, place: Place) -> tuple[NavLink, ...]:
    """The links to each server: to the same page of it where it has that, else to its home page."""
    return tuple(
        NavLink(
            short_title(server),
            page_link(place, server.slug, _slug_of_the_same(page, server), is_twin=False),
            is_here=server is here,
        )
        for server in SERVERS.values()
    )


def short_title(server: Server) -> str:
    """A server's title without the project's name, which stands around it."""
    return server.title.removeprefix("Papertrade ")


def _slug_of_the_same(page: Page, server: Server) -> str:
    return page.slug if any(each.slug == page.slug for each in pages_of(server)) else HOME


def _nav_link(server: Server, page: Page, here: Page, place: Place) -> NavLink:
    return NavLink(
        page.tool.name if page.tool else page.title,
        page_link(place, server.slug, page.slug, is_twin=False),
        is_here=page.slug == here.slug,
        is_code=page.tool is not None,
    )
