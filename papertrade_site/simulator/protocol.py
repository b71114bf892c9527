"""What the HTTP server asks of the exchange behind it: one request in, one answer out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

HEARTBEAT_SECONDS = 10.0
"""Seconds of real time between two heartbeats of an open stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request as it came in.

    ``path`` is without the query and percent-decoded; ``query`` keeps the decoded pairs in the order
    sent, doubles and blank values included.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer; the venue's bodies are JSON documents, already encoded."""

    status: HTTPStatus
    body: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventStream:
    """A 200 answer of server-sent events that stays open until the client leaves.

    ``opening`` holds the encoded frames that are sent at once; ``heartbeat`` is called every
    ``HEARTBEAT_SECONDS`` for the next encoded frame. Both end their frames with an empty line.
    """

    opening: bytes
    heartbeat: Callable[[], bytes]


class Venue(Protocol):
    """The exchange behind the server; called from many threads at once."""

    def answer(self, request: Request) -> Answer | EventStream:
        """Answer any request, also one for a path that does not exist (a 404 answer)."""
        ...
