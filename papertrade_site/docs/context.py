"""What the text of a page may speak of: facts of the service, each from the one place that knows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings

from papertrade_site.docs.found import some_trader
from papertrade_site.docs.rendering import Rendering
from papertrade_site.docs.sources_read import SOURCES_READ
from papertrade_site.env import Source
from papertrade_site.limits.bounds import BURST_S, WINDOW_S
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.mcp.negotiation import ACCEPTED_IN_HEADER, PROTOCOL_VERSIONS
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream import budget
from papertrade_site.upstream.lifetimes import lifetime_of


def values(rendering: Rendering) -> dict[str, Any]:
    """What the template of a page sees."""
    server, place = rendering.server, rendering.place
    shared = {
        "rendering": rendering,
        "page": rendering.page,
        "tool": rendering.page.tool,
        "server": server,
        "site": place.site,
        "is_simulated": settings.PAPERTRADE_SOURCE == Source.SIMULATED,
        "protocol_versions": PROTOCOL_VERSIONS,
        "header_versions": sorted(ACCEPTED_IN_HEADER, reverse=True),
        "upstream": {"call_seconds": budget.CALL_SECONDS},
        "window_seconds": WINDOW_S,
        "burst_seconds": BURST_S,
    }
    if server is None:
        return shared
    return {
        **shared,
        "base": place.base(server.slug),
        "endpoint": place.endpoint(server.slug),
        "limits": limits_for(server.slug),
        "switched_off": _switched_off(server),
        "lifetimes": [(name, lifetime_of(name)) for name in SOURCES_READ[server.slug]],
        "most_requests": max(tool.requests() for tool in server.tools),
        "some_trader": partial(some_trader, server),
    }


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """A tool that the operator has switched off, and why."""

    tool: Tool[Any]
    reason: str


def _switched_off(server: Server) -> list[SwitchedOff]:
    """The tools of a server that are off now."""
    reasons = policy().switched_off
    rows = ((tool, reasons.get((server.slug, tool.name))) for tool in server.tools)
    return [SwitchedOff(tool, reason) for tool, reason in rows if reason is not None]
