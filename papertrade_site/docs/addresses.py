"""The address tables of the documentation site: those of one server, and of the project's root."""

from __future__ import annotations

from django.urls import URLPattern, path

from papertrade_site.docs.views import Documentation


def page_addresses(documentation: Documentation) -> list[URLPattern]:
    """Every page, and its Markdown twin."""
    return [
        pattern
        for page in documentation.pages
        for pattern in (
            path(page.path[1:], documentation.page(page)),
            path(page.twin_path[1:], documentation.twin(page)),
        )
    ]
