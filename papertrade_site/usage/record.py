"""Counting what an endpoint has answered."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest

from papertrade_site.limits.client import client_of
from papertrade_site.mcp.admission import Exchange, Record
from papertrade_site.usage.buffer import Buffer, process_buffer
from papertrade_site.usage.families import Family, family_of_agent, family_of_name

EXCHANGE: Final = "papertrade.exchange"
"""Where a request's ``META`` holds its server's short name and its exchange, for the log of requests."""


def record(slug: str, buffer: Buffer = process_buffer) -> Record:
    """What a server's endpoint calls with each request that it has answered; waits for nobody."""

    def count(request: HttpRequest, exchange: Exchange) -> None:
        request.META[EXCHANGE] = (slug, exchange)
        family, is_named = _family(exchange.client_name, request.META.get("HTTP_USER_AGENT", ""))
        buffer.count(slug, exchange, client=client_hash(request), family=family, is_named=is_named)

    return count


def client_hash(request: HttpRequest) -> str:
    """The digits that stand for the request's client wherever people see it."""
    return client_of(request).digits


def _family(name: str | None, user_agent: str) -> tuple[Family, bool]:
    """The client's kind, and whether its own name tells it."""
    named = Family.OTHER if name is None else family_of_name(name)
    if named is not Family.OTHER:
        return named, True
    return family_of_agent(user_agent), False
