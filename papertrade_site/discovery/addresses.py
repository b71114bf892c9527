"""The address table of one server, which its app puts below its prefix and at the root of its own host."""

from __future__ import annotations

from django.urls import URLPattern, path, re_path

from papertrade_site.discovery import paths
from papertrade_site.discovery.views import Discovery
from papertrade_site.refusals import View, no_authorization

no_authorization_addresses: list[URLPattern] = [
    re_path(r"^(?:mcp/)?\.well-known/(?:oauth-|openid-configuration)", no_authorization),
]
"""Where clients look for an authorization server, with any suffix."""


def server_addresses(endpoint: View, discovery: Discovery) -> list[URLPattern]:
    """Endpoint (with and without a slash at the end, never redirecting) and discovery documents."""
    return [
        path(paths.ENDPOINT[1:], endpoint, name="mcp"),
        path(f"{paths.ENDPOINT[1:]}/", endpoint),
        path(paths.CARD[1:], discovery.card, name="server-card"),
        *(path(alias[1:], discovery.card) for alias in paths.CARD_ALIASES),
        path(paths.CARD_OF_ITS_OWN_TYPE[1:], discovery.card_of_its_own_type),
        path(paths.REGISTRY_ENTRY[1:], discovery.registry_entry, name="registry-entry"),
        path(paths.ICON[1:], discovery.icon, name="icon"),
        *no_authorization_addresses,
    ]
