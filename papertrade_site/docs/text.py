"""A page in each of its two forms, from the one text that it has."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.template.loader import render_to_string

from papertrade_site.discovery import paths
from papertrade_site.docs import markdown
from papertrade_site.docs.context import values
from papertrade_site.docs.links import page_link
from papertrade_site.docs.pages import LANDING, Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form, Rendering, render_text
from papertrade_site.mcp.server import Server
from papertrade_site.ops.call import SERVERS, server_named


@dataclass(frozen=True, slots=True)
class NavLink:
    """A link of the navigation."""

    title: str
    address: str
    is_here: bool
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class NavSection:
    """A heading of the navigation with its links."""

    title: str
    links: tuple[NavLink, ...]


def markdown_page(server: Server | None, page: Page, place: Place) -> str:
    """The Markdown twin, which says itself what and where it is."""
    rendering = Rendering(Form.MARKDOWN, server, page, place)
    address = canonical(server, page, place)
    head = f"# {page.title}\n\n> {page.description}\n\nCanonical: {address}\n"
    return f"{head}\n{_tidy(_text(rendering))}\n"


def html_page(server: Server | None, page: Page, place: Place) -> str:
    """The page for people."""
    rendering = Rendering(Form.HTML, server, page, place)
    content = markdown.to_html(_text(rendering))
    shown = {
        **values(rendering),
        "content": rendering.completed(content.html),
        "headings": content.headings,
        "canonical": canonical(server, page, place),
        "twin": _address(server, page, place, is_twin=True),
        "head_title": head_title(server, page),
        "sections": navigation(server, page, place) if server else (),
        "servers": server_links(server, place),
        "llms": place.base(_slug(server)) + paths.LLMS,
        "home": place.path(_slug(server), paths.HOME),
        "landing": place.path(None, LANDING.path),
    }
    return render_to_string("docs/layout.html", shown)


def canonical(server: Server | None, page: Page, place: Place) -> str:
    """The absolute address of a page."""
    return place.base(_slug(server)) + page.path


def head_title(server: Server | None, page: Page) -> str:
    """What the browser's tab says."""
    if server is None or page.title == server.title:
        return page.title
    name = f"{page.tool.name}: {page.title}" if page.tool else page.title
    return f"{name} · {server.title}"


def navigation(server: Server, page: Page, place: Place) -> tuple[NavSection, ...]:
    """The headings and links at the side of every page of a server."""
    listed = [each for each in pages_of(server) if each.section]
    by_section = groupby(listed, key=lambda each: each.section)
    merged: dict[str, list[NavLink]] = {}
    for section, pages in by_section:
        links = [_nav_link(server, each, page, place) for each in pages]
        merged.setdefault(section, []).extend(links)
    return tuple(NavSection(section, tuple(links)) for section, links in merged.items())


def server_links(server: Server | None, place: Place) -> tuple[NavLink, ...]:
    """The links from one server to the other."""
    links = []
    for slug in SERVERS:
        known = server_named(slug)
        home = page_link(place, slug, "", is_twin=False)
        links.append(NavLink(known.title.removeprefix("Papertrade "), home, is_here=_slug(server) == slug))
    return tuple(links)


def _nav_link(server: Server, page: Page, here: Page, place: Place) -> NavLink:
    title = page.tool.name if page.tool else page.title
    address = place.path(server.slug, page.path)
    return NavLink(title, address, is_here=page.slug == here.slug, is_code=page.tool is not None)


def _text(rendering: Rendering) -> str:
    page, server = rendering.page, rendering.server
    shown: dict[str, Any] = values(rendering)
    folder = f"docs/{server.slug}/" if server else "docs/"
    return render_text([folder + page.template, f"docs/{page.template}"], shown)


def _tidy(text: str) -> str:
    """The text without the empty lines that template tags leave behind, but for those within code."""
    lines: list[str] = []
    ends_with = ""
    for line in text.strip().splitlines():
        if line.startswith("```"):
            ticks = line[: len(line) - len(line.lstrip("`"))]
            ends_with = "" if ends_with and line.strip() == ends_with else ends_with or ticks
        if line.strip() or ends_with or (lines and lines[-1]):
            lines.append(line if ends_with else line.rstrip())
    return "\n".join(lines)


def _address(server: Server | None, page: Page, place: Place, *, is_twin: bool) -> str:
    return page_link(place, _slug(server), page.slug, is_twin=is_twin)


def _slug(server: Server | None) -> str | None:
    return None if server is None else server.slug
