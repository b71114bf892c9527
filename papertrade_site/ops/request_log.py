"""One line about every request: what was asked and how it went, never who exactly asked or with what words.

A line is one JSON object of at most 2 KB. What stands in it comes from lists of ours: a method or a tool that
is not known is not repeated, and of an address only the pattern is told that it matched.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from papertrade_site import request_id
from papertrade_site.limits.bounds import SLUGS
from papertrade_site.mcp.admission import Exchange
from papertrade_site.ops.request_lines import Line, RequestLines
from papertrade_site.usage.record import EXCHANGE, client_hash

HTTP_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS", "DELETE", "PUT", "PATCH", "TRACE"})
OTHER: Final = "other"

STATIC: Final = "static"
"""Stands for the pattern of static files, which are served before patterns are looked at."""

process_lines = RequestLines(is_silent=not settings.REQUEST_LOG)
"""This process's own."""


class AnsweredRequest(NamedTuple):
    """What is told of a request, as plain as it was found.

    Attributes:
        at_ns: when it was answered, in nanoseconds since 1970.
        http: its method, which may be anything.
        route: the pattern that its address matched.
        urlconf: the table of addresses of its host, where that has one of its own.
        exchange: the server and what became of the messages, where it went to an endpoint.
        size: bytes of the body, as a number that is sent, or ``null`` where nobody knows.
    """

    at_ns: int
    name: str
    client: str
    http: str | None
    route: str | None
    urlconf: str | None
    exchange: tuple[str, Exchange] | None
    status: int
    seconds: float
    size: str

    def line(self) -> Line:
        """The line about it."""
        server, what = self._server, ""
        if self.exchange is not None:
            _, told = self.exchange
            methods = tuple(dict.fromkeys(handled.method for handled in told.handled))
            tools = tuple(dict.fromkeys(handled.tool for handled in told.handled if handled.tool is not None))
            what = f',"messages":{len(told.handled)}{_told(methods, tools, told.outcome)}'
        text = (
            f'{{"time":"{_time(self.at_ns)}","id":"{self.name}","client":"{self.client}",'
            f'"http":"{self.http if self.http in HTTP_METHODS else OTHER}",{_place(self.route, server)},'
            f'"status":{self.status},"ms":{self.seconds * 1000:.2f},"bytes":{self.size}{what}}}\n'
        )
        return Line(text, server, self.status)

    def counted(self) -> Line:
        """What is counted of it, in place of the line."""
        return Line("", self._server, self.status)

    @property
    def _server(self) -> str:
        return _server_of(self.route, self.urlconf) if self.exchange is None else self.exchange[0]


class RequestLogMiddleware:
    """Names each request, tells the client that name, and leaves a line about it. Must be the outermost."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Let the request on, and note how it went."""
        began = time.perf_counter()
        name = request_id.new_request_id()
        token = request_id.begin(name)
        try:
            response = self._get_response(request)
        finally:
            request_id.end(token)
        response.headers[request_id.HEADER] = name
        process_lines.put(told_of(request, response, name=name, seconds=time.perf_counter() - began))
        return response


def told_of(
    request: HttpRequest, response: HttpResponseBase, *, name: str, seconds: float
) -> AnsweredRequest:
    """What is told of an answered request."""
    match = request.resolver_match
    return AnsweredRequest(
        time.time_ns(),
        name,
        client_hash(request),
        request.method,
        match.route if match is not None else _unmatched(request),
        getattr(request, "urlconf", None),
        request.META.get(EXCHANGE),
        response.status_code,
        seconds,
        _size(request, response),
    )


def _unmatched(request: HttpRequest) -> str | None:
    return STATIC if request.path_info.startswith(settings.STATIC_URL) else None


@lru_cache(maxsize=512)
def _server_of(route: str | None, urlconf: str | None) -> str:
    """The server that a pattern, or else the host's own table of addresses, belongs to; '' for none."""
    first = (route or "").partition("/")[0]
    if first in SLUGS:
        return first
    return "" if urlconf is None else urlconf.rpartition(".")[2]


@lru_cache(maxsize=512)
def _place(route: str | None, server: str) -> str:
    return f'"route":{json.dumps(route)},"server":{json.dumps(server or None)}'


@lru_cache(maxsize=512)
def _told(methods: tuple[str, ...], tools: tuple[str, ...], outcome: str) -> str:
    """What was asked of an endpoint, each method and tool once, whatever the number of messages."""
    return f',"methods":{json.dumps(methods)},"tools":{json.dumps(tools)},"outcome":{json.dumps(outcome)}'


def _size(request: HttpRequest, response: HttpResponseBase) -> str:
    """Bytes of the answer's body, without what is sent of a stream; ``null`` where nobody knows."""
    if request.method == "HEAD":
        return "0"
    told = response.headers.get("Content-Length")
    if told is not None:
        return told
    return "null" if response.streaming else str(len(getattr(response, "content", b"")))


def _time(at_ns: int) -> str:
    seconds, rest = divmod(at_ns, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1_000_000:03d}Z"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
