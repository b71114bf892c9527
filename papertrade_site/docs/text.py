"""A page in each of its two forms, from the one text that it has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string

from papertrade_site.discovery import paths
from papertrade_site.docs import markdown, navigation
from papertrade_site.docs.context import values
from papertrade_site.docs.pages import HOME, LANDING, Page
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form, Rendering, render_text
from papertrade_site.mcp.server import Server

SIMULATED: Final = "**Simulated data**: every figure comes from a made-up exchange, not from Papertrade.\n\n"


def markdown_page(server: Server | None, page: Page, place: Place) -> str:
    """The Markdown twin, which says itself what and where it is."""
    rendering = Rendering(Form.MARKDOWN, server, page, place)
    seen = values(rendering)
    head = f"# {page.title}\n\n> {page.description}\n\nCanonical: {canonical(server, page, place)}\n\n"
    return head + (SIMULATED if seen["is_simulated"] else "") + _tidy(_text(rendering, seen)) + "\n"


def html_page(
    server: Server | None, page: Page, place: Place, choices: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The page for people, with what its reader has chosen of its pictures."""
    rendering = Rendering(Form.HTML, server, page, place, choices)
    seen = values(rendering)
    content = markdown.to_html(_text(rendering, seen))
    around = _around(server, page, place)
    shown = {**seen, **around, "content": rendering.completed(content.html), "headings": content.headings}
    return render_to_string("docs/layout.html", shown).lstrip()


def canonical(server: Server | None, page: Page, place: Place) -> str:
    """The absolute address of a page."""
    return place.base(_slug(server)) + page.path


def twin(server: Server | None, page: Page, place: Place) -> str:
    """The absolute address of its Markdown twin."""
    return place.base(_slug(server)) + page.twin_path


def text_templates(server: Server | None, page: Page) -> list[str]:
    """Where the text of a page may be; the first file that exists is it."""
    own = [f"docs/{server.slug}/{page.template}"] if server else []
    return [*own, f"docs/{page.template}"]


def head_title(server: Server | None, page: Page) -> str:
    """What the browser's tab says."""
    if server is None:
        return f"{page.title} · Papertrade MCP"
    if page.title == server.title:
        return page.title
    name = f"{page.tool.name}: {page.title}" if page.tool else page.title
    return f"{name} · {server.title}"


def meta_description(server: Server | None, page: Page) -> str:
    """One sentence for search engines and previews of links, which cut it after about 160 characters."""
    if server is None or page.tool is None:
        return page.description
    about = f"what this read-only tool of {server.title} takes and returns, with a live example"
    return f"{page.tool.title}: {about}."


def furniture(server: Server | None, page: Page, place: Place) -> dict[str, Any]:
    """What stands at the top and at the side of every page."""
    return {
        "landing": place.path(None, LANDING.path),
        "search": place.path(_slug(server), paths.SEARCH) if server else None,
        "servers": navigation.server_links(server, page, place),
        "sections": navigation.sections(server, page, place) if server else (),
    }


def _around(server: Server | None, page: Page, place: Place) -> dict[str, Any]:
    """What the layout shows around the content."""
    slug = _slug(server)
    before, after = navigation.neighbours(server, page, place) if server else (None, None)
    twin_address = twin(server, page, place)
    return {
        "head_title": head_title(server, page),
        "description": meta_description(server, page),
        "is_wide": page.slug == HOME,
        "canonical": canonical(server, page, place),
        "twin": twin_address,
        "twin_path": place.path(slug, page.twin_path),
        "llms": place.base(slug) + paths.LLMS,
        "llms_path": place.path(slug, paths.LLMS),
        **furniture(server, page, place),
        "before": before,
        "after": after,
        "ask": f"Read {twin_address} so that I can ask you about it.",
        "repository": settings.REPOSITORY_URL,
    }


def _text(rendering: Rendering, seen: dict[str, Any]) -> str:
    return render_text(text_templates(rendering.server, rendering.page), seen)


def _tidy(text: str) -> str:
    """The text without the empty lines that template tags leave behind, but for those within code."""
    text = text.strip()
    code = markdown.code_lines(text)
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if number in code:
            lines.append(line)
        elif line.strip() or lines[-1]:
            lines.append(line.rstrip())
    return "\n".join(lines)


def _slug(server: Server | None) -> str | None:
    return None if server is None else server.slug
