"""Where a reader is: the addresses of the site and of each server, in the form that the request came in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlsplit

from django.http import HttpRequest

from papertrade_site.discovery import paths
from papertrade_site.hosts import base_url, site_url
from papertrade_site.servers import SERVERS


@dataclass(frozen=True, slots=True)
class Place:
    """The addresses that a page gives out.

    Attributes:
        site: scheme and host, without a slash at the end.
        bases: where each server begins, by its short name, without a slash at the end.
    """

    site: str
    bases: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        """The addresses as the request's host has them."""
        return cls(site_url(request), tuple((slug, base_url(request, slug)) for slug in SERVERS))

    def base(self, slug: str | None) -> str:
        """Where a server begins, or the site for None.

        Raises:
            KeyError: when there is no such server.
        """
        return self.site if slug is None else dict(self.bases)[slug]

    def without_host(self) -> Self:
        """The same with paths instead of addresses, for what is read on all hosts alike."""
        return replace(self, site="", bases=tuple((slug, urlsplit(base).path) for slug, base in self.bases))

    def path(self, slug: str | None, path: str) -> str:
        """A server's path (``/docs/mcp``) as a link within the site writes it (``/analytics/docs/mcp``)."""
        return urlsplit(self.base(slug)).path + path

    def endpoint(self, slug: str) -> str:
        """The absolute address of a server's endpoint."""
        return self.base(slug) + paths.ENDPOINT
