"""The files of the site that machines read: llms.txt, sitemap, robots, security.txt and the search index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.template import Engine

from papertrade_site.discovery import paths
from papertrade_site.docs import markdown
from papertrade_site.docs.context import values
from papertrade_site.docs.links import page_link
from papertrade_site.docs.navigation import short_title
from papertrade_site.docs.pages import LANDING, Page, pages_of
from papertrade_site.docs.place import Place
from papertrade_site.docs.rendering import Form, Rendering, render_text
from papertrade_site.docs.text import canonical, markdown_page, text_templates, twin
from papertrade_site.mcp.server import Server
from papertrade_site.servers import SERVERS

LLMS_FULL: Final = "/llms-full.txt"
SITEMAP: Final = "/sitemap.xml"
ROBOTS: Final = "/robots.txt"
SECURITY: Final = "/.well-known/security.txt"
ALIASES: Final = {f"/.well-known{path}": path for path in (paths.LLMS, LLMS_FULL)}
"""Other addresses of the same, where some readers look."""

SECURITY_DAYS: Final = 180
"""Days after which a copy of security.txt is to be fetched anew."""

_OPTIONAL_SECTION: Final = "Service"
_SHOWN_CHARACTERS: Final = 1200


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of a list of links."""

    title: str
    address: str
    note: str


def llms(server: Server, pages: Sequence[Page], place: Place) -> str:
    """What a server is and where its pages are, as llmstxt.org describes it."""
    sections: dict[str, list[Listed]] = {}
    for page in pages:
        title = page.tool.name if page.tool else page.title
        listed = Listed(title, twin(server, page, place), page.description)
        sections.setdefault(page.section or "Overview", []).append(listed)
    optional = sections.pop(_OPTIONAL_SECTION, [])
    base = place.base(server.slug)
    files = [
        Listed("Everything on one page", base + LLMS_FULL, "All of these pages, joined."),
        Listed("Server card", base + paths.CARD, "Both schemas of every tool, as JSON."),
    ]
    shown = {
        **values(Rendering(Form.MARKDOWN, server, pages[0], place)),
        "sections": [{"title": title, "entries": entries} for title, entries in sections.items()],
        "optional": [*optional, *files],
    }
    return render_text(["docs/machines/llms.txt"], shown).strip() + "\n"


def root_llms(place: Place) -> str:
    """Where the servers' own llms.txt are."""
    optional = [
        Listed("Landing page", twin(None, LANDING, place), "Both servers, and how the sources are now."),
        Listed("Directory", place.site + paths.DIRECTORY, "Both servers, as JSON."),
        Listed("Everything on one page", place.site + LLMS_FULL, "All pages of both servers, joined."),
    ]
    shown = {
        **values(Rendering(Form.MARKDOWN, None, LANDING, place)),
        "servers": [
            Listed(server.title, place.base(server.slug) + paths.LLMS, server.description)
            for server in SERVERS.values()
        ],
        "optional": optional,
    }
    return render_text(["docs/machines/llms_root.txt"], shown).strip() + "\n"


def llms_full(server: Server, pages: Iterable[Page], place: Place) -> str:
    """All pages of a server joined, each of which says its title, address and description."""
    kept = [page for page in pages if not page.is_of_the_moment]
    return "\n\n---\n\n".join(markdown_page(server, page, place).strip() for page in kept) + "\n"


def sitemap(pages: Iterable[tuple[Server | None, Page]], place: Place) -> str:
    """The addresses of pages, each with the day on which its text came to this machine."""
    rows = [
        {"address": canonical(server, page, place), "changed": _changed(server, page)}
        for server, page in pages
    ]
    return render_text(["docs/machines/sitemap.xml"], {"rows": rows})


def robots(server: Server | None, place: Place) -> str:
    """What crawlers may read (all but the admin), and where the sitemap is."""
    address = place.base(server.slug if server else None) + SITEMAP
    return render_text(["docs/machines/robots.txt"], {"sitemap": address})


def security(server: Server | None, place: Place, now: datetime) -> str:
    """Whom to tell of a weakness (RFC 9116): the repository where one is named, else the page about it."""
    slug = server.slug if server else None
    policy = page_link(place, slug or next(iter(SERVERS)), "docs/security", is_twin=False)
    policy = place.site + policy
    repository = settings.REPOSITORY_URL
    expires = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    shown = {
        "contact": f"{repository}/security/advisories/new" if repository else policy,
        "expires": (expires + timedelta(days=SECURITY_DAYS)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "canonical": place.base(slug) + SECURITY,
        "policy": policy,
    }
    return render_text(["docs/machines/security.txt"], shown)


def search_index(server: Server, place: Place) -> list[dict[str, Any]]:
    """A row for each page and for each of its sections: titles, address within the site, and words.

    Pages of the other servers come last, and name their server.
    """
    rows = [*_index_of(server, place)]
    for other in SERVERS.values():
        if other is not server:
            rows += [{**row, "server": short_title(other)} for row in _index_of(other, place)]
    return rows


def _index_of(server: Server, place: Place) -> list[dict[str, Any]]:
    pages = pages_of(server)
    rows = []
    for page in pages:
        address = page_link(place, server.slug, page.slug, is_twin=False)
        title = f"{page.tool.name}: {page.title}" if page.tool else page.title
        for part in markdown.parts(markdown_page(server, page, place)):
            text = part.text if part.heading else page.description
            rows.append(
                {
                    "title": title,
                    "heading": part.heading,
                    "address": f"{address}#{part.anchor}" if part.anchor else address,
                    "text": text[:_SHOWN_CHARACTERS],
                }
            )
    return rows


def _changed(server: Server | None, page: Page) -> str:
    origin = Engine.get_default().select_template(text_templates(server, page)).origin
    return datetime.fromtimestamp(os.path.getmtime(origin.name), UTC).date().isoformat()
