"""How much a client may ask: the one place of these numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60
"""Seconds of a window; it is fixed, so a client has its whole allowance again at its end."""

KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server.

    Attributes:
        requests_per_minute: messages that one client may send within a window; a batch costs all of its own.
        body_bytes: most bytes of one request's body.
        batch_messages: most messages of one batch; never more than a window holds, or a full batch would
            be told to come back in vain.
    """

    requests_per_minute: int
    body_bytes: int
    batch_messages: int


_LIMITS: Final = {
    "liquidations": ServerLimits(requests_per_minute=30, body_bytes=64 * KIB, batch_messages=5),
    "analytics": ServerLimits(requests_per_minute=60, body_bytes=64 * KIB, batch_messages=10),
}


PAGES_PER_MINUTE: Final = 600
"""Pages, pictures and documents that one client may read within a window, counted apart from messages."""


def limits_for(slug: str) -> ServerLimits:
    """The limits of a server as they are in force now.

    Raises:
        KeyError: when there is no such server.
    """
    return _LIMITS[slug]
